//! Text and cubin of one build: two ways to the same counts.
//!
//! Charts count the text where there is one. The decoder reads the cubin beside it, so that each checks the other: a
//! disagreement means that one of them is wrong, or that they are of different compiles.

use std::collections::{BTreeMap, BTreeSet};

use crate::db::compare::TwiceCountedRow;

/// Ends the name of an opcode whose modifiers the decoder's tables do not know.
const UNCERTAIN: &str = ".?";

/// Opcodes one sentence names.
const NAMED: usize = 4;

/// One opcode counted differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Canonical spelling, or the first part alone.
    pub opcode: String,
    /// In the text.
    pub text: i64,
    /// In the cubin.
    pub decoded: i64,
}

/// What text and cubin of each lowering count differently; a lowering on which they agree is absent.
///
/// Opcodes of which the decoder knows only the first part are compared by it.
pub fn differences(rows: &[TwiceCountedRow]) -> BTreeMap<i32, Vec<Difference>> {
    let mut out = BTreeMap::new();
    for group in rows.chunk_by(|a, b| a.lowering_id == b.lowering_id) {
        let uncertain: BTreeSet<&str> = group.iter().filter_map(|row| row.opcode.strip_suffix(UNCERTAIN)).collect();
        let mut sums: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
        for row in group {
            let first = row.opcode.split('.').next().unwrap_or(&row.opcode);
            let name = if uncertain.contains(first) { first } else { &row.opcode };
            let sum = sums.entry(name).or_default();
            *sum = (sum.0 + row.text, sum.1 + row.decoded);
        }
        let differing: Vec<Difference> = sums
            .into_iter()
            .filter(|(_, (text, decoded))| text != decoded)
            .map(|(opcode, (text, decoded))| Difference { opcode: opcode.to_owned(), text, decoded })
            .collect();
        if let (Some(row), false) = (group.first(), differing.is_empty()) {
            out.insert(row.lowering_id, differing);
        }
    }
    out
}

/// Both values of the first few: `BAR.SYNC 3 in the text and 2 in the cubin`.
pub fn sentence(differing: &[Difference]) -> String {
    let named: Vec<String> = differing
        .iter()
        .take(NAMED)
        .map(|one| format!("{} {} in the text and {} in the cubin", one.opcode, one.text, one.decoded))
        .collect();
    let rest = match differing.len().saturating_sub(NAMED) {
        0 => String::new(),
        rest => format!(", and {rest} more opcodes"),
    };
    format!("SASS text and cubin disagree: {}{rest}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(lowering_id: i32, opcode: &str, text: i64, decoded: i64) -> TwiceCountedRow {
        TwiceCountedRow { lowering_id, opcode: opcode.to_owned(), text, decoded }
    }

    #[test]
    fn a_name_known_in_part_is_compared_by_its_first_part() {
        let rows = [row(1, "TEX.SCR.LL", 2, 0), row(1, "TEX.?", 0, 2), row(1, "EXIT", 1, 1)];
        assert!(differences(&rows).is_empty());
    }

    #[test]
    fn both_values_of_a_difference_are_kept() {
        let rows = [row(1, "EXIT", 1, 1), row(2, "BAR.SYNC", 3, 2), row(2, "TEX.LL", 2, 0), row(2, "TEX.?", 0, 1)];
        let expected = [("BAR.SYNC", 3, 2), ("TEX", 2, 1)].map(|(opcode, text, decoded)| Difference {
            opcode: opcode.to_owned(),
            text,
            decoded,
        });
        assert_eq!(differences(&rows), BTreeMap::from([(2, expected.to_vec())]));
    }
}
