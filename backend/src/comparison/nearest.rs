//! The build of a state that comes nearest to the one it lacks: the config that differs in the fewest values.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lowerline_shared::api::NearestBuild;
use serde_json::Value;

use super::{State, distinct, rows::Row};
use crate::{db, error::Result, state::AppState};

/// Parts of a config document that the author chose.
pub const CHOSEN: &[&str] = &["options", "constexprs"];
/// All parts that hold values: what is known of the arguments, too.
const ALL: &[&str] = &["options", "constexprs", "attributes"];

/// Values of parts of a config document, as text.
pub fn values(document: &Value, parts: &[&str]) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let parts = parts.iter().filter_map(|part| document[part].as_object());
    parts.flatten().map(|(name, value)| (name.clone(), text(value))).collect()
}

fn differences(
    a: &BTreeMap<String, String>,
    b: &BTreeMap<String, String>,
) -> Vec<(String, Option<String>, Option<String>)> {
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let both = names.into_iter().map(|name| (name.clone(), a.get(name).cloned(), b.get(name).cloned()));
    both.filter(|(_, a, b)| a != b).collect()
}

/// For every state that lacks the build and has others of the same kernel and target: the nearest.
pub async fn find(
    state: &AppState,
    states: &[State],
    row: &Row,
    configs: &HashMap<i32, Value>,
) -> Result<Vec<NearestBuild>> {
    let Some(wanted) =
        row.builds().find_map(|build| configs.get(&build.config_id)).map(|document| values(document, ALL))
    else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for (n, (of, build)) in states.iter().zip(&row.states).enumerate() {
        if build.is_some() || of.builds.is_empty() {
            continue;
        }
        let documents: HashMap<i32, Value> =
            db::compare::list_configs(&state.pool, &distinct(of.builds.values().map(|build| build.config_id)))
                .await?
                .into_iter()
                .collect();
        let variants = distinct(of.builds.keys().copied());
        let variants = db::kernel::list_variants_by_id(&state.pool, &variants).await?;
        let candidates = variants.into_iter().filter_map(|variant| {
            let document = documents.get(&of.builds.get(&variant.id)?.config_id)?;
            Some((differences(&wanted, &values(document, ALL)), variant.config))
        });
        if let Some((differs, config)) = candidates.min_by(|a, b| (a.0.len(), &a.1).cmp(&(b.0.len(), &b.1))) {
            found.push(NearestBuild { state: u32::try_from(n).unwrap_or(u32::MAX), config, differs });
        }
    }
    Ok(found)
}
