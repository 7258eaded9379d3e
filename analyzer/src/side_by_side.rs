//! Builds side by side from the reports of their artifacts, as a server answers from its tables: for builds that were
//! never pushed.

use std::collections::BTreeMap;

use lowerline_shared::{
    agreement::{self, Difference},
    api::{Counts, DecisionRow, Disagreement, FamilyRow, LevelTable, OpcodeRow, ResourceRow},
    comparison::{self, order_opcodes},
    decision_measure::DecisionValues,
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
    decisions: DecisionValues,
    /// What SASS text and cubin count differently.
    disagreements: Vec<Difference>,
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
    let of = |stage: Stage| {
        let mut of_stage: Vec<_> = parts.iter().filter(|part| part.0 == stage).collect();
        of_stage.sort_by_key(|part| part.1);
        of_stage.into_iter()
    };
    let machine = parts.iter().filter_map(|part| Some(((part.0.machine_rank()?, part.1), part)));
    let mut machine: Vec<_> = machine.collect();
    machine.sort_by_key(|(rank, _)| *rank);
    let machine = machine.into_iter().find_map(|(_, (stage, _, report))| {
        let level = if matches!(stage, Stage::Sass | Stage::Cubin) { Stage::Sass } else { Stage::Amdgcn };
        Some((level, report, Histogram::of(report)?))
    });
    let mut resources = Resources::new();
    let mut ordered: Vec<_> = parts.iter().collect();
    ordered.sort_by_key(|(stage, form, _)| (stage.resource_rank(), std::cmp::Reverse(*form)));
    for (_, _, report) in ordered {
        resources.extend(report.resources.iter().map(|(resource, value)| (*resource, *value)));
    }
    resources.extend(pushed.iter().map(|(resource, value)| (*resource, *value)));
    let of_machine = machine.as_ref().map(|(_, report, _)| **report);
    let mut named = of_machine.into_iter().chain(parts.iter().map(|(_, _, report)| *report));
    if let Some(target) = named.find_map(|report| report.target.as_deref()?.parse().ok()) {
        occupancy::add(&target, &mut resources);
    }
    let values: Vec<(Stage, DecisionValues)> = parts
        .iter()
        .filter(|(_, form, _)| form.is_empty())
        .map(|(stage, _, report)| (*stage, DecisionValues::of_report(report)))
        .collect();
    let stages = resources.get(&Resource::Stages).copied();
    let decisions = DecisionValues::of_build(values.iter().map(|(stage, values)| (*stage, values)), stages);
    let counted = |stage: Stage| of(stage).find_map(|(_, _, report)| Histogram::of(report));
    let twice = counted(Stage::Sass).zip(counted(Stage::Cubin));
    Counted {
        ptx: counted(Stage::Ptx),
        machine: machine.map(|(level, _, histogram)| (level, histogram)),
        resources,
        decisions,
        disagreements: twice.map(|(text, cubin)| disagreements(&text, &cubin)).unwrap_or_default(),
    }
}

fn disagreements(text: &Histogram, cubin: &Histogram) -> Vec<Difference> {
    let count = |row: &OpcodeCount| i64::try_from(row.counts.function).unwrap_or(i64::MAX);
    let in_text = text.rows.iter().map(|row| (row.opcode.as_str(), count(row), 0));
    let in_cubin = cubin.rows.iter().map(|row| (row.opcode.as_str(), 0, count(row)));
    agreement::differences(in_text.chain(in_cubin))
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
    let mut levels: Vec<LevelTable> = stages.filter_map(|stage| level(stage, &at(stage), scope)).collect();
    if let Some(sass) = levels.iter_mut().find(|level| level.stage == Stage::Sass) {
        let of_state = |(n, build): (usize, Option<&Counted>)| {
            let found = build.into_iter().flat_map(|build| &build.disagreements);
            found.map(|one| Disagreement::in_state(n, one)).collect::<Vec<_>>()
        };
        sass.disagreements = builds.iter().copied().enumerate().flat_map(of_state).collect();
    }
    levels
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

/// Decisions known of any build.
pub fn decisions(builds: &[Option<&Counted>]) -> Vec<DecisionRow> {
    let values: Vec<_> = builds.iter().map(|build| build.map(|build| &build.decisions)).collect();
    comparison::decisions(&values)
}
