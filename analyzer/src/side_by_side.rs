//! Builds side by side from the reports of their artifacts, as a server answers from its tables: for builds that were
//! never pushed.

use std::collections::BTreeMap;

use lowerline_shared::{
    api::{Counts, FamilyRow, LevelTable, OpcodeRow, ResourceRow},
    comparison::order_opcodes,
    family::Family,
    report::{OpcodeCount, Report, Resource, Resources},
    stage::{Scope, Stage},
};

use crate::occupancy;

/// What of one build can be counted.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    ptx: Option<Histogram>,
    machine: Option<(Stage, Histogram)>,
    resources: Resources,
}

#[derive(Clone, Debug)]
struct Histogram {
    rows: Vec<OpcodeCount>,
    source: Option<String>,
}

impl Histogram {
    fn of(report: &Report) -> Option<Self> {
        let rows = report.histogram();
        (!rows.is_empty()).then(|| Self { rows, source: report.source.clone() })
    }

    fn family(&self, family: Family, scope: Scope) -> i64 {
        let of_it = self.rows.iter().filter(|row| row.family == family);
        of_it.map(|row| i64::try_from(row.counts.get(scope)).unwrap_or(i64::MAX)).sum()
    }

    fn instructions(&self, scope: Scope) -> i64 {
        let families = Family::ALL.into_iter().filter(|family| family.info().in_total);
        families.map(|family| self.family(family, scope)).sum()
    }
}

/// Counts one build from its artifacts' stages, forms and reports. What the compiler's metadata says about resources wins
/// over what the artifacts say.
pub fn count(parts: &[(Stage, &str, &Report)], pushed: &Resources) -> Counted {
    let of = |stage: Stage| parts.iter().filter(move |part| part.0 == stage).min_by_key(|part| part.1);
    let machine = parts.iter().filter_map(|part| Some(((part.0.machine_rank()?, part.1), part)));
    let mut machine: Vec<_> = machine.collect();
    machine.sort_by_key(|(rank, _)| *rank);
    let machine = machine.into_iter().find_map(|(_, (stage, _, report))| {
        let level = if matches!(stage, Stage::Sass | Stage::Cubin) { Stage::Sass } else { Stage::Amdgcn };
        Some((level, Histogram::of(report)?))
    });
    let mut resources = Resources::new();
    let mut ordered: Vec<_> = parts.iter().collect();
    ordered.sort_by_key(|(stage, form, _)| (stage.resource_rank(), std::cmp::Reverse(*form)));
    for (_, _, report) in ordered {
        resources.extend(report.resources.iter().map(|(resource, value)| (*resource, *value)));
    }
    resources.extend(pushed.iter().map(|(resource, value)| (*resource, *value)));
    if let Some(target) = parts.iter().find_map(|(_, _, report)| report.target.as_deref()?.parse().ok()) {
        occupancy::add(&target, &mut resources);
    }
    Counted { ptx: of(Stage::Ptx).and_then(|(_, _, report)| Histogram::of(report)), machine, resources }
}

impl Counted {
    fn at(&self, level: Stage) -> Option<&Histogram> {
        match level {
            Stage::Ptx => self.ptx.as_ref(),
            _ => self.machine.as_ref().filter(|(stage, _)| *stage == level).map(|(_, histogram)| histogram),
        }
    }

    /// Instructions of the lowest level there is; `None` when nothing was counted.
    pub fn instructions(&self) -> Option<u64> {
        let lowest = self.machine.as_ref().map(|(_, histogram)| histogram).or(self.ptx.as_ref())?;
        u64::try_from(lowest.instructions(Scope::Function)).ok()
    }
}

/// PTX, then the machine levels; a level that no build has is left out. `None` stands for a build that failed.
pub fn levels(builds: &[Option<&Counted>], scope: Scope) -> Vec<LevelTable> {
    let at = |stage: Stage| builds.iter().map(|build| (*build)?.at(stage)).collect::<Vec<_>>();
    let stages = [Stage::Ptx, Stage::Sass, Stage::Amdgcn].into_iter();
    stages.filter_map(|stage| level(stage, &at(stage), scope)).collect()
}

fn level(stage: Stage, histograms: &[Option<&Histogram>], scope: Scope) -> Option<LevelTable> {
    histograms.iter().any(Option::is_some).then_some(())?;
    let families = Family::ALL.into_iter().map(|family| FamilyRow {
        family,
        counts: histograms.iter().map(|histogram| Some(histogram.as_ref()?.family(family, scope))).collect(),
        opcodes: opcodes(family, histograms, scope),
    });
    Some(LevelTable {
        stage,
        sources: histograms.iter().map(|histogram| histogram.as_ref()?.source.clone()).collect(),
        instructions: histograms.iter().map(|histogram| Some(histogram.as_ref()?.instructions(scope))).collect(),
        disagreements: Vec::new(),
        families: families.filter(|row| row.counts.iter().any(|count| count.is_some_and(|n| n > 0))).collect(),
    })
}

fn opcodes(family: Family, histograms: &[Option<&Histogram>], scope: Scope) -> Vec<OpcodeRow> {
    let mut rows: BTreeMap<&str, Counts> = BTreeMap::new();
    for (n, histogram) in histograms.iter().enumerate() {
        let Some(histogram) = histogram else { continue };
        for row in histogram.rows.iter().filter(|row| row.family == family) {
            let count = i64::try_from(row.counts.get(scope)).unwrap_or(i64::MAX);
            if count > 0 {
                let counts = rows
                    .entry(&row.opcode)
                    .or_insert_with(|| histograms.iter().map(|histogram| histogram.map(|_| 0)).collect());
                if let Some(at) = counts.get_mut(n) {
                    *at = Some(count);
                }
            }
        }
    }
    let mut rows: Vec<OpcodeRow> =
        rows.into_iter().map(|(opcode, counts)| OpcodeRow { opcode: opcode.to_owned(), counts }).collect();
    order_opcodes(&mut rows);
    rows
}

/// Resources known of any build.
pub fn resources(builds: &[Option<&Counted>]) -> Vec<ResourceRow> {
    let rows = Resource::ALL.into_iter().map(|resource| ResourceRow {
        resource,
        values: builds.iter().map(|build| build.as_ref()?.resources.get(&resource).copied()).collect(),
    });
    rows.filter(|row| row.values.iter().any(Option::is_some)).collect()
}
