//! The part of a report that a stage strip needs, and what differs between two of them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::{
    ids::Digest,
    report::{OpcodeCount, sum_opcodes},
    strip::{CHANGES, OperationChange, StageDifference, StageFacts},
};

/// The part of a report that a stage strip needs: the browser reads no more of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ReportExcerpt {
    /// See [`crate::report::Report::normal_digest`].
    #[serde(default)]
    pub normal_digest: Option<Digest>,
    /// See [`crate::report::Report::ops`].
    #[serde(default)]
    pub ops: BTreeMap<String, u64>,
    /// See [`crate::report::Report::ops_in_loop`].
    #[serde(default)]
    pub ops_in_loop: BTreeMap<String, u64>,
    /// See [`crate::report::Report::functions`].
    #[serde(default)]
    pub functions: Vec<FunctionExcerpt>,
}

/// The part of a function's report that a stage strip needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct FunctionExcerpt {
    /// See [`crate::report::FunctionReport::canonical`].
    #[serde(default)]
    pub canonical: Vec<OpcodeCount>,
    /// See [`crate::report::FunctionReport::ops_by_loop`].
    #[serde(default)]
    pub ops_by_loop: BTreeMap<String, BTreeMap<String, u64>>,
    /// See [`crate::report::FunctionReport::loops`].
    #[serde(default)]
    pub loops: Vec<LoopExcerpt>,
}

/// The part of a loop's report that a stage strip needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct LoopExcerpt {
    /// See [`crate::report::LoopReport::source`].
    #[serde(default)]
    pub source: Option<String>,
}

impl ReportExcerpt {
    /// Opcodes of all functions, as [`crate::report::Report::histogram`], by opcode and family.
    pub(super) fn histogram(&self) -> Vec<OpcodeCount> {
        sum_opcodes(self.functions.iter().flat_map(|function| &function.canonical))
    }

    /// Operations by the place of their innermost loop.
    fn places(&self) -> BTreeMap<&str, BTreeMap<&str, u64>> {
        let mut places: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
        for (place, ops) in self.functions.iter().flat_map(|function| &function.ops_by_loop) {
            let sums = places.entry(place).or_default();
            for (name, count) in ops {
                *sums.entry(name).or_default() += count;
            }
        }
        places
    }

    /// The place of the only loop; `None` when there are several or its place is not known.
    fn only_loop(&self) -> Option<&str> {
        let mut loops = self.functions.iter().flat_map(|function| &function.loops);
        let only = loops.next()?;
        loops.next().is_none().then_some(only.source.as_deref()).flatten()
    }
}

