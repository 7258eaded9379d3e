//! What every aligned diff keeps, whatever the texts.

use lowerline_analyzer::diff::{Aligned, Names, Row, RowKind, Span, align, words};
use lowerline_shared::stage::Stage;

/// Rows without an order: where the lines of one side stand between those of the other depends on which is read first.
fn unordered(rows: impl Iterator<Item = Row>) -> Vec<Row> {
    let mut rows: Vec<Row> = rows.collect();
    rows.sort_by_key(|row| (row.a, row.b));
    rows
}

/// Each line of a side is in one row, in order on the first side, or is counted as left out.
fn every_line_once(aligned: &Aligned, a: &str, b: &str) {
    let first: Vec<u32> = aligned.rows.iter().filter_map(|row| row.a).collect();
    assert!(first.is_sorted_by(|one, next| one < next), "the first text is not in reading order");
    let mut second: Vec<u32> = aligned.rows.iter().filter_map(|row| row.b).collect();
    second.sort_unstable();
    assert!(second.is_sorted_by(|one, next| one < next), "a line of the second text is in two rows");
    for (held, left_out, text) in [(first, aligned.left_out.0, a), (second, aligned.left_out.1, b)] {
        assert_eq!(held.len() + left_out as usize, text.lines().count(), "a line is neither shown nor counted");
    }
}

/// What the kind of a row claims about its sides.
fn kinds_tell_the_truth(aligned: &Aligned, names: Names, a: &[&str], b: &[&str]) {
    for row in &aligned.rows {
        let side = |lines: &[&str], number: Option<u32>| number.map(|n| lines[n as usize].trim_end().to_owned());
        let (left, right) = (side(a, row.a), side(b, row.b));
        let (both, same) = (left.is_some() && right.is_some(), left == right);
        let true_of_kind = match row.kind {
            RowKind::Equal => both && same,
            RowKind::Renamed => both && !same && names == Names::Ignored,
            // The text may be the same where a layout alias stands for another layout.
            RowKind::Changed => both && names == Names::Ignored,
            RowKind::Removed => left.is_some() && right.is_none(),
            RowKind::Added => left.is_none() && right.is_some(),
        };
        assert!(true_of_kind, "{row:?}: {left:?} | {right:?}");
    }
}

/// What is left of a line without its marks.
fn unmarked(line: &str, spans: &[Span]) -> String {
    let mut at = 0;
    let mut out = String::new();
    for span in spans {
        assert!(at <= span.start && span.start < span.end, "marks overlap or are empty: {spans:?}");
        out.push_str(&line[at..span.start]);
        at = span.end;
    }
    out + &line[at..]
}

/// Marks take away all that differs, and mirror.
pub fn words_hold(a: &str, b: &str) {
    let (in_a, in_b) = words(a, b);
    assert_eq!(unmarked(a, &in_a), unmarked(b, &in_b));
    assert_eq!(words(b, a), (in_b, in_a));
    assert_eq!(words(a, a), (Vec::new(), Vec::new()));
}

/// All laws of one pair.
pub fn hold(stage: Stage, a: &str, b: &str) {
    for names in [Names::Ignored, Names::Raw] {
        let aligned = align(stage, names, a, b);
        every_line_once(&aligned, a, b);
        let (lines_a, lines_b): (Vec<&str>, Vec<&str>) = (a.lines().collect(), b.lines().collect());
        kinds_tell_the_truth(&aligned, names, &lines_a, &lines_b);

        let swapped = align(stage, names, b, a);
        assert_eq!(unordered(aligned.rows.iter().copied()), unordered(swapped.rows.iter().map(|row| row.mirrored())));
        assert_eq!(aligned.left_out, (swapped.left_out.1, swapped.left_out.0));

        let itself = align(stage, names, a, a);
        assert_eq!(itself.count(RowKind::Equal), itself.rows.len(), "a text differs from itself");
        assert!(itself.rows.iter().all(|row| row.a == row.b));

        let kinds = [RowKind::Equal, RowKind::Renamed, RowKind::Changed, RowKind::Removed, RowKind::Added];
        assert_eq!(kinds.map(|kind| aligned.count(kind)).iter().sum::<usize>(), aligned.rows.len());
    }
}
