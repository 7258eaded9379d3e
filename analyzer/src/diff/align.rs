//! Pairing of lines: functions by name, lines by key, the rest of a changed region by mnemonic.

use std::collections::HashMap;

use lowerline_shared::stage::Stage;
use similar::{Algorithm, DiffOp};

use super::{
    Aligned, Names, Row, RowKind,
    core::diff,
    lines::{self, Line, Part},
};

/// Aligns two texts of one stage.
pub fn align(stage: Stage, names: Names, a: &str, b: &str) -> Aligned {
    let (cut_a, cut_b) = (lines::cut(stage, names, a), lines::cut(stage, names, b));
    let mut rows = Vec::with_capacity(a.len().max(b.len()) / 32);
    for (part_a, part_b) in pair_parts(&cut_a.parts, &cut_b.parts) {
        let none: &[Line<'_>] = &[];
        align_lines(part_a.map_or(none, |part| &part.lines), part_b.map_or(none, |part| &part.lines), &mut rows);
    }
    Aligned { rows, left_out: (cut_a.left_out, cut_b.left_out) }
}

type Pair<'p, 't> = (Option<&'p Part<'t>>, Option<&'p Part<'t>>);

/// Parts of one name meet, in the order of the first text; when each side has exactly one function and they are of
/// different names, they meet too (a renamed kernel). Parts only in the second text come last.
fn pair_parts<'p, 't>(a: &'p [Part<'t>], b: &'p [Part<'t>]) -> Vec<Pair<'p, 't>> {
    let renamed = matches!((a, b), ([_, one], [_, other]) if one.name != other.name);
    if renamed {
        return a.iter().map(Some).zip(b.iter().map(Some)).collect();
    }
    let mut by_name: HashMap<&str, Vec<&'p Part<'t>>> = HashMap::new();
    for part in b.iter().rev() {
        by_name.entry(part.name).or_default().push(part);
    }
    let mut pairs: Vec<Pair<'p, 't>> =
        a.iter().map(|part| (Some(part), by_name.get_mut(part.name).and_then(Vec::pop))).collect();
    let mut left: Vec<&'p Part<'t>> = by_name.into_values().flatten().collect();
    left.sort_by_key(|part| part.lines.first().map(|line| line.number));
    pairs.extend(left.into_iter().map(|part| (None, Some(part))));
    pairs
}

/// The row of two lines that met. Lines of one key can meet inside a changed region too, where the first alignment did
/// not see them.
fn pair(a: &Line<'_>, b: &Line<'_>) -> Row {
    let kind = match (a.key.line == b.key.line, a.text == b.text) {
        (true, true) => RowKind::Equal,
        (true, false) => RowKind::Renamed,
        (false, _) => RowKind::Changed,
    };
    Row { kind, a: Some(a.number), b: Some(b.number) }
}

fn align_lines(a: &[Line<'_>], b: &[Line<'_>], rows: &mut Vec<Row>) {
    let keys = |lines: &[Line<'_>]| lines.iter().map(|line| line.key.line).collect::<Vec<u64>>();
    for region in regions(diff(Algorithm::Histogram, &keys(a), &keys(b))) {
        match region {
            Region::Equal { a: from_a, b: from_b, len } => {
                let sides = a.iter().skip(from_a).zip(b.iter().skip(from_b)).take(len);
                rows.extend(sides.map(|(a, b)| pair(a, b)));
            }
            Region::Changed { a: range_a, b: range_b } => {
                align_region(a.get(range_a).unwrap_or(&[]), b.get(range_b).unwrap_or(&[]), rows);
            }
        }
    }
}

enum Region {
    Equal { a: usize, b: usize, len: usize },
    Changed { a: std::ops::Range<usize>, b: std::ops::Range<usize> },
}

/// Neighbouring insertions and deletions become one changed region, whatever order the core diff gave them in.
fn regions(ops: Vec<DiffOp>) -> Vec<Region> {
    let mut out: Vec<Region> = Vec::with_capacity(ops.len());
    for op in ops {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            out.push(Region::Equal { a: old_index, b: new_index, len });
            continue;
        }
        let (old, new) = (op.old_range(), op.new_range());
        match out.last_mut() {
            Some(Region::Changed { a, b }) => {
                a.end = a.end.max(old.end);
                b.end = b.end.max(new.end);
            }
            _ => out.push(Region::Changed { a: old, b: new }),
        }
    }
    out
}

/// Inside a changed region, lines of one mnemonic meet; what is left is removed or added,
/// removed lines first.
fn align_region(a: &[Line<'_>], b: &[Line<'_>], rows: &mut Vec<Row>) {
    let removed = |line: &Line<'_>| Row { kind: RowKind::Removed, a: Some(line.number), b: None };
    let added = |line: &Line<'_>| Row { kind: RowKind::Added, a: None, b: Some(line.number) };
    let mnemonics = |lines: &[Line<'_>]| lines.iter().map(|line| line.key.mnemonic).collect::<Vec<u64>>();
    for region in regions(diff(Algorithm::Histogram, &mnemonics(a), &mnemonics(b))) {
        match region {
            Region::Equal { a: from_a, b: from_b, len } => {
                let sides = a.iter().skip(from_a).zip(b.iter().skip(from_b)).take(len);
                rows.extend(sides.map(|(a, b)| pair(a, b)));
            }
            Region::Changed { a: range_a, b: range_b } => {
                rows.extend(a.get(range_a).unwrap_or(&[]).iter().map(removed));
                rows.extend(b.get(range_b).unwrap_or(&[]).iter().map(added));
            }
        }
    }
}
