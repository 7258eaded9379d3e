//! One pattern of the taxonomy: a regular expression behind a test of the first letter, since nearly all patterns are
//! anchored and nearly all mnemonics fail at once.

use regex_lite::Regex;

/// A compiled pattern.
pub(super) struct Pattern {
    /// Letters a match can begin with, as bits; all when the pattern is not anchored or begins with anything else.
    first: [u64; 4],
    regex: Option<Regex>,
}

impl Pattern {
    pub(super) fn new(pattern: &str) -> Self {
        // A pattern that does not compile matches nothing; a test compiles every pattern of the taxonomy.
        Self { first: first_letters(pattern), regex: Regex::new(pattern).ok() }
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        let first = text.as_bytes().first().copied().unwrap_or_default();
        let may = self.first[usize::from(first >> 6)] >> (first & 63) & 1 == 1;
        may && self.regex.as_ref().is_some_and(|regex| regex.is_match(text))
    }

    #[cfg(test)]
    pub(super) const fn compiles(&self) -> bool {
        self.regex.is_some()
    }
}

fn first_letters(pattern: &str) -> [u64; 4] {
    const ALL: [u64; 4] = [u64::MAX; 4];
    let Some(rest) = pattern.strip_prefix('^') else { return ALL };
    // `^a|^b` anchors each side by itself: only the first would be seen here.
    if rest.contains("|^") {
        return ALL;
    }
    let mut set = [0_u64; 4];
    let mut add = |byte: u8| set[usize::from(byte >> 6)] |= 1 << (byte & 63);
    let alternatives = match rest.strip_prefix('(') {
        Some(group) => match group.split_once(')') {
            // An optional group would let the match begin behind it.
            Some((inside, behind)) if !inside.contains(['(', '[']) && !behind.starts_with(['?', '*']) => inside,
            _ => return ALL,
        },
        None => rest,
    };
    for alternative in alternatives.split('|') {
        let mut bytes = alternative.bytes();
        match bytes.next() {
            Some(byte) if byte.is_ascii_alphanumeric() => add(byte),
            _ => return ALL,
        }
        if matches!(bytes.next(), Some(b'?' | b'*')) {
            return ALL;
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_letter_test_never_hides_a_match() {
        for (pattern, text) in [
            ("^U?SYNCS(\\.|$)", "SYNCS.EXCH.64"),
            ("^BFE|^BFI|^XMAD", "XMAD"),
            ("saveexec", "s_and_saveexec_b64"),
            ("^(HMMA|IMMA)(\\.|$)", "IMMA.16832"),
            ("^[vs]_cvt_", "s_cvt_f32_i32"),
            ("^F?SEL(\\.|$)", "SEL"),
        ] {
            assert!(Pattern::new(pattern).is_match(text), "{pattern} {text}");
        }
    }
}
