//! Arithmetic of states side by side: what moved, by how much, with which share. Levels are never added, but by a
//! saved view that says so.

use std::collections::BTreeSet;

mod excerpt;

pub use excerpt::{FunctionExcerpt, LoopExcerpt, ReportExcerpt, operation_changes, stage_difference, stage_facts};

use crate::{
    api::{
        BuildComparison, Counts, DecisionRow, FamilyRow, LevelTable, OpcodeRow, ResourceRow, StateBuild, StateInfo,
        TargetChange,
    },
    decision_measure::{DecisionMeasure, DecisionValues},
    family::{Family, META_FAMILIES, MetaFamily},
    ids::shown,
    permalink::CompareQuery,
    stage::Stage,
    table::{Cell, Table},
};

/// One family over all levels of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FamilyLine<'a> {
    /// The family.
    pub family: Family,
    /// Its row by level; `None` where the family has no count in any state of the level.
    pub rows: Vec<Option<&'a FamilyRow>>,
}

/// Whether two states know different values.
pub fn has_moved(counts: &[Option<i64>]) -> bool {
    let mut known = counts.iter().flatten();
    known.next().is_some_and(|first| known.any(|value| value != first))
}

/// The difference of a state to the first one; `None` when either is not known.
pub fn difference(counts: &[Option<i64>], state: usize) -> Option<i64> {
    let first = counts.first().copied().flatten()?;
    let value = counts.get(state).copied().flatten()?;
    Some(value.saturating_sub(first))
}

/// The first state with a count, and the one whose count is farthest from it; twice the first where no other has one.
pub fn farthest(counts: &[Option<i64>]) -> Option<(usize, usize)> {
    let mut known = counts.iter().enumerate().filter_map(|(n, count)| Some((n, (*count)?)));
    let (first, base) = known.next()?;
    // Of equally far ones the later: `max_by_key` takes the last.
    let other = known.max_by_key(|(_, count)| count.abs_diff(base));
    Some((first, other.map_or(first, |(n, _)| n)))
}

/// The largest distance of any state to the first.
pub fn largest_change(counts: &[Option<i64>]) -> u64 {
    (1..counts.len()).filter_map(|state| difference(counts, state)).map(i64::unsigned_abs).max().unwrap_or(0)
}

/// Sum over the families of a level of the distance of one state to the first: the whole that shares are parts of.
pub fn level_change(level: &LevelTable, state: usize) -> u64 {
    let parts = level.families.iter().filter_map(|row| difference(&row.counts, state));
    parts.map(i64::unsigned_abs).fold(0, u64::saturating_add)
}

/// Families of all levels: those that moved, largest change at the lowest level first, and those that did not, in the
/// order of the taxonomy.
pub fn family_lines(levels: &[LevelTable]) -> (Vec<FamilyLine<'_>>, Vec<FamilyLine<'_>>) {
    let lines = Family::ALL.into_iter().filter_map(|family| {
        let find = |level: &'_ LevelTable| level.families.iter().position(|row| row.family == family);
        let rows: Vec<Option<&FamilyRow>> =
            levels.iter().map(|level| find(level).and_then(|n| level.families.get(n))).collect();
        rows.iter().any(Option::is_some).then_some(FamilyLine { family, rows })
    });
    let (mut moved, still): (Vec<_>, Vec<_>) =
        lines.partition(|line| line.rows.iter().flatten().any(|row| has_moved(&row.counts)));
    moved.sort_by_key(|line| {
        let changes = line.rows.iter().rev().map(|row| row.map_or(0, |row| largest_change(&row.counts)));
        std::cmp::Reverse(changes.collect::<Vec<_>>())
    });
    (moved, still)
}

/// Puts the opcodes of a family in the order they are shown: those that moved most first.
pub fn order_opcodes(rows: &mut [OpcodeRow]) {
    rows.sort_by_key(|row| {
        let known = || row.counts.iter().flatten();
        let spread = known().max().unwrap_or(&0) - known().min().unwrap_or(&0);
        (std::cmp::Reverse(spread), std::cmp::Reverse(known().max().copied()))
    });
}

