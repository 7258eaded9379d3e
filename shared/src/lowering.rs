//! The lowering table: one row a question, one column a target. The page draws it and exports take it away as it is.

pub mod tables;

use crate::{
    api::{LoweringResponse, StageCounts, StateBuild, TargetLowering},
    decision_measure::DecisionMeasure,
    display,
    family::Family,
    ids::TargetName,
    report::Resource,
    stage::Stage,
    table::{Cell, Table},
    target,
};

/// One cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoweringCell {
    /// Lines of text; empty where nothing is known.
    pub text: Vec<String>,
    /// The same as one number, where it is one.
    pub number: Option<i64>,
    /// The number at the base commit, when one is compared with.
    pub base: Option<i64>,
    /// The text at the base commit, where it differs and is no number.
    pub base_text: Option<String>,
}

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub struct LoweringRow {
    /// Stable id.
    pub id: &'static str,
    /// Name on screen.
    pub label: &'static str,
    /// Where it comes from.
    pub note: &'static str,
    /// By target.
    pub cells: Vec<LoweringCell>,
}

type Read = fn(&TargetLowering) -> Vec<String>;
type Number = fn(&TargetLowering) -> Option<i64>;

/// Whether the cell is text or a number.
enum Reader {
    Text(Read),
    Number(Number),
}

const ROWS: [(&str, &str, &str, Reader); 27] = [
    ("matrix", "Matrix instruction", "PTX, AMDGCN", Reader::Text(matrix)),
    ("matrix_count", "Matrix count", "PTX, AMDGCN", Reader::Number(matrix_count)),
    ("matrix_each", "Multiply-adds each", "m·n·k of one instruction", Reader::Text(matrix_each)),
    (
        "matrix_work",
        "Multiply-adds per block",
        "count · m·n·k · issuers, one pass over the text",
        Reader::Number(|t| t.matrix_work),
    ),
    (
        "ptx",
        "Instructions, PTX",
        "padding left out",
        Reader::Number(|t| level(t, true).map(|level| level.instructions)),
    ),
    ("machine", "Instructions", "SASS, AMDGCN", Reader::Number(|t| level(t, false).map(|level| level.instructions))),
    (
        "registers",
        "Registers",
        "per thread; VGPRs with AGPRs on AMD",
        Reader::Number(|t| resource(t, Resource::Registers)),
    ),
    ("accumulators", "AGPRs", "CDNA", Reader::Number(|t| resource(t, Resource::AccumulatorRegisters))),
    ("scalars", "SGPRs", "AMD", Reader::Number(|t| resource(t, Resource::ScalarRegisters))),
    ("spills", "Spills", "VGPR + SGPR, AMD metadata", Reader::Number(spills)),
    ("stack", "Stack bytes", "per thread", Reader::Number(|t| resource(t, Resource::StackBytes))),
    ("shared", "Shared, LDS bytes", "per block, and its limit", Reader::Number(|t| resource(t, Resource::SharedBytes))),
    ("launchable", "Launchable", "within the limits of the target", Reader::Text(launchable)),
    ("occupancy", "Occupancy %", "warps of what a unit holds", Reader::Text(occupancy)),
    ("blocks", "Blocks per SM, CU", "", Reader::Number(|t| resource(t, Resource::BlocksPerSm))),
    ("tmem", "TMEM columns", "", Reader::Number(|t| resource(t, Resource::TmemColumns))),
    ("pipelining", "Pipelining", "TTGIR and stages asked for", Reader::Text(|t| named(t, DecisionMeasure::Pipelining))),
    (
        "buffer_depth",
        "Deepest buffer",
        "copies, TTGIR",
        Reader::Number(|t| t.values.number(DecisionMeasure::BufferDepth)),
    ),
    ("buffers", "Rotating buffers", "TTGIR", Reader::Number(|t| t.values.number(DecisionMeasure::Buffers))),
    (
        "async",
        "Asynchronous copies",
        "cp.async, PTX",
        Reader::Number(|t| t.values.number(DecisionMeasure::AsyncCopies)),
    ),
    (
        "async_bytes",
        "Bytes each, narrowest",
        "PTX",
        Reader::Number(|t| t.values.number(DecisionMeasure::AsyncCopyBytes)),
    ),
    ("tma", "TMA copies", "TTGIR", Reader::Number(|t| t.values.number(DecisionMeasure::TensorCopies))),
    (
        "load_bytes",
        "Narrowest load, bytes",
        "layout, TTGIR",
        Reader::Number(|t| t.values.number(DecisionMeasure::LoadBytes)),
    ),
    ("shared_store", "Shared stores, LDS writes", "SASS, AMDGCN", Reader::Number(|t| family(t, Family::SharedStore))),
    ("shared_load", "Shared loads, LDS reads", "SASS, AMDGCN", Reader::Number(|t| family(t, Family::SharedLoad))),
    ("staging", "Fragment staging", "SASS, AMDGCN", Reader::Number(|t| family(t, Family::FragmentStaging))),
    ("layouts", "Layout kinds", "TTGIR; memory spaces left out", Reader::Text(layouts)),
];

