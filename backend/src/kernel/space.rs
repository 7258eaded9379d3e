//! All configs of a kernel at one commit on one target.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lowerline_analyzer::occupancy;
use lowerline_shared::{
    api::{SpaceConfig, SpaceResponse},
    family::Family,
    ids::{Digest, TargetName, shown},
    limits,
    permalink::SpaceQuery,
    sieve::Sieved,
    space,
    stage::{Scope, Stage},
    target,
};

use serde::Deserialize;

use super::{Build, Place};
use crate::{
    db,
    error::{Refusal, Result},
    ingest::Project,
    state::AppState,
    view,
};

/// Stages that say which kernel it is, the best last: PTX and AMDGCN come before an assembler that is not deterministic.
const KERNEL_STAGES: [Stage; 6] = [Stage::Hsaco, Stage::Cubin, Stage::Sass, Stage::Llir, Stage::Amdgcn, Stage::Ptx];

/// Stages that are compared to find out where two lowerings become one.
const MEANING_STAGES: [Stage; 5] = [Stage::Ttir, Stage::Ttgir, Stage::Llir, Stage::Amdgcn, Stage::Ptx];

/// A config as its row holds it: without the label, which is its variant's.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ConfigBody {
    options: BTreeMap<String, serde_json::Value>,
    constexprs: BTreeMap<String, serde_json::Value>,
    attributes: BTreeMap<String, serde_json::Value>,
    reconstruction: Option<String>,
}

/// Answers a question about a config space.
pub async fn space(state: &AppState, project: &Project, key: &str, query: &SpaceQuery) -> Result<SpaceResponse> {
    let place = super::place(state, project, key, query.at.as_ref()).await?;
    let builds = super::builds(state, place.commit.id, &place.key).await?;
    let targets = targets(&builds);
    let target = match &query.target {
        Some(target) if targets.iter().any(|(found, _)| found == target) => target.clone(),
        Some(target) => {
            let what = format!("build of kernel `{}` on {target} at {}", shown(key), shown(&place.commit.sha));
            return Err(Refusal::not_found(what).hint("leave `target` out to see what there is").into());
        }
        // The first of several with equally many, in the order people list targets.
        None => targets.iter().rev().max_by_key(|(_, configs)| *configs).map(|(target, _)| target.clone()).ok_or_else(
            || Refusal::not_found(format!("build of kernel `{}` at {}", shown(key), shown(&place.commit.sha))),
        )?,
    };
    let mut chosen: Vec<&Build> = builds.iter().filter(|build| build.target == target).collect();
    chosen.sort_by_key(|build| natural(&build.config));
    let left_out = chosen.len().saturating_sub(limits::CONFIGS_PER_SPACE);
    chosen.truncate(limits::CONFIGS_PER_SPACE);
    let mut configs = configs(state, place.commit.id, &target, &chosen).await?;
    let limits = occupancy::limits(&target);
    let register_limit = limits.map(|limits| i64::from(limits.thread_registers));
    let summary = space::judge(&mut configs, register_limit);
    let Place { summary: kernel, commit, .. } = place;
    let mut answer = SpaceResponse {
        kernel,
        commit: view::commit(&state.pool, commit).await?,
        target,
        targets,
        shared_limit: limits.map(|limits| i64::from(limits.block_shared_bytes)),
        register_limit,
        configs,
        summary,
        left_out: left_out as u64,
        sieved: Sieved::default(),
    };
    space::narrow(&mut answer, &query.only);
    Ok(answer)
}

fn targets(builds: &[Build]) -> Vec<(TargetName, u64)> {
    let mut numbers: HashMap<&TargetName, u64> = HashMap::new();
    for build in builds {
        *numbers.entry(&build.target).or_default() += 1;
    }
    let mut out: Vec<(TargetName, u64)> = numbers.into_iter().map(|(target, n)| (target.clone(), n)).collect();
    out.sort_by_key(|(target, _)| target::sort_key(target));
    out
}

/// A key that sorts `s2` before `s10`.
fn natural(label: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let mut rest = label;
    while !rest.is_empty() {
        let word = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (text, behind) = rest.split_at(word);
        let digits = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        let (number, left) = behind.split_at(digits);
        parts.push((text.to_owned(), number.parse().unwrap_or(0)));
        rest = left;
    }
    parts
}