/// The sum a saved view shows, by state; `None` where a stage of the view is missing at a state. Which stages and
/// families are summed is the view's definition.
pub fn saved_view(levels: &[LevelTable], view: &MetaFamily, states: usize) -> Counts {
    (0..states)
        .map(|state| {
            view.stages.iter().try_fold(0_i64, |sum, stage| {
                let level = levels.iter().find(|level| level.stage == *stage)?;
                level.instructions.get(state).copied().flatten()?;
                let families = level.families.iter().filter(|row| view.families.contains(&row.family));
                let counts = families.map(|row| row.counts.get(state).copied().flatten().unwrap_or(0));
                Some(sum.saturating_add(counts.sum::<i64>()))
            })
        })
        .collect()
}

/// Name of a state: tag or short hash of its commit, with the config, target and kernel when it has its own.
pub fn state_name(state: &StateInfo) -> String {
    let config = state.config.as_ref().map(|config| format!(":{}", shown(config)));
    format!("{}{}{}", state.commit.name(), config.unwrap_or_default(), own_build(state))
}

/// Target and kernel of a state that has its own.
fn own_build(state: &StateInfo) -> String {
    let target = state.target.as_ref().map(|target| format!(" on {target}"));
    let kernel = state.kernel.as_ref().map(|kernel| format!(" of {}", shown(kernel)));
    format!("{}{}", target.unwrap_or_default(), kernel.unwrap_or_default())
}

/// Names for the columns of one build: a config that only adds to the build's is told by what it adds,
/// `3.5.0 + injected-convert` for `128x64_w8_s2_injected-convert` beside `128x64_w8_s2`.
pub fn column_names(states: &[StateInfo], config: &str) -> Vec<String> {
    let name = |state: &StateInfo| {
        let added = state.config.as_deref().and_then(|own| own.strip_prefix(config));
        let added = added.map(|added| added.trim_start_matches(['_', '-', ' ']));
        match added {
            Some("") => format!("{}{}", state.commit.name(), own_build(state)),
            Some(added) => format!("{} + {}{}", state.commit.name(), shown(added), own_build(state)),
            None => state_name(state),
        }
    };
    states.iter().map(name).collect()
}

/// What a state was compiled with, `None` for a state without a build.
pub fn state_toolchain(build: &StateBuild) -> Option<&crate::api::Toolchain> {
    match build {
        StateBuild::Built { toolchain, .. } => Some(toolchain),
        StateBuild::Failed { .. } | StateBuild::Missing => None,
    }
}

/// Versions of every tool over the states, by name of the tool; `None` where a state has no build or does not say.
pub fn toolchain_rows(states: &[StateBuild]) -> Vec<(String, Vec<Option<String>>)> {
    let chains: Vec<_> = states.iter().map(state_toolchain).collect();
    let tools: BTreeSet<&String> = chains.iter().flatten().flat_map(|chain| chain.keys()).collect();
    let row = |tool: &String| {
        let versions = chains.iter().map(|chain| chain.and_then(|chain| chain.get(tool)).cloned());
        (tool.clone(), versions.collect())
    };
    tools.into_iter().map(row).collect()
}

/// Variants of a target that have a counterpart at the parent: what "n of m changed" is out of. Failed builds are among
/// them, since one that fails where it compiled before, or compiles again, has changed.
pub const fn compared(change: &TargetChange) -> u64 {
    change.builds.saturating_sub(change.added)
}

/// Builds and failed ones over all targets.
pub fn builds_of(changes: &[TargetChange]) -> (u64, u64) {
    changes.iter().fold((0, 0), |(builds, failed), change| (builds + change.builds, failed + change.failed))
}

/// Decisions known in any state; `None` for a state without the build.
pub fn decisions(states: &[Option<&DecisionValues>]) -> Vec<DecisionRow> {
    let row = |measure| DecisionRow {
        measure,
        values: states.iter().map(|known| known.as_ref()?.get(measure).cloned()).collect(),
    };
    DecisionMeasure::ALL.into_iter().map(row).filter(|row| row.values.iter().any(Option::is_some)).collect()
}

