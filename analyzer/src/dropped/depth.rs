//! Chosen builds in depth: where they begin to differ, and what was decided in each.

use std::collections::{BTreeMap, HashMap};

use lowerline_shared::{
    api::{BuildManifest, Depth},
    comparison::{ReportExcerpt, stage_difference, stage_facts},
    explain::{Account, explain},
    ids::Digest,
    report::Report,
    stage::Stage,
    strip::{Relation, StageFacts, strip},
    worker::FoundBuild,
};

use crate::{Limits, analyze_as};

/// The part of a report that the strip reads, as a page reads it.
fn excerpt(report: &Report) -> ReportExcerpt {
    let text = serde_json::to_string(report).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Reads and analyzes the main form of every stage of the builds.
pub fn depth(
    builds: &[&FoundBuild],
    manifests: &[Option<&BuildManifest>],
    read: &dyn Fn(&Digest) -> Option<Vec<u8>>,
) -> Depth {
    let mut known = Vec::new();
    let mut excerpts: HashMap<(Digest, Stage), ReportExcerpt> = HashMap::new();
    let mut states: Vec<BTreeMap<Stage, StageFacts>> = Vec::new();
    let mut accounts: Vec<Option<Account>> = Vec::new();
    for (n, build) in builds.iter().enumerate() {
        let mut facts = BTreeMap::new();
        let mut account = Account { options: options(manifests.get(n).copied().flatten()), ..Account::default() };
        for artifact in build.artifacts.iter().filter(|artifact| artifact.form.is_empty()) {
            let bytes = read(&artifact.digest).unwrap_or_default();
            let report = analyze_as(&bytes, artifact.stage, &Limits::default()).ok();
            let part = report.as_ref().map(excerpt).unwrap_or_default();
            facts.insert(artifact.stage, stage_facts(artifact.digest, &part, &mut known));
            excerpts.insert((artifact.digest, artifact.stage), part);
            if let Some(report) = report {
                account.add(report);
            }
        }
        accounts.push((build.failed.is_none() && !facts.is_empty()).then_some(account));
        states.push(facts);
    }
    let mut strip = strip(&states);
    if let Some((stage, first, last)) = strip.pair() {
        let of = |n: usize| excerpts.get(&(states.get(n)?.get(&stage)?.raw, stage));
        strip.difference = of(first).zip(of(last)).map(|(a, b)| stage_difference((first, last), a, b));
    }
    let one_source = strip.columns.iter().find(|column| column.stage == Stage::Source).is_some_and(|column| {
        let equal = |relation| matches!(relation, Relation::Equal | Relation::EqualButNames);
        column.cells.iter().flatten().all(|cell| equal(cell.relation))
    });
    Depth { strip, explanation: explain(&accounts), one_source, nearest: Vec::new() }
}

/// Options and compile-time constants as text. What is known of arguments stands in the IR.
fn options(manifest: Option<&BuildManifest>) -> BTreeMap<String, String> {
    let parts = manifest.into_iter().flat_map(|manifest| [&manifest.config.options, &manifest.config.constexprs]);
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    parts.flatten().map(|(name, value)| (name.clone(), text(value))).collect()
}
