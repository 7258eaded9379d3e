//! Builds that would share one identity: the same build twice, or two configs whose label says too little.
//!
//! A label made here is lengthened step by step, each step only for builds that still share one: by options in which
//! they differ, by constants of their IR in which they differ, and at last by a digest of their IR.

use std::collections::{BTreeMap, BTreeSet};

use lowerline_shared::{
    ids::{self, ConfigLabel},
    stage::Stage,
};
use serde_json::Value;

use super::{Found, label};

/// What came of it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Builds that were there twice with the same bytes, left out once.
    pub duplicates: u64,
    /// Sentences for the caller.
    pub notes: Vec<String>,
    /// Builds left out because another one of the same name and other bytes came first.
    pub conflicts: Vec<Found>,
}

/// Options that every label names already.
const NAMED: [&str; 3] = ["num_warps", "num_stages", "num_ctas"];

/// Longest part that a step may add; a longer one is named by its digest.
const SUFFIX_CHARS: usize = 64;

/// Groups of more than one build by identity, as indices.
fn groups(builds: &[Found]) -> Vec<Vec<usize>> {
    let mut by_identity: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, found) in builds.iter().enumerate() {
        let build = &found.build;
        by_identity.entry((&build.kernel, &build.target, &build.config.label)).or_default().push(index);
    }
    by_identity.into_values().filter(|group| group.len() > 1).collect()
}

/// Removes builds by index and returns them.
fn take(builds: &mut Vec<Found>, indices: &BTreeSet<usize>) -> Vec<Found> {
    let (taken, kept): (Vec<_>, Vec<_>) =
        std::mem::take(builds).into_iter().enumerate().partition(|(index, _)| indices.contains(index));
    *builds = kept.into_iter().map(|(_, found)| found).collect();
    taken.into_iter().map(|(_, found)| found).collect()
}

/// Indices of builds that an earlier one of their group equals byte for byte.
fn duplicates(builds: &[Found]) -> BTreeSet<usize> {
    let same = |a: &Found, b: &Found| a.build.artifacts == b.build.artifacts && a.build.status == b.build.status;
    let mut out = BTreeSet::new();
    for group in groups(builds) {
        let members: Vec<(usize, &Found)> =
            group.into_iter().filter_map(|index| Some((index, builds.get(index)?))).collect();
        for (n, (index, found)) in members.iter().enumerate() {
            if members.iter().take(n).any(|(_, earlier)| same(earlier, found)) {
                out.insert(*index);
            }
        }
    }
    out
}

/// `kpack-2_enable_fp_fusion-false`: options in which the group differs.
fn options(group: &[&Found]) -> Vec<String> {
    let value = |found: &Found, key: &str| found.build.config.options.get(key).cloned();
    let keys: BTreeSet<&String> = group.iter().flat_map(|found| found.build.config.options.keys()).collect();
    let differ = |key: &str| group.windows(2).any(|pair| matches!(pair, [a, b] if value(a, key) != value(b, key)));
    let keys: Vec<&String> = keys.into_iter().filter(|key| !NAMED.contains(&key.as_str()) && differ(key)).collect();
    let spelled = |found: &Found, key: &str| match value(found, key) {
        None => format!("{key}-unset"),
        Some(Value::String(text)) => format!("{key}-{text}"),
        Some(value) => format!("{key}-{value}"),
    };
    group.iter().map(|found| keys.iter().map(|key| spelled(found, key)).collect::<Vec<_>>().join("_")).collect()
}

/// `const4`: constants that not every build of the group has.
fn constants(group: &[&Found]) -> Vec<String> {
    let sets: Vec<BTreeSet<String>> = group.iter().map(|found| found.derived.clone().unwrap_or_default()).collect();
    let in_all = |constant: &String| sets.iter().all(|set| set.contains(constant));
    let own = |set: &BTreeSet<String>| set.iter().filter(|constant| !in_all(constant)).cloned().collect::<Vec<_>>();
    sets.iter()
        .map(own)
        .map(|own| if own.is_empty() { own.concat() } else { format!("const{}", own.join(".")) })
        .collect()
}

/// The first digits of the digest of the stage that tells two configs of one source apart first.
fn digests(group: &[&Found]) -> Vec<String> {
    let digest = |found: &&Found| {
        let artifacts = &found.build.artifacts;
        let of = |stage| artifacts.iter().find(|artifact| artifact.stage == stage);
        let artifact = [Stage::Ttir, Stage::Ttgir, Stage::Source].into_iter().find_map(of).or(artifacts.first());
        artifact.map_or_else(String::new, |artifact| label::short_digest(&artifact.digest.0))
    };
    group.iter().map(digest).collect()
}

fn lengthen(found: &mut Found, suffix: &str) {
    if suffix.is_empty() {
        return;
    }
    let plain: String =
        suffix.chars().map(|c| if c.is_ascii_alphanumeric() || "._-+".contains(c) { c } else { '-' }).collect();
    let suffix = if plain.len() > SUFFIX_CHARS { label::short_digest(suffix.as_bytes()) } else { plain };
    let label: Result<ConfigLabel, _> = format!("{}_{suffix}", found.build.config.label).parse();
    // A label has room for the steps there are; a longer one would stay as it is and be reported as a conflict.
    if let Ok(label) = label {
        found.build.config.label = label;
    }
}

/// One step: lengthens labels of every group whose labels were made here. Returns how many groups it met.
fn step(builds: &mut [Found], suffixes: fn(&[&Found]) -> Vec<String>) -> Vec<Vec<usize>> {
    let mut met = Vec::new();
    for group in groups(builds) {
        let members: Vec<&Found> = group.iter().filter_map(|index| builds.get(*index)).collect();
        if members.iter().any(|found| found.derived.is_none()) {
            continue;
        }
        for (index, suffix) in group.iter().zip(suffixes(&members)) {
            if let Some(found) = builds.get_mut(*index) {
                lengthen(found, &suffix);
            }
        }
        met.push(group);
    }
    met
}

/// Drops builds that are there twice, and lengthens labels made here until each names one build.
///
/// Artifacts must have their digests.
pub fn tell_apart(builds: &mut Vec<Found>) -> Outcome {
    let mut outcome = Outcome::default();
    let twice = duplicates(builds);
    outcome.duplicates = twice.len() as u64;
    take(builds, &twice);
    step(builds, options);
    step(builds, constants);
    for group in step(builds, digests) {
        let Some(found) = group.first().and_then(|index| builds.get(*index)) else { continue };
        outcome.notes.push(format!(
            "{} builds of {} for {} look alike in options, signature and constants; a digest of their IR tells them apart, \
             so each starts a new history whenever its IR changes. A cache holds what every run left: push a fresh one \
             (TRITON_CACHE_DIR), or record builds with a build.json to name configs yourself",
            group.len(),
            ids::shown(found.build.kernel.as_str()),
            found.build.target
        ));
    }
    // What is alike even now cannot be one push: the server would refuse all of it.
    let rest = groups(builds).into_iter().flat_map(|group| group.into_iter().skip(1)).collect();
    outcome.conflicts = take(builds, &rest);
    outcome
}