/// What differs between two reports of one stage, largest difference first.
pub fn operation_changes(a: &ReportExcerpt, b: &ReportExcerpt) -> Vec<OperationChange> {
    let read = |report: &ReportExcerpt| -> BTreeMap<String, (u64, Option<u64>)> {
        let ops = report
            .ops
            .iter()
            .map(|(name, count)| (name.clone(), (*count, Some(report.ops_in_loop.get(name).copied().unwrap_or(0)))));
        let mut out: BTreeMap<_, _> = ops.collect();
        for row in report.histogram() {
            let entry = out.entry(row.opcode).or_insert((0, Some(0)));
            entry.0 += row.counts.function;
            entry.1 = entry.1.map(|sum| sum + row.counts.r#loop);
        }
        out
    };
    let places = (a.places(), b.places());
    let only = a.only_loop().filter(|place| b.only_loop() == Some(place));
    let (a, b) = (read(a), read(b));
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let mut changes: Vec<OperationChange> = names
        .into_iter()
        .filter_map(|name| {
            let (before, loop_before) = a.get(name).copied().unwrap_or((0, Some(0)));
            let (now, loop_now) = b.get(name).copied().unwrap_or((0, Some(0)));
            let in_loop = loop_before.zip(loop_now);
            let place = place_of(name, &places).or_else(|| {
                let (before, now) = in_loop.filter(|(before, now)| before != now)?;
                Some((only?.to_owned(), before, now))
            });
            let change = OperationChange { name: name.clone(), before, now, in_loop, place };
            (before != now || loop_before != loop_now).then_some(change)
        })
        .collect();
    changes.sort_by_key(|change| std::cmp::Reverse(change.before.abs_diff(change.now)));
    changes
}

/// Operations by the place of their innermost loop, of two reports.
type Places<'a> = (BTreeMap<&'a str, BTreeMap<&'a str, u64>>, BTreeMap<&'a str, BTreeMap<&'a str, u64>>);

/// The loop that has most of the difference of an operation. Loops are the same when their place in the source is.
fn place_of(name: &str, (a, b): &Places<'_>) -> Option<(String, u64, u64)> {
    let places: BTreeSet<&&str> = a.keys().chain(b.keys()).collect();
    let count = |of: &BTreeMap<&str, BTreeMap<&str, u64>>, place: &str| {
        of.get(place).and_then(|ops| ops.get(name)).copied().unwrap_or(0)
    };
    let counts = places.into_iter().map(|place| (*place, count(a, place), count(b, place)));
    let (place, before, now) = counts.max_by_key(|(_, before, now)| now.abs_diff(*before))?;
    (before != now).then(|| (place.to_owned(), before, now))
}

/// What differs between two reports, for the strip. `states` are their numbers.
pub fn stage_difference(states: (usize, usize), a: &ReportExcerpt, b: &ReportExcerpt) -> StageDifference {
    let mut changes = operation_changes(a, b);
    let left_out = changes.len().saturating_sub(CHANGES) as u64;
    changes.truncate(CHANGES);
    let number = |state: usize| u32::try_from(state).unwrap_or(u32::MAX);
    StageDifference { states: (number(states.0), number(states.1)), changes, left_out }
}

/// What a report says of a stage, for the strip. Histograms are compared as they are, so their identity is the place of
/// the first equal one in `known`, which grows.
pub fn stage_facts(raw: Digest, report: &ReportExcerpt, known: &mut Vec<Vec<OpcodeCount>>) -> StageFacts {
    let histogram = report.histogram();
    let counted = histogram.iter().filter(|row| row.family.info().in_total).map(|row| row.counts.function);
    let amount: u64 = if histogram.is_empty() { report.ops.values().sum() } else { counted.sum() };
    let identity = (!histogram.is_empty()).then(|| {
        let place = known.iter().position(|other| *other == histogram).unwrap_or_else(|| {
            known.push(histogram);
            known.len() - 1
        });
        let mut bytes = [0_u8; 32];
        bytes.iter_mut().zip(place.to_be_bytes()).for_each(|(byte, part)| *byte = part);
        Digest(bytes)
    });
    StageFacts { raw, normal: report.normal_digest, histogram: identity, amount: (amount > 0).then_some(amount) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{family::Family, stage::Stage};

    #[test]
    fn an_excerpt_reads_whole_reports() {
        let mut report = crate::report::Report::new(1, Stage::Ptx);
        let counts = crate::report::ScopeCounts { function: 3, r#loop: 1, hot: 0 };
        let row = OpcodeCount { opcode: "bar.sync".to_owned(), family: Family::Barrier, counts };
        let function = crate::report::FunctionReport { canonical: vec![row], ..Default::default() };
        report.functions = vec![function.clone(), function];
        report.normal_digest = Some(Digest([7; 32]));
        let text = serde_json::to_string(&report).expect("JSON");
        let excerpt: ReportExcerpt = serde_json::from_str(&text).expect("an excerpt");
        assert_eq!(excerpt.histogram(), report.histogram());
        assert_eq!(excerpt.normal_digest, report.normal_digest);
    }

    #[test]
    fn operations_that_moved_are_named_largest_first() {
        let report = |converts: u64, in_loop: u64, loads: u64| ReportExcerpt {
            ops: [("ttg.convert_layout".to_owned(), converts), ("tt.load".to_owned(), loads)].into(),
            ops_in_loop: [("ttg.convert_layout".to_owned(), in_loop)].into(),
            ..ReportExcerpt::default()
        };
        let changes = operation_changes(&report(11, 5, 3), &report(7, 1, 4));
        assert_eq!(
            changes[0],
            OperationChange {
                name: "ttg.convert_layout".to_owned(),
                before: 11,
                now: 7,
                in_loop: Some((5, 1)),
                place: None
            }
        );
        assert_eq!(changes[1].name, "tt.load");
        assert_eq!(operation_changes(&report(1, 1, 1), &report(1, 1, 1)), []);
    }
}
