//! Builds that would share one identity: the same build twice, or two configs whose label says too little.

use std::collections::{BTreeMap, BTreeSet};

use lowerline_shared::{
    api::{ArtifactRef, BuildManifest},
    ids::ConfigLabel,
    stage::Stage,
};
use serde_json::Value;

use super::{Found, label};
use crate::output::escape;

/// What came of it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Builds that were there twice with the same bytes, left out once.
    pub duplicates: u64,
    /// Sentences for the caller.
    pub notes: Vec<String>,
    /// Indices of builds left out because another one of the same name and other bytes came first.
    pub conflicts: Vec<usize>,
}

/// Artifacts whose bytes are the identity of a build: machine code of one source differs between runs only in paths.
fn artifacts(build: &BuildManifest) -> &[ArtifactRef] {
    &build.artifacts
}

/// Options and values in which some builds of a group differ, spelled for a label.
fn differing_options(group: &[&Found]) -> Vec<String> {
    let keys: BTreeSet<&String> = group.iter().flat_map(|found| found.build.config.options.keys()).collect();
    let named = ["num_warps", "num_stages", "num_ctas"];
    keys.into_iter()
        .filter(|key| !named.contains(&key.as_str()))
        .filter(|key| {
            let mut values = group.iter().map(|found| found.build.config.options.get(*key));
            let first = values.next();
            values.any(|value| Some(value) != first)
        })
        .cloned()
        .collect()
}

fn spelled(key: &str, value: Option<&Value>) -> String {
    let value = match value {
        None => "unset".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    format!("{key}-{value}")
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' })
        .take(48)
        .collect()
}

/// The stage that tells two configs of one source apart first.
fn fingerprint(found: &Found) -> String {
    let order = [Stage::Ttir, Stage::Ttgir, Stage::Source];
    let digest =
        order.into_iter().find_map(|stage| artifacts(&found.build).iter().find(|artifact| artifact.stage == stage));
    let digest = digest.or_else(|| artifacts(&found.build).first());
    digest.map_or_else(|| "none".to_owned(), |artifact| label::short_digest(&artifact.digest.0))
}

fn relabel(found: &mut Found, suffix: &str) {
    let long = format!("{}_{suffix}", found.build.config.label);
    // A label that would become too long is named by its digest as a whole.
    let label: Option<ConfigLabel> =
        long.parse().ok().or_else(|| format!("config-{}", label::short_digest(long.as_bytes())).parse().ok());
    if let Some(label) = label {
        found.build.config.label = label;
    }
}

/// Groups of more than one build by identity, as indices.
fn groups(builds: &[Found]) -> Vec<Vec<usize>> {
    let mut by_identity: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, found) in builds.iter().enumerate() {
        let build = &found.build;
        by_identity.entry((&build.kernel, &build.target, &build.config.label)).or_default().push(index);
    }
    by_identity.into_values().filter(|group| group.len() > 1).collect()
}

/// Drops builds that are there twice, and lengthens labels made here until each names one build.
///
/// Artifacts must have their digests.
pub fn tell_apart(builds: &mut Vec<Found>) -> Outcome {
    let mut outcome = Outcome::default();
    let mut drop: BTreeSet<usize> = BTreeSet::new();
    for group in groups(builds) {
        for (n, index) in group.iter().enumerate() {
            let same = group.iter().take(n).any(|earlier| {
                !drop.contains(earlier)
                    && matches!((builds.get(*earlier), builds.get(*index)), (Some(a), Some(b))
                        if artifacts(&a.build) == artifacts(&b.build) && a.build.status == b.build.status)
            });
            if same {
                drop.insert(*index);
            }
        }
    }
    outcome.duplicates = drop.len() as u64;
    remove(builds, &drop);

    for group in groups(builds) {
        let members: Vec<&Found> = group.iter().filter_map(|index| builds.get(*index)).collect();
        if !members.iter().all(|found| found.derived) {
            continue;
        }
        let keys = differing_options(&members);
        for index in group {
            let Some(found) = builds.get_mut(index) else { continue };
            let suffix: Vec<String> =
                keys.iter().map(|key| spelled(key, found.build.config.options.get(key))).collect();
            if !suffix.is_empty() {
                relabel(found, &suffix.join("_"));
            }
        }
    }

    for group in groups(builds) {
        let Some(first) = group.first().and_then(|index| builds.get(*index)) else { continue };
        let (kernel, target, members) = (first.build.kernel.clone(), first.build.target.clone(), group.len());
        if group.iter().filter_map(|index| builds.get(*index)).all(|found| found.derived) {
            outcome.notes.push(format!(
                "{members} builds of {} for {target} look alike in options and signature; they are told apart by a digest \
                 of their IR and start a new history whenever it changes. A cache holds what every run left: push a fresh \
                 one (TRITON_CACHE_DIR), or record builds with a build.json to name configs yourself",
                escape(kernel.as_str())
            ));
            for index in group {
                if let Some(found) = builds.get_mut(index) {
                    let suffix = fingerprint(found);
                    relabel(found, &suffix);
                }
            }
        }
    }

    // What is alike even now cannot be one push: the server would refuse all of it.
    outcome.conflicts = groups(builds).into_iter().flat_map(|group| group.into_iter().skip(1)).collect();
    outcome
}

/// Removes the builds at these indices.
fn remove(builds: &mut Vec<Found>, indices: &BTreeSet<usize>) {
    let mut index = 0;
    builds.retain(|_| {
        index += 1;
        !indices.contains(&(index - 1))
    });
}
