//! Which builds of the states belong side by side.

use std::collections::{BTreeSet, HashMap};

use lowerline_shared::permalink::{CompareQuery, names_builds};

use super::{State, distinct};
use crate::{
    db::{self, compare::BuildRow, kernel::VariantRow},
    error::{Refusal, Result},
    state::AppState,
};

/// One variant over the states.
pub struct Row {
    /// The variant that names the row.
    pub variant_id: i32,
    /// Its build in every state; under another config where the state has one of its own.
    pub states: Vec<Option<BuildRow>>,
    /// Sum of absolute machine-level differences to the first state.
    pub weight: u64,
}

/// All rows.
pub struct Rows {
    /// In order of variant.
    pub rows: Vec<Row>,
    /// Names of at least all variants in changed rows.
    pub variants: HashMap<i32, VariantRow>,
}

impl Row {
    /// The builds that are there.
    pub fn builds(&self) -> impl Iterator<Item = &BuildRow> {
        self.states.iter().flatten()
    }

    /// Whether a state lacks the build or counts something else.
    pub fn is_changed(&self) -> bool {
        let profile = |build: &Option<BuildRow>| build.as_ref().map(|build| build.profile_id);
        let first = profile(&self.states[0]);
        first.is_none() || self.states[1..].iter().any(|build| profile(build) != first)
    }
}

/// Pairs the builds of the states.
pub async fn pair(state: &AppState, states: &[State], query: &CompareQuery) -> Result<Rows> {
    if states.iter().any(|state| state.asked.kernel.is_some() || state.asked.target.is_some()) {
        return pair_any(state, states, query).await;
    }
    let own_config = states.iter().any(|state| state.asked.config.is_some());
    if own_config || query.config.is_some() {
        return pair_by_name(state, states, query).await;
    }
    let ids = distinct(states.iter().flat_map(|state| state.builds.keys().copied()));
    let rows: Vec<Row> = ids
        .into_iter()
        .map(|variant_id| Row {
            variant_id,
            states: states.iter().map(|state| state.builds.get(&variant_id).cloned()).collect(),
            weight: 0,
        })
        .collect();
    // Names only where they are shown: most builds of most comparisons are unchanged.
    let everything = query.kernel.is_some();
    let named = distinct(rows.iter().filter(|row| everything || row.is_changed()).map(|row| row.variant_id));
    Ok(Rows { rows, variants: names(state, &named).await? })
}

async fn names(state: &AppState, ids: &[i32]) -> Result<HashMap<i32, VariantRow>> {
    let rows = db::kernel::list_variants_by_id(&state.pool, ids).await?;
    Ok(rows.into_iter().map(|row| (row.id, row)).collect())
}

/// Builds of several kernels or targets: one row, each state with the build it names. A state without a config takes that
/// of the first state that has a build, else the first by label.
async fn pair_any(state: &AppState, states: &[State], query: &CompareQuery) -> Result<Rows> {
    let asked: Vec<_> = states.iter().map(|state| state.asked.clone()).collect();
    if !names_builds(&asked, query) {
        let message = "states of several kernels or targets are compared build by build; some name no kernel or target";
        return Err(Refusal::field("states", message)
            .hint("give the page a `kernel` and a `target`, or each state its own: `3.5.0;target=sm_90a;kernel=matmul`")
            .into());
    }
    let ids = distinct(states.iter().flat_map(|state| state.builds.keys().copied()));
    let variants = names(state, &ids).await?;
    let mut taken: Option<String> = None;
    let mut builds: Vec<Option<BuildRow>> = Vec::with_capacity(states.len());
    for state in states {
        let mut own: Vec<&VariantRow> = state.builds.keys().filter_map(|id| variants.get(id)).collect();
        own.sort_by(|a, b| a.config.cmp(&b.config));
        let found = match state.asked.config_on(query) {
            Some(config) => own.iter().find(|variant| variant.config == config),
            None => own.iter().find(|variant| Some(&variant.config) == taken.as_ref()).or(own.first()),
        };
        if let Some(variant) = found {
            taken.get_or_insert_with(|| variant.config.clone());
        }
        builds.push(found.and_then(|variant| state.builds.get(&variant.id).cloned()));
    }
    let head = builds.iter().flatten().next().map(|build| build.variant_id);
    let rows = head.map(|variant_id| Row { variant_id, states: builds, weight: 0 }).into_iter().collect();
    Ok(Rows { rows, variants })
}

/// The slower way: a config is asked for, or states have configs of their own.
async fn pair_by_name(state: &AppState, states: &[State], query: &CompareQuery) -> Result<Rows> {
    let ids = distinct(states.iter().flat_map(|state| state.builds.keys().copied()));
    let variants = names(state, &ids).await?;
    let by_name: HashMap<(&str, &str, &str), i32> = variants
        .values()
        .map(|row| ((row.kernel_key.as_str(), row.target.as_str(), row.config.as_str()), row.id))
        .collect();
    let overrides: BTreeSet<&str> = states.iter().filter_map(|state| state.asked.config.as_deref()).collect();

    let mut heads: BTreeSet<(&str, &str, &str)> = BTreeSet::new();
    for state in states.iter().filter(|state| state.asked.config.is_none()) {
        heads.extend(state.builds.keys().filter_map(|id| variants.get(id)).map(name_of));
    }
    if heads.is_empty() {
        // Every state has a config of its own: the first one names the rows.
        for state in states {
            let own = state.builds.keys().filter_map(|id| variants.get(id)).map(name_of);
            heads.extend(own.filter(|name| state.asked.config.as_deref() == Some(name.2)));
            if !heads.is_empty() {
                break;
            }
        }
    }
    heads.retain(|(_, _, config)| match query.config.as_deref() {
        Some(asked) => {
            asked == *config || overrides.contains(config) && states.iter().all(|s| s.asked.config.is_some())
        }
        None => !overrides.contains(config) || states.iter().all(|state| state.asked.config.is_some()),
    });
    let mut rows = Vec::new();
    for (kernel, target, config) in heads {
        let find = |state: &State| {
            let config = state.asked.config.as_deref().unwrap_or(config);
            state.builds.get(by_name.get(&(kernel, target, config))?).cloned()
        };
        let row = Row {
            variant_id: by_name[&(kernel, target, config)],
            states: states.iter().map(find).collect(),
            weight: 0,
        };
        // In a list, a config that one state names is about the kernels that have it.
        let names_it =
            states.iter().zip(&row.states).any(|(state, build)| state.asked.config.is_some() && build.is_some());
        if query.kernel.is_some() || overrides.is_empty() || names_it {
            rows.push(row);
        }
    }
    Ok(Rows { rows, variants })
}

fn name_of(row: &VariantRow) -> (&str, &str, &str) {
    (&row.kernel_key, &row.target, &row.config)
}
