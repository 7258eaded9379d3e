//! States side by side: which builds differ, how much, and in what.
//!
//! `rows` pairs the builds of the states, `levels` turns histograms into tables, `depth` adds what only one build has
//! (`nearest` for states that lack it), [`matrix`] is one commit against its parent.

mod depth;
mod levels;
pub mod matrix;
mod nearest;
mod rows;

use std::collections::{BTreeSet, HashMap};

use lowerline_shared::{
    api::{ArtifactRef, BuildComparison, CompareResponse, KernelSummary, StateBuild, StateInfo, Toolchain},
    ids::{Digest, TargetName, shown},
    permalink::{CompareQuery, StateRef, names_builds},
    stage::Stage,
};

use self::rows::{Row, Rows};
use crate::{
    config,
    counts::FamilyCounts,
    db::{self, commit::CommitRow, compare::BuildRow, kernel::VariantRow, trend::ProfileRow},
    error::{Refusal, Result},
    ingest::Project,
    state::AppState,
    view,
};

/// A state as asked and as found.
struct State {
    asked: StateRef,
    commit: CommitRow,
    builds: HashMap<i32, BuildRow>,
}

/// What the listed builds point at.
struct Data {
    variants: HashMap<i32, VariantRow>,
    profiles: HashMap<i32, ProfileRow>,
    families: FamilyCounts,
    artifacts: HashMap<i32, Vec<ArtifactRef>>,
    toolchains: HashMap<i32, Toolchain>,
    reconstructions: HashMap<i32, String>,
    kernels: HashMap<String, KernelSummary>,
}

/// Answers a comparison.
pub async fn compare(
    state: &AppState,
    project: &Project,
    asked: &[StateRef],
    query: &CompareQuery,
) -> Result<CompareResponse> {
    let states = resolve(state, project, asked, query).await?;
    known_kernels(state, project, asked, query).await?;
    let Rows { mut rows, variants } = rows::pair(state, &states, query).await?;
    let total = rows.len();
    let keep_all = names_builds(asked, query);
    rows.retain(|row| keep_all || row.is_changed());
    let unchanged = if keep_all { rows.iter().filter(|row| !row.is_changed()).count() } else { total - rows.len() };

    let mut data = load_counts(state, &rows, query, variants).await?;
    weigh(&mut rows, &data);
    let left_out = rows.len().saturating_sub(config::BUILDS_PER_COMPARISON);
    rows.truncate(config::BUILDS_PER_COMPARISON);
    load_rest(state, project, &rows, &mut data).await?;

    let opcodes = match rows.as_slice() {
        [row] if keep_all || query.kernel.is_some() => levels::opcodes(state, row, &data, query.scope).await?,
        _ => levels::Opcodes::default(),
    };
    let mut builds: Vec<BuildComparison> =
        rows.iter().map(|row| build(state, row, &data, &opcodes)).collect::<Result<_>>()?;
    if let (true, [row], [only]) = (keep_all, rows.as_slice(), builds.as_mut_slice()) {
        depth::fill(state, &states, row, only).await?;
    }
    if let ([row], [build], true) = (rows.as_slice(), builds.as_mut_slice(), query.kernel.is_some())
        && let Some(sass) = build.levels.iter_mut().find(|level| level.stage == Stage::Sass)
    {
        sass.disagreements = levels::disagreements(state, row).await?;
    }
    Ok(CompareResponse {
        states: infos(&state.pool, states, &builds).await?,
        scope: query.scope,
        builds,
        unchanged: unchanged as u64,
        left_out: left_out as u64,
    })
}

async fn resolve(state: &AppState, project: &Project, asked: &[StateRef], query: &CompareQuery) -> Result<Vec<State>> {
    let mut states = Vec::with_capacity(asked.len());
    for asked in asked {
        let commit = db::commit::find_commit(&state.pool, project.id, asked.rev.as_str()).await?;
        let commit = commit.ok_or_else(|| {
            Refusal::not_found(format!("commit {} in {}", asked.rev, project.slug))
                .hint("a state is a full hash or a tag of a commit that was pushed")
        })?;
        let target = asked.target_on(query).map(TargetName::as_str);
        let builds = db::compare::list_builds(&state.pool, commit.id, asked.kernel_on(query), target).await?;
        let builds = builds.into_iter().map(|build| (build.variant_id, build)).collect();
        states.push(State { asked: asked.clone(), commit, builds });
    }
    Ok(states)
}

/// Refuses a kernel that the project does not have: no state can have a build of it.
async fn known_kernels(state: &AppState, project: &Project, asked: &[StateRef], query: &CompareQuery) -> Result<()> {
    let keys: BTreeSet<&str> = asked.iter().filter_map(|asked| asked.kernel_on(query)).collect();
    for key in keys {
        if db::kernel::find_kernel_name(&state.pool, project.id, key).await?.is_none() {
            return Err(Refusal::not_found(format!("kernel `{}` in {}", shown(key), project.slug))
                .hint("`GET /projects/{project}` lists the kernels")
                .into());
        }
    }
    Ok(())
}

async fn infos(pool: &db::Pool, states: Vec<State>, builds: &[BuildComparison]) -> Result<Vec<StateInfo>> {
    let mut infos = Vec::with_capacity(states.len());
    for (n, state) in states.into_iter().enumerate() {
        let reconstruction = builds.iter().find_map(|build| match &build.states[n] {
            StateBuild::Built { reconstruction, .. } if state.asked.config.is_some() => reconstruction.clone(),
            _ => None,
        });
        let commit = view::commit(pool, state.commit).await?;
        let StateRef { rev, config, target, kernel } = state.asked;
        infos.push(StateInfo { commit, rev, config, target, kernel, reconstruction });
    }
    Ok(infos)
}

