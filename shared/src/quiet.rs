//! What a changed build changed in when no family of its machine code moved.

use crate::{
    api::{BuildComparison, LevelTable},
    comparison::{difference, family_lines, has_moved},
    display,
};

/// Names said of each kind; the comparison of the build has all.
const NAMED: usize = 3;

/// From the first state to the last: families of PTX, resources and decisions that moved, or that only opcodes did. Empty
/// where a family of the machine level moved, which says it better.
pub fn quiet_change(build: &BuildComparison) -> Vec<String> {
    let last = build.states.len().saturating_sub(1);
    let moved = |levels: &[LevelTable]| {
        let lines = family_lines(levels).0.into_iter();
        let said = lines.filter_map(|line| {
            let counts = &line.rows.first().copied().flatten()?.counts;
            let change = difference(counts, last).filter(|change| *change != 0)?;
            Some(format!("{} {}", line.family.info().short, display::signed(change)))
        });
        said.collect::<Vec<String>>()
    };
    let Some((machine, others)) = build.levels.split_last() else { return Vec::new() };
    if !moved(std::slice::from_ref(machine)).is_empty() {
        return Vec::new();
    }
    let mut said = Vec::new();
    for level in others {
        let families = moved(std::slice::from_ref(level));
        said.extend(families.into_iter().take(NAMED).map(|family| format!("{}: {family}", level.stage.label())));
    }
    let resources = build.resources.iter().filter(|row| has_moved(&row.values)).take(NAMED);
    said.extend(resources.map(|row| {
        let value = |value: Option<&Option<i64>>| {
            value.copied().flatten().map_or("–".to_owned(), |value| row.resource.text(value))
        };
        format!("{} {} → {}", row.resource.label(), value(row.values.first()), value(row.values.last()))
    }));
    let decisions = build.decisions.iter().filter(|row| row.values.first() != row.values.last()).take(NAMED);
    said.extend(decisions.map(|row| {
        let value =
            |value: Option<&Option<_>>| value.and_then(Option::as_ref).map_or("–".to_owned(), ToString::to_string);
        format!("{} {} → {}", row.measure.label(), value(row.values.first()), value(row.values.last()))
    }));
    if said.is_empty() {
        said.push("opcodes of one family, or their places in loops".to_owned());
    }
    said
}