/// The PTX level, or the machine level.
fn level(of: &TargetLowering, ptx: bool) -> Option<&StageCounts> {
    of.levels.iter().find(|level| (level.stage == Stage::Ptx) == ptx)
}

fn resource(of: &TargetLowering, resource: Resource) -> Option<i64> {
    of.resources.get(&resource).copied()
}

fn family(of: &TargetLowering, family: Family) -> Option<i64> {
    let level = level(of, false)?;
    Some(level.families.iter().find(|(found, _)| *found == family).map_or(0, |(_, count)| *count))
}

fn named(of: &TargetLowering, measure: DecisionMeasure) -> Vec<String> {
    of.values.get(measure).map(ToString::to_string).into_iter().collect()
}

/// Name and shape; the opcode where the shape is not known.
fn matrix(of: &TargetLowering) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for used in &of.matrix {
        let text = used.instruction.as_ref().map_or_else(|| used.opcode.clone(), ToString::to_string);
        if !out.contains(&text) {
            out.push(text);
        }
    }
    out
}

fn matrix_count(of: &TargetLowering) -> Option<i64> {
    (!of.levels.is_empty()).then(|| of.matrix.iter().map(|used| used.count).sum())
}

fn matrix_each(of: &TargetLowering) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for instruction in of.matrix.iter().filter_map(|used| used.instruction.as_ref()) {
        let text = format!("{} a {}", display::count(instruction.work()), instruction.issuer.label());
        if !out.contains(&text) {
            out.push(text);
        }
    }
    out
}

fn occupancy(of: &TargetLowering) -> Vec<String> {
    let value = resource(of, Resource::OccupancyPermille);
    value.map(|value| Resource::OccupancyPermille.text(value)).into_iter().collect()
}

fn spills(of: &TargetLowering) -> Option<i64> {
    match (resource(of, Resource::VectorSpills), resource(of, Resource::ScalarSpills)) {
        (None, None) => None,
        (vector, scalar) => Some(vector.unwrap_or(0) + scalar.unwrap_or(0)),
    }
}

fn launchable(of: &TargetLowering) -> Vec<String> {
    match (&of.unlaunchable, of.launch_known) {
        (Some(why), _) => vec!["no".to_owned(), why.clone()],
        (None, true) => vec!["yes".to_owned()],
        (None, false) => Vec::new(),
    }
}

fn layouts(of: &TargetLowering) -> Vec<String> {
    of.layout_kinds.iter().map(|(kind, number)| format!("{number} {kind}")).collect()
}