fn distinct(ids: impl Iterator<Item = i32>) -> Vec<i32> {
    ids.collect::<BTreeSet<i32>>().into_iter().collect()
}

async fn load_counts(
    state: &AppState,
    rows: &[Row],
    query: &CompareQuery,
    variants: HashMap<i32, VariantRow>,
) -> Result<Data> {
    let pool = &state.pool;
    let profile_ids = distinct(rows.iter().flat_map(Row::builds).map(|build| build.profile_id));
    let profiles: HashMap<i32, ProfileRow> =
        db::trend::list_profiles(pool, &profile_ids).await?.into_iter().map(|row| (row.id, row)).collect();
    let histograms = distinct(profiles.values().flat_map(|profile| [profile.ptx_id, profile.machine_id]).flatten());
    Ok(Data {
        variants,
        profiles,
        families: FamilyCounts::load(pool, &state.codes, &histograms, query.scope).await?,
        artifacts: HashMap::new(),
        toolchains: HashMap::new(),
        reconstructions: HashMap::new(),
        kernels: HashMap::new(),
    })
}

/// Heaviest first; equal ones by name.
fn weigh(rows: &mut [Row], data: &Data) {
    let machine = |build: Option<&BuildRow>| data.profiles.get(&build?.profile_id)?.machine_id;
    for row in rows.iter_mut() {
        let first = machine(row.states[0].as_ref());
        row.weight = row.states[1..].iter().map(|build| data.families.distance(first, machine(build.as_ref()))).sum();
    }
    rows.sort_by(|a, b| {
        let name = |row: &Row| {
            data.variants.get(&row.variant_id).map(|variant| (&variant.kernel_key, &variant.target, &variant.config))
        };
        b.weight.cmp(&a.weight).then_with(|| name(a).cmp(&name(b)))
    });
}

async fn load_rest(state: &AppState, project: &Project, rows: &[Row], data: &mut Data) -> Result<()> {
    let pool = &state.pool;
    let lowerings = distinct(rows.iter().flat_map(Row::builds).map(|build| build.lowering_id));
    for row in db::compare::list_artifacts(pool, &lowerings).await? {
        let digest = row.digest.try_into().map_err(|_| anyhow::anyhow!("a digest of another length"))?;
        // A stage of another version is left out.
        let Some(stage) = Stage::from_id(&row.stage) else { continue };
        let artifact = ArtifactRef { stage, form: row.form, digest: Digest(digest) };
        data.artifacts.entry(row.lowering_id).or_default().push(artifact);
    }
    for artifacts in data.artifacts.values_mut() {
        artifacts.sort_by(|a, b| (a.stage, &a.form).cmp(&(b.stage, &b.form)));
    }
    let toolchains = distinct(rows.iter().flat_map(Row::builds).map(|build| build.toolchain_id));
    for (id, versions) in db::compare::list_toolchains(pool, &toolchains).await? {
        data.toolchains.insert(id, serde_json::from_value(versions).map_err(anyhow::Error::from)?);
    }
    let configs = distinct(rows.iter().flat_map(Row::builds).map(|build| build.config_id));
    data.reconstructions = db::compare::list_reconstructions(pool, &configs).await?.into_iter().collect();
    let keys: BTreeSet<String> = rows
        .iter()
        .filter_map(|row| data.variants.get(&row.variant_id))
        .map(|variant| variant.kernel_key.clone())
        .collect();
    let keys: Vec<String> = keys.into_iter().collect();
    for (name, group) in db::kernel::list_histories_of(pool, project.id, &keys).await? {
        let summary = view::kernel(&group[0].0, &name, &group.iter().map(|(_, row)| row.clone()).collect::<Vec<_>>())?;
        data.kernels.insert(summary.key.clone(), summary);
    }
    Ok(())
}

fn build(state: &AppState, row: &Row, data: &Data, opcodes: &levels::Opcodes) -> Result<BuildComparison> {
    let variant =
        data.variants.get(&row.variant_id).ok_or_else(|| anyhow::anyhow!("variant {} vanished", row.variant_id))?;
    let kernel = data
        .kernels
        .get(&variant.kernel_key)
        .cloned()
        .ok_or_else(|| anyhow::anyhow!("kernel of variant {} vanished", row.variant_id))?;
    let profiles: Vec<Option<&ProfileRow>> =
        row.states.iter().map(|build| data.profiles.get(&build.as_ref()?.profile_id)).collect();
    Ok(BuildComparison {
        kernel,
        target: view::parsed(&variant.target)?,
        config: variant.config.clone(),
        states: row.states.iter().map(|build| state_build(build.as_ref(), data)).collect(),
        levels: levels::levels(&profiles, data, opcodes),
        resources: levels::resources(state, &profiles),
        decisions: levels::decisions(&profiles),
        changed: row.is_changed(),
        weight: row.weight,
        depth: None,
    })
}

fn state_build(build: Option<&BuildRow>, data: &Data) -> StateBuild {
    let Some(build) = build else { return StateBuild::Missing };
    match data.profiles.get(&build.profile_id) {
        Some(profile) if profile.status != "ok" => StateBuild::Failed {
            status: view::status(&profile.status),
            message: profile.message.clone().unwrap_or_default(),
        },
        _ => StateBuild::Built {
            toolchain: data.toolchains.get(&build.toolchain_id).cloned().unwrap_or_default(),
            artifacts: data.artifacts.get(&build.lowering_id).cloned().unwrap_or_default(),
            config: data.variants.get(&build.variant_id).map(|variant| variant.config.clone()).unwrap_or_default(),
            reconstruction: data.reconstructions.get(&build.config_id).cloned(),
            metrics: std::collections::BTreeMap::new(),
        },
    }
}