fn resource_row(row: &ResourceRow) -> Vec<Cell> {
    let head = ["resource", row.resource.label()].map(|text| Cell::Text(text.to_owned()));
    let first = row.values.first().copied().flatten();
    let values = row.values.iter().map(|value| Cell::resource(row.resource, *value));
    let differences = row.values.iter().skip(1).map(|value| Cell::resource_difference(row.resource, first, *value));
    head.into_iter().chain(values).chain(differences).collect()
}

fn cells(counts: &[Option<i64>]) -> impl Iterator<Item = Cell> + '_ {
    let values = counts.iter().map(|value| Cell::count(*value));
    let differences = (1..counts.len()).map(|n| difference(counts, n).map_or(Cell::Nothing, Cell::Difference));
    values.chain(differences)
}

/// Value of `view` in an address that shows the sums over PTX and SASS.
pub const SUMS: &str = "ptx+sass";

/// A comparison of one build as a table that leaves the page: toolchain, resources, the saved sums when the page shows them,
/// then every family of every level, with the opcodes of those that are open on the page.
pub fn export(build: &BuildComparison, states: &[String], title: String, page: &CompareQuery) -> Table {
    let mut columns = vec!["Level".to_owned(), "Measure".to_owned()];
    columns.extend(states.iter().cloned());
    columns.extend(states.iter().skip(1).map(|name| format!("Δ {name}")));
    let row_of = |level: &str, name: &str, counts: &[Option<i64>]| {
        [Cell::Text(level.to_owned()), Cell::Text(name.to_owned())].into_iter().chain(cells(counts)).collect()
    };
    let resources = build.resources.iter().map(resource_row);
    let toolchain = toolchain_rows(&build.states).into_iter().map(|(tool, versions)| {
        let head = [Cell::Text("toolchain".to_owned()), Cell::Text(tool)].into_iter();
        let versions = versions.into_iter().map(|version| version.map_or(Cell::Nothing, Cell::Text));
        let mut row: Vec<Cell> = head.chain(versions).collect();
        row.resize(columns.len(), Cell::Nothing);
        row
    });
    let mut rows: Vec<Vec<Cell>> = toolchain.chain(resources).collect();
    if page.view.as_deref() == Some(SUMS) {
        let sum = |view: &MetaFamily| {
            let counts = saved_view(&build.levels, view, states.len());
            let stages: Vec<&str> = view.stages.iter().copied().map(Stage::label).collect();
            row_of(&stages.join(" + "), view.label, &counts)
        };
        rows.extend(META_FAMILIES.iter().map(sum));
    }
    let (moved, still) = family_lines(&build.levels);
    for (n, level) in build.levels.iter().enumerate() {
        rows.push(row_of(level.stage.label(), "All instructions", &level.instructions));
        let families = moved.iter().chain(&still);
        let families = families.filter_map(|line| Some((line.family, line.rows.get(n).copied().flatten()?)));
        for (family, row) in families {
            let (stage, name) = (level.stage.label(), family.info().short);
            rows.push(row_of(stage, name, &row.counts));
            if page.open.iter().any(|id| id == family.id()) {
                let opcode = |row: &OpcodeRow| row_of(stage, &format!("{name}: {}", row.opcode), &row.counts);
                rows.extend(row.opcodes.iter().map(opcode));
            }
        }
    }
    Table { title, columns: unique(columns), rows, ..Table::default() }
}

/// Column names made unique by a number, so that a state compared with itself keeps both columns.
pub fn unique(names: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let twins = out.iter().filter(|other| **other == name || other.starts_with(&format!("{name} #"))).count();
        out.push(if twins == 0 { name } else { format!("{name} #{}", twins + 1) });
    }
    out
}

