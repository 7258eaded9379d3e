//! Tables of the lowering page beside the large one: families, decisions, where TTIR texts part.

use crate::{
    api::{LoweringResponse, TargetLowering},
    comparison::unique,
    decision::Decision,
    decision_measure::DecisionMeasure,
    family::Family,
    ids::shown,
    stage::Stage,
    table::{Cell, Table},
};

fn title(answer: &LoweringResponse, what: &str) -> String {
    format!("{} ({}) at {}: {what}", shown(answer.kernel.name.as_str()), shown(&answer.config), answer.commit.name())
}

fn columns(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Families of the machine code: a row a family, a column a target, those that no target has left out.
pub fn families(answer: &LoweringResponse) -> Table {
    let levels: Vec<_> =
        answer.targets.iter().map(|column| column.levels.iter().find(|level| level.stage != Stage::Ptx)).collect();
    let row = |family: Family| {
        let counts = levels.iter().map(|level| {
            let found = level.as_ref()?.families.iter().find(|(found, _)| *found == family);
            Some(found.map_or(0, |(_, count)| *count))
        });
        let counts: Vec<Option<i64>> = counts.collect();
        let is_there = counts.iter().flatten().any(|count| *count > 0);
        is_there.then(|| {
            let head = std::iter::once(Cell::Text(family.info().label.to_owned()));
            head.chain(counts.into_iter().map(Cell::count)).collect()
        })
    };
    let heads = answer.targets.iter().map(|column| column.target.to_string());
    Table {
        title: title(answer, &format!("families of the machine code, {} scope", answer.scope.id())),
        columns: std::iter::once("Family".to_owned()).chain(heads).collect(),
        rows: Family::ALL.into_iter().filter_map(row).collect(),
        ..Table::default()
    }
}

/// Decisions on one target: values first, then the evidence line by line.
pub fn decisions(answer: &LoweringResponse, column: &TargetLowering) -> Table {
    let before = answer.base_targets.iter().find(|base| base.target == column.target);
    let text = |text: &str| if text.is_empty() { Cell::Nothing } else { Cell::Text(shown(text)) };
    let values = DecisionMeasure::ALL.into_iter().filter_map(|measure| {
        let value = column.values.get(measure)?.to_string();
        let was = before.and_then(|base| base.values.get(measure)).map(ToString::to_string);
        let was = was.filter(|was| *was != value).map(|was| format!("was {was}")).unwrap_or_default();
        Some(vec![text(measure.label()), Cell::Nothing, text(&value), Cell::Nothing, text(&was)])
    });
    let evidence = column.decisions.iter().map(|decision: &Decision| {
        let line = (decision.line > 0).then(|| i64::from(decision.line));
        vec![
            text(decision.kind.label()),
            text(&decision.subject),
            text(&decision.value),
            Cell::count(line),
            text(decision.why.as_deref().unwrap_or_default()),
        ]
    });
    Table {
        title: title(answer, &format!("decisions on {}", column.target)),
        columns: columns(&["Decision", "Of", "Value", "Line of the TTGIR", "Note"]),
        rows: values.chain(evidence).collect(),
        ..Table::default()
    }
}

/// The first difference of each pair of TTIR texts.
pub fn ttir(answer: &LoweringResponse) -> Table {
    let rows = answer.ttir_differences.iter().map(|pair| {
        let line = |line: Option<u32>| Cell::count(line.map(i64::from));
        let text = |text: &str| if text.is_empty() { Cell::Nothing } else { Cell::Text(shown(text)) };
        vec![
            Cell::Text(format!("{} and {}", pair.groups.0, pair.groups.1)),
            Cell::count(i64::try_from(pair.rows).ok()),
            line(pair.line.0),
            text(&pair.text.0),
            line(pair.line.1),
            text(&pair.text.1),
        ]
    });
    Table {
        title: title(answer, "where TTIR parts"),
        note: super::ttir_sentence(answer),
        columns: unique(columns(&["Pair", "Rows that differ", "Line", "First text", "Line", "Second text"])),
        rows: rows.collect(),
        ..Table::default()
    }
}