/// The rows in which any target has anything.
pub fn rows(answer: &LoweringResponse) -> Vec<LoweringRow> {
    let base = |target: &TargetName| answer.base_targets.iter().find(|column| column.target == *target);
    let cell = |column: &TargetLowering, reader: &Reader| match reader {
        Reader::Number(read) => {
            let number = read(column);
            LoweringCell {
                text: number.map(display::count).into_iter().collect(),
                number,
                base: base(&column.target).and_then(read),
                base_text: None,
            }
        }
        Reader::Text(read) => {
            let text = read(column);
            let before = base(&column.target).map(read).filter(|before| *before != text && !before.is_empty());
            LoweringCell { base_text: before.map(|before| before.join(", ")), text, number: None, base: None }
        }
    };
    ROWS.iter()
        .map(|(id, label, note, reader)| LoweringRow {
            id,
            label,
            note,
            cells: answer.targets.iter().map(|column| cell(column, reader)).collect(),
        })
        .filter(|row| row.cells.iter().any(|cell| !cell.text.is_empty() || cell.base.is_some()))
        .collect()
}

/// What stands in the head of a column that has no numbers.
pub fn failure(column: &TargetLowering) -> Option<String> {
    match &column.build {
        StateBuild::Failed { message, .. } => Some(message.clone()),
        StateBuild::Missing => Some("not built at this commit".to_owned()),
        StateBuild::Built { .. } => None,
    }
}

/// Groups of equal TTIR in words: `TTIR: 3 texts (A = sm_80, sm_90a; B = gfx942)`.
pub fn ttir_sentence(answer: &LoweringResponse) -> String {
    let groups: Vec<String> = answer
        .ttir_groups
        .iter()
        .map(|group| {
            let targets: Vec<&str> = group.targets.iter().map(TargetName::as_str).collect();
            format!("{} = {}", group.letter, targets.join(", "))
        })
        .collect();
    match groups.len() {
        0 => "no TTIR was pushed".to_owned(),
        1 => "TTIR: identical on all targets that have it".to_owned(),
        number => format!("TTIR: {number} texts ({})", groups.join("; ")),
    }
}

/// The table as it leaves the page. With a base, every target has a column of differences.
pub fn table(answer: &LoweringResponse) -> Table {
    let has_base = answer.base.is_some();
    let mut columns = vec!["What".to_owned(), "Where".to_owned()];
    for column in &answer.targets {
        columns.push(column.target.to_string());
        if has_base {
            columns.push(format!("Δ {}", column.target));
        }
    }
    let text = |text: String| if text.is_empty() { Cell::Nothing } else { Cell::Text(text) };
    let mut rows = Vec::new();
    let mut head = vec![Cell::Text("TTIR".to_owned()), Cell::Text("group of equal texts · lines".to_owned())];
    let mut lock = vec![Cell::Text("Loads on".to_owned()), Cell::Nothing];
    for column in &answer.targets {
        head.push(text(ttir(answer, column)));
        lock.push(text(target::arch_lock(&column.target).unwrap_or_default()));
        if has_base {
            head.push(Cell::Nothing);
            lock.push(Cell::Nothing);
        }
    }
    rows.push(head);
    for row in self::rows(answer) {
        let mut cells = vec![Cell::Text(row.label.to_owned()), text(row.note.to_owned())];
        for cell in row.cells {
            cells.push(cell.number.map_or_else(|| text(cell.text.join(", ")), Cell::Count));
            if has_base {
                cells.push(match (&cell.base_text, cell.base, cell.number) {
                    (Some(before), ..) => Cell::Text(format!("was {before}")),
                    (None, base, number) => Cell::difference(base, number),
                });
            }
        }
        rows.push(cells);
    }
    rows.push(lock);
    let base = answer.base.as_ref().map(|base| format!(", against {}", base.name())).unwrap_or_default();
    Table {
        title: format!("{} ({}) at {}{base}", answer.kernel.name, answer.config, answer.commit.name()),
        note: ttir_sentence(answer),
        link: String::new(),
        columns,
        rows,
    }
}

/// `A · 165 lines`; empty without TTIR.
pub fn ttir(answer: &LoweringResponse, column: &TargetLowering) -> String {
    let group = column.ttir_group.and_then(|group| answer.ttir_groups.get(group as usize));
    let lines = column.ttir_lines.map(|lines| display::plural(lines, "line"));
    group.map(|group| group.letter.clone()).into_iter().chain(lines).collect::<Vec<_>>().join(" · ")
}