/// Where the counts of a level come from, over the states: `decoded from the cubin`, `text, nvdisasm 13.5.37`, or both
/// with their states named. Empty for PTX, which is text always.
pub fn sources(level: &LevelTable, states: &[StateBuild], names: &[String]) -> String {
    if level.stage == Stage::Ptx {
        return String::new();
    }
    let of = |n: usize, source: &str| match (source, level.stage, states.get(n)) {
        ("decoded", ..) => "decoded from the cubin".to_owned(),
        (source, Stage::Sass, Some(StateBuild::Built { toolchain, .. })) => match toolchain.get("nvdisasm") {
            Some(version) => format!("{source}, nvdisasm {version}"),
            None => source.to_owned(),
        },
        (source, ..) => source.to_owned(),
    };
    let each: Vec<Option<String>> =
        level.sources.iter().enumerate().map(|(n, source)| Some(of(n, source.as_deref()?))).collect();
    let mut distinct: Vec<&String> = each.iter().flatten().collect();
    distinct.sort_unstable();
    distinct.dedup();
    match distinct.as_slice() {
        [] => String::new(),
        [one] => (*one).clone(),
        _ => {
            let named =
                each.iter().zip(names).filter_map(|(source, name)| Some(format!("{name}: {}", source.as_ref()?)));
            named.collect::<Vec<_>>().join("; ")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::api::{CommitSummary, KernelSummary};

    fn row(family: Family, counts: &[i64]) -> FamilyRow {
        FamilyRow { family, counts: counts.iter().copied().map(Some).collect(), opcodes: Vec::new() }
    }

    /// The published FlexAttention case: 3.4.0, the reconstruction, 3.5.0 on sm_100a.
    fn levels() -> Vec<LevelTable> {
        let level = |stage, instructions: [i64; 3], barriers: [i64; 3]| LevelTable {
            stage,
            sources: vec![None; 3],
            instructions: instructions.map(Some).to_vec(),
            families: vec![
                row(Family::TensorCompute, &[64, 64, 64]),
                row(Family::FragmentStaging, &[0, 148, 20]),
                row(Family::Barrier, &barriers),
            ],
            disagreements: Vec::new(),
        };
        vec![
            level(Stage::Ptx, [3_019, 3_065, 2_802], [48, 174, 50]),
            level(Stage::Sass, [3_408, 3_608, 3_384], [49, 175, 51]),
        ]
    }

    #[test]
    fn the_state_that_differs_most_is_named_with_the_first() {
        assert_eq!(farthest(&[Some(0), Some(70), Some(6)]), Some((0, 1)));
        assert_eq!(farthest(&[None, Some(5), None, Some(5)]), Some((1, 3)));
        assert_eq!(farthest(&[Some(9), Some(8), Some(10)]), Some((0, 2)));
        assert_eq!(farthest(&[None, Some(5)]), Some((1, 1)));
        assert_eq!(farthest(&[None, None]), None);
    }

    #[test]
    fn what_moved_comes_first_and_controls_are_kept() {
        let levels = levels();
        let (moved, still) = family_lines(&levels);
        let families: Vec<Family> = moved.iter().map(|line| line.family).collect();
        assert_eq!(families, [Family::FragmentStaging, Family::Barrier]);
        assert_eq!(still.iter().map(|line| line.family).collect::<Vec<_>>(), [Family::TensorCompute]);
        assert_eq!(level_change(levels.last().expect("two levels"), 1), 148 + 126);
    }

    #[test]
    fn the_saved_view_adds_both_levels() {
        let view = META_FAMILIES.iter().find(|view| view.families == [Family::TensorCompute]);
        if let Some(view) = view {
            assert_eq!(saved_view(&levels(), view, 3), [Some(128), Some(128), Some(128)]);
        }
        assert_eq!(saved_view(&[], &META_FAMILIES[0], 2), [None, None]);
    }

    #[test]
    fn an_unknown_value_is_no_change() {
        assert!(!has_moved(&[None, Some(3), Some(3)]));
        assert!(has_moved(&[Some(2), None, Some(3)]));
        assert_eq!(difference(&[None, Some(3)], 1), None);
        assert_eq!(largest_change(&[Some(5), Some(1), Some(7)]), 4);
    }

    #[test]
    fn a_config_that_adds_to_the_base_is_told_by_what_it_adds() {
        let commit = CommitSummary {
            sha: "a".repeat(40).parse().expect("a hash"),
            tag: Some("3.5.0".parse().expect("a tag")),
            position: 3,
            subject: String::new(),
            author: None,
            committed_at: 0,
            branch: "main".to_owned(),
            parent: None,
            toolchain: BTreeMap::new(),
        };
        let state = |config: Option<&str>| StateInfo {
            commit: commit.clone(),
            rev: "3.5.0".parse().expect("a revision"),
            config: config.map(str::to_owned),
            target: None,
            kernel: None,
            reconstruction: None,
        };
        let states = [state(None), state(Some("w8_s2_injected-convert")), state(Some("w4_s3")), state(Some("w8_s2"))];
        assert_eq!(column_names(&states, "w8_s2"), ["3.5.0", "3.5.0 + injected-convert", "3.5.0:w4_s3", "3.5.0"]);
        let other = StateInfo {
            target: Some("gfx942".parse().expect("a target")),
            kernel: Some("softmax".to_owned()),
            ..state(Some("b2048"))
        };
        assert_eq!(column_names(&[other], "w8_s2"), ["3.5.0:b2048 on gfx942 of softmax"]);
    }

    #[test]
    fn an_export_has_toolchains_every_state_and_difference_and_open_opcodes() {
        let built = |triton: &str| StateBuild::Built {
            toolchain: BTreeMap::from([("triton".to_owned(), triton.to_owned())]),
            artifacts: Vec::new(),
            config: String::new(),
            reconstruction: None,
            metrics: BTreeMap::new(),
        };
        let mut levels = levels();
        let opcodes = &mut levels[0].families[1].opcodes;
        opcodes.push(OpcodeRow { opcode: "ldmatrix.x1".to_owned(), counts: vec![Some(0), Some(70), Some(6)] });
        let build = BuildComparison {
            kernel: KernelSummary {
                name: "flex_attention".parse().expect("a kernel"),
                key: "flex_attention".to_owned(),
                targets: Vec::new(),
                configs: Vec::new(),
            },
            target: "sm_100a".parse().expect("a target"),
            config: "128x64_w8_s2".to_owned(),
            states: vec![built("3.4.0"), StateBuild::Missing, built("3.5.0")],
            levels,
            resources: Vec::new(),
            decisions: Vec::new(),
            changed: true,
            weight: 1,
            depth: None,
        };
        let names = ["3.4.0", "3.5.0", "3.5.0"].map(str::to_owned);
        let page = CompareQuery {
            open: vec!["fragment_staging".to_owned()],
            view: Some(SUMS.to_owned()),
            ..CompareQuery::default()
        };
        let table = export(&build, &names, String::new(), &page);
        assert_eq!(table.columns, ["Level", "Measure", "3.4.0", "3.5.0", "3.5.0 #2", "Δ 3.5.0", "Δ 3.5.0 #2"]);
        let staging = [
            Cell::Text("PTX".to_owned()),
            Cell::Text("Fragment staging".to_owned()),
            Cell::Count(0),
            Cell::Count(148),
            Cell::Count(20),
            Cell::Difference(148),
            Cell::Difference(20),
        ];
        let at = table.rows.iter().position(|row| row[..] == staging).expect("staging in PTX");
        let opcode = &table.rows[at + 1];
        assert_eq!(opcode[1], Cell::Text("Fragment staging: ldmatrix.x1".to_owned()));
        assert_eq!(opcode[2..5], [Cell::Count(0), Cell::Count(70), Cell::Count(6)]);
        let sums: Vec<&[Cell]> = table
            .rows
            .iter()
            .filter(|row| row[0] == Cell::Text("PTX + SASS".to_owned()))
            .map(|row| &row[2..5])
            .collect();
        assert!(sums.contains(&&[Cell::Count(128), Cell::Count(128), Cell::Count(128)][..]), "{sums:?}");
        assert!(sums.contains(&&[Cell::Count(0), Cell::Count(296), Cell::Count(40)][..]), "{sums:?}");
        let tools = ["toolchain", "triton", "3.4.0"].map(|text| Cell::Text(text.to_owned()));
        assert_eq!(table.rows[0][..3], tools);
        assert_eq!(table.rows[0][3..], [Cell::Nothing, Cell::Text("3.5.0".to_owned()), Cell::Nothing, Cell::Nothing]);
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
    }
}
