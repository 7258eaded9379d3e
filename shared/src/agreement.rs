//! Text and cubin of one build: two ways to the same counts.
//!
//! Charts count the text where there is one. The decoder reads the cubin beside it, so that each checks the other: a
//! disagreement means that one of them is wrong, or that they are of different compiles.

use std::collections::{BTreeMap, BTreeSet};

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

/// What text and cubin of one build count differently, by opcode. An opcode may come several times, with the count of one
/// side or of both.
///
/// Opcodes of which the decoder knows only the first part are compared by it.
pub fn differences<'a>(counts: impl Iterator<Item = (&'a str, i64, i64)> + Clone) -> Vec<Difference> {
    let uncertain: BTreeSet<&str> = counts.clone().filter_map(|(opcode, ..)| opcode.strip_suffix(UNCERTAIN)).collect();
    let mut sums: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    for (opcode, text, decoded) in counts {
        let first = opcode.split('.').next().unwrap_or(opcode);
        let name = if uncertain.contains(first) { first } else { opcode };
        let sum = sums.entry(name).or_default();
        *sum = (sum.0.saturating_add(text), sum.1.saturating_add(decoded));
    }
    sums.into_iter()
        .filter(|(_, (text, decoded))| text != decoded)
        .map(|(opcode, (text, decoded))| Difference { opcode: opcode.to_owned(), text, decoded })
        .collect()
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

    #[test]
    fn a_name_known_in_part_is_compared_by_its_first_part() {
        let counts = [("TEX.SCR.LL", 2, 0), ("TEX.?", 0, 2), ("EXIT", 1, 1)];
        assert!(differences(counts.into_iter()).is_empty());
    }

    #[test]
    fn both_values_of_a_difference_are_kept() {
        let counts = [("BAR.SYNC", 3, 0), ("BAR.SYNC", 0, 2), ("EXIT", 1, 1), ("TEX.LL", 2, 0), ("TEX.?", 0, 1)];
        let expected = [("BAR.SYNC", 3, 2), ("TEX", 2, 1)].map(|(opcode, text, decoded)| Difference {
            opcode: opcode.to_owned(),
            text,
            decoded,
        });
        assert_eq!(differences(counts.into_iter()), expected);
    }
}
