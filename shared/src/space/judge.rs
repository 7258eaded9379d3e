//! Marks of configs, what a space costs, and spaces narrowed to configs of some decision.

use std::collections::{BTreeMap, HashMap};

use super::{COMPILE_SECONDS, varied};
use crate::{
    api::{BuildStatus, SameKernel, SpaceConfig, SpaceResponse, SpaceSummary},
    decision_filter::DecisionFilter,
    display,
    ids::Digest,
    report::Resource,
    sieve,
    stage::Stage,
};

/// Marks duplicates, spills and configs at the ceiling. Configs are taken in the order given: the first of several equal kernels is the
/// one that is kept. A config that cannot be launched is no duplicate.
pub fn judge(configs: &mut [SpaceConfig], register_limit: Option<i64>) -> SpaceSummary {
    let mut first: HashMap<Digest, usize> = HashMap::new();
    for n in 0..configs.len() {
        let Some(digest) = launched(&configs[n]) else { continue };
        let head = *first.entry(digest).or_insert(n);
        if head != n {
            configs[n].same_as = Some(configs[head].config.clone());
            configs[n].same_from = first_equal(&configs[head].meanings, &configs[n].meanings);
        }
    }
    for config in &mut *configs {
        let value = |resource| config.resources.get(&resource).copied().unwrap_or(0);
        config.spills = [Resource::VectorSpills, Resource::ScalarSpills, Resource::StackBytes]
            .into_iter()
            .any(|what| value(what) > 0);
        // ptxas keeps one register back: 254 and 255 are both the ceiling of 255.
        config.at_ceiling = register_limit.is_some_and(|limit| value(Resource::Registers) >= limit - 1);
    }
    sum_up(configs)
}

/// Keeps the configs that pass every filter and sums up what is left; marks stay as they are in the whole space. What is left out is
/// counted, and apart from it what is left out because a decision is not known.
pub fn narrow(answer: &mut SpaceResponse, only: &[DecisionFilter]) {
    answer.sieved = sieve::sift(&mut answer.configs, only, |config| &config.values);
    answer.summary = sum_up(&answer.configs);
}

/// The stage from which on two lowerings are equal, down to the last stage that both have; `None` when that one differs, or no stage is
/// known of both.
fn first_equal(a: &BTreeMap<Stage, Digest>, b: &BTreeMap<Stage, Digest>) -> Option<Stage> {
    let both = a.iter().rev().filter_map(|(stage, digest)| Some((*stage, b.get(stage)? == digest)));
    both.take_while(|(_, is_equal)| *is_equal).last().map(|(stage, _)| stage)
}

/// What kernel a launch would run; `None` for a config that cannot be launched, or of whose kernel nothing is known.
fn launched(config: &SpaceConfig) -> Option<Digest> {
    config.kernel_digest.filter(|_| config.unlaunchable.is_none())
}

fn sum_up(configs: &[SpaceConfig]) -> SpaceSummary {
    let mut summary = SpaceSummary { configs: configs.len() as u64, ..SpaceSummary::default() };
    let mut first: HashMap<Digest, usize> = HashMap::new();
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (n, config) in configs.iter().enumerate() {
        if let Some(digest) = launched(config) {
            groups.entry(*first.entry(digest).or_insert(n)).or_default().push(n);
        }
        let failed = config.status.is_some_and(|status| status != BuildStatus::Ok);
        let dead = config.unlaunchable.is_some();
        let duplicate = config.same_as.is_some();
        summary.failed += u64::from(failed);
        summary.dead += u64::from(dead);
        summary.duplicates += u64::from(duplicate);
        summary.spilling += u64::from(config.spills);
        summary.at_ceiling += u64::from(config.at_ceiling);
        if let Some(seconds) = config.metrics.get(COMPILE_SECONDS) {
            summary.timed += 1;
            summary.seconds += seconds;
            summary.wasted_seconds += if failed || dead || duplicate { *seconds } else { 0.0 };
        }
    }
    summary.same = groups.into_values().filter(|group| group.len() > 1).map(|group| same(configs, &group)).collect();
    summary.sentence = sentence(&summary);
    summary
}

fn same(configs: &[SpaceConfig], group: &[usize]) -> SameKernel {
    let members: Vec<SpaceConfig> = group.iter().map(|&n| configs[n].clone()).collect();
    SameKernel {
        configs: members.iter().map(|config| config.config.clone()).collect(),
        inert: varied(&members).into_iter().map(|(name, _)| name).collect(),
    }
}

fn sentence(summary: &SpaceSummary) -> String {
    let SpaceSummary { configs, failed, dead, duplicates, timed, seconds, wasted_seconds, .. } = summary;
    if *configs == 0 {
        return "There is no config here.".to_owned();
    }
    let useless = failed + dead + duplicates;
    let mut parts = Vec::new();
    for (number, what) in [(dead, "cannot be launched"), (failed, "did not compile")] {
        if *number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    if *duplicates > 0 {
        parts.push(match duplicates {
            1 => "1 is the same kernel as another".to_owned(),
            more => format!("{more} are the same kernel as another"),
        });
    }
    let cost = match timed {
        0 => display::plural(*configs, "config"),
        _ => {
            let known = if timed == configs { String::new() } else { format!(" ({timed} of them timed)") };
            format!(
                "Compiling {}{known} took {} s",
                display::plural(*configs, "config"),
                display::number(round(*seconds))
            )
        }
    };
    if parts.is_empty() {
        return format!("{cost}; none is dead or a duplicate.");
    }
    let share = display::share(useless, *configs);
    let wasted = match timed {
        0 => String::new(),
        _ => format!(", {} s", display::number(round(*wasted_seconds))),
    };
    format!("{cost}. {useless} of them ({share}{wasted}) were for nothing: {}.", parts.join(", "))
}

fn round(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}