async fn configs(state: &AppState, commit_id: i32, target: &TargetName, builds: &[&Build]) -> Result<Vec<SpaceConfig>> {
    let pool = &state.pool;
    let profiles = super::profiles(state, builds).await?;
    let counts = super::counts(state, &profiles, Scope::Function).await?;
    let mut metrics = super::metrics(state, commit_id, builds).await?;
    let ids: Vec<i32> = builds.iter().map(|build| build.row.config_id).collect();
    let mut bodies: HashMap<i32, ConfigBody> = HashMap::new();
    for (id, body) in db::space::list_configs(pool, &ids).await? {
        bodies.insert(id, serde_json::from_value(body).map_err(anyhow::Error::from)?);
    }
    let digests = digests(state, builds).await?;
    builds
        .iter()
        .map(|build| {
            let profile = profiles.get(&build.row.profile_id);
            let resources =
                profile.map(|profile| state.codes.join(&profile.resource, &profile.resource_value)).unwrap_or_default();
            let body = bodies.get(&build.row.config_id);
            let machine = profile.and_then(|profile| profile.machine_id);
            let is_ok = profile.is_some_and(|profile| profile.status == "ok");
            let launch = super::launch(target, &resources);
            Ok(SpaceConfig {
                config: build.config.clone(),
                constexprs: body.map(|body| body.constexprs.clone()).unwrap_or_default(),
                options: body.map(|body| body.options.clone()).unwrap_or_default(),
                attributes: body.map(|body| body.attributes.clone()).unwrap_or_default(),
                status: profile.map(|profile| view::status(&profile.status)),
                message: profile.and_then(|profile| profile.message.clone()),
                reconstruction: body.and_then(|body| body.reconstruction.clone()),
                values: profile.map(|profile| view::decisions(&profile.decision)).unwrap_or_default(),
                instructions: counts.instructions(machine),
                tensor_compute: counts.family(machine, Family::TensorCompute),
                metrics: metrics.remove(&build.row.variant_id).unwrap_or_default(),
                kernel_digest: digests.get(&build.row.lowering_id).and_then(kernel_digest).filter(|_| is_ok),
                meanings: digests.get(&build.row.lowering_id).map(meanings).unwrap_or_default(),
                unlaunchable: launch.refused.filter(|_| is_ok),
                resources,
                ..SpaceConfig::default()
            })
        })
        .collect()
}

/// By lowering, the digests of meaning of its stages, in their main form.
async fn digests(state: &AppState, builds: &[&Build]) -> Result<HashMap<i32, BTreeMap<Stage, Digest>>> {
    let lowerings: Vec<i32> = builds.iter().map(|build| build.row.lowering_id).collect();
    let stages: BTreeSet<Stage> = KERNEL_STAGES.into_iter().chain(MEANING_STAGES).collect();
    let stages: Vec<String> = stages.into_iter().map(|stage| stage.id().to_owned()).collect();
    let mut out: HashMap<i32, BTreeMap<Stage, Digest>> = HashMap::new();
    for row in db::space::list_kernel_artifacts(&state.pool, &lowerings, &stages).await? {
        if let Some((stage, digest)) = Stage::from_id(&row.stage).zip(row.normal_digest) {
            // The main form comes first.
            out.entry(row.lowering_id).or_default().entry(stage).or_insert(view::digest(&digest)?);
        }
    }
    Ok(out)
}

fn kernel_digest(stages: &BTreeMap<Stage, Digest>) -> Option<Digest> {
    KERNEL_STAGES.iter().rev().find_map(|stage| stages.get(stage)).copied()
}

fn meanings(stages: &BTreeMap<Stage, Digest>) -> BTreeMap<Stage, Digest> {
    MEANING_STAGES.iter().filter_map(|stage| Some((*stage, *stages.get(stage)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_labels_sort_as_numbers() {
        let mut labels = ["s10_d1", "s2_d16", "s2_d4", "a", "s2"];
        labels.sort_by_key(|label| natural(label));
        assert_eq!(labels, ["a", "s2", "s2_d4", "s2_d16", "s10_d1"]);
    }
}
