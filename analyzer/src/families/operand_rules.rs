//! The few cases where operands or the trailing comment decide the family, per instruction.
//!
//! The patterns are turned into literal searches, with a regular expression behind the literal only where the pattern
//! says more, so that no instruction of ordinary text reaches one.

use std::sync::OnceLock;

use lowerline_shared::family::{Family, OPERAND_RULES};
use memchr::memmem;
use regex_lite::Regex;

use super::Isa;

/// Rules by their index, as bits. A test keeps the taxonomy below 32 rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RuleSet(u32);

enum Test {
    Always,
    /// Any of these, as they are.
    Literals(Literals),
    /// The expression, tried only when the literal is there.
    Guarded(memmem::Finder<'static>, Regex),
    Regex(Regex),
    Never,
}

struct Rule {
    isa: Isa,
    mnemonic: Option<Regex>,
    operands: Test,
    comment: Test,
    family: Family,
}

fn rules() -> &'static [Rule] {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    RULES.get_or_init(|| {
        let isa = |name: &str| {
            [Isa::Ptx, Isa::Sass, Isa::Amdgcn].into_iter().find(|isa| isa.name() == name).unwrap_or(Isa::Ptx)
        };
        OPERAND_RULES
            .iter()
            .map(|rule| Rule {
                isa: isa(rule.isa),
                mnemonic: Regex::new(rule.mnemonic).ok(),
                operands: Test::new(rule.operands),
                comment: Test::new(rule.comment),
                family: rule.family,
            })
            .collect()
    })
}

impl Rule {
    fn owns(&self, isa: Isa, canonical: &str) -> bool {
        self.isa == isa && self.mnemonic.as_ref().is_some_and(|regex| regex.is_match(canonical))
    }

    const fn always(&self) -> bool {
        matches!((&self.operands, &self.comment), (Test::Always, Test::Always))
    }
}

impl RuleSet {
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn for_mnemonic(isa: Isa, canonical: &str) -> Self {
        let matching = rules().iter().enumerate().filter(|(_, rule)| rule.owns(isa, canonical) && !rule.always());
        Self(matching.fold(0, |bits, (index, _)| bits | 1 << (index & 31)))
    }

    /// The family of a rule that asks for nothing but the mnemonic: an exception to the order of the families.
    pub(super) fn unconditional(isa: Isa, canonical: &str) -> Option<Family> {
        rules().iter().find(|rule| rule.always() && rule.owns(isa, canonical)).map(|rule| rule.family)
    }

    /// The family that operands and comment decide; `None` leaves the mnemonic's.
    pub(crate) fn family(self, operands: &str, comment: &str) -> Option<Family> {
        let mut bits = self.0;
        while bits != 0 {
            let rule = rules().get(bits.trailing_zeros() as usize)?;
            if rule.operands.is_match(operands) && rule.comment.is_match(comment) {
                return Some(rule.family);
            }
            bits &= bits - 1;
        }
        None
    }
}

impl Test {
    fn new(pattern: &str) -> Self {
        if pattern.is_empty() {
            return Self::Always;
        }
        if let Some(literals) = literals(pattern) {
            return Self::Literals(Literals::new(&literals));
        }
        match (Regex::new(pattern), longest_literal(pattern)) {
            (Ok(regex), Some(literal)) => Self::Guarded(memmem::Finder::new(&literal).into_owned(), regex),
            (Ok(regex), None) => Self::Regex(regex),
            (Err(_), _) => Self::Never,
        }
    }

    fn is_match(&self, text: &str) -> bool {
        match self {
            Self::Always => true,
            Self::Literals(all) => all.is_match(text.as_bytes()),
            Self::Guarded(literal, regex) => literal.find(text.as_bytes()).is_some() && regex.is_match(text),
            Self::Regex(regex) => regex.is_match(text),
            Self::Never => false,
        }
    }
}

/// Strings of which a text may hold any.
struct Literals {
    /// The first byte of all of them, and which second bytes occur; `None` when they begin differently.
    heads: Option<(u8, [bool; 256])>,
    all: Vec<memmem::Finder<'static>>,
}

impl Literals {
    fn new(all: &[String]) -> Self {
        let first = all.first().and_then(|literal| literal.bytes().next());
        let alike = first.filter(|first| all.iter().all(|one| one.len() > 1 && one.as_bytes()[0] == *first));
        let heads = alike.filter(|_| all.len() > 1).map(|first| {
            let mut seconds = [false; 256];
            for literal in all {
                seconds[usize::from(literal.as_bytes()[1])] = true;
            }
            (first, seconds)
        });
        Self { heads, all: all.iter().map(|one| memmem::Finder::new(one).into_owned()).collect() }
    }

    fn is_match(&self, text: &[u8]) -> bool {
        let Some((first, seconds)) = &self.heads else { return self.all.iter().any(|one| one.find(text).is_some()) };
        let begins = |at: usize| self.all.iter().any(|one| text[at..].starts_with(one.needle()));
        // Operands are a few dozen bytes: a plain walk beats setting up a search.
        text.windows(2).enumerate().any(|(at, two)| two[0] == *first && seconds[usize::from(two[1])] && begins(at))
    }
}

const META: [char; 14] = ['\\', '^', '$', '.', '|', '?', '*', '+', '(', ')', '[', ']', '{', '}'];

/// `a(b|c)` → `ab`, `ac`; `None` when the pattern is more than that.
fn literals(pattern: &str) -> Option<Vec<String>> {
    if !pattern.contains(META) {
        return Some(vec![pattern.to_owned()]);
    }
    let (head, group) = pattern.split_once('(')?;
    let inside = group.strip_suffix(')')?;
    let parts: Vec<String> = inside.split('|').map(|part| format!("{head}{part}")).collect();
    parts.iter().all(|part| !part.is_empty() && !part.contains(META)).then_some(parts)
}

/// The longest run that every match must hold.
fn longest_literal(pattern: &str) -> Option<String> {
    if pattern.contains(['|', '(']) {
        return None;
    }
    // Escapes (`\b`) and classes are not literal, and a quantifier takes the letter before it back.
    let mut best = String::new();
    let mut run = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
                run.clear();
            }
            '[' => {
                letters.find(|letter| *letter == ']');
                run.clear();
            }
            '?' | '*' => {
                run.pop();
                run.clear();
            }
            letter if META.contains(&letter) => run.clear(),
            letter => {
                run.push(letter);
                if run.len() > best.len() {
                    best.clone_from(&run);
                }
            }
        }
    }
    (best.len() > 1).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_taxonomy_fits_the_set_and_compiles() {
        assert!(OPERAND_RULES.len() <= 32);
        for rule in rules() {
            assert!(rule.mnemonic.is_some());
            assert!(!matches!(rule.operands, Test::Never) && !matches!(rule.comment, Test::Never));
        }
    }

    #[test]
    fn shortcuts_agree_with_the_expression() {
        for pattern in OPERAND_RULES.iter().flat_map(|rule| [rule.operands, rule.comment]) {
            let regex = Regex::new(pattern).expect("the taxonomy's patterns compile");
            for text in [
                "",
                "%r1, %tid.x",
                "%r1, %r2",
                "%rd4, %clock64;",
                "R4, SRZ",
                "R4, R5",
                " R3, -RZ, RZ, 0, 0",
                "R3, R2, -RZ, RZ, 0",
                "PT, RZ, RZ, RZ, RZ",
                "v1, s[0:3], 0 offen lds",
                "v1, s[0:3], 0 offen",
                "v1, fields",
                " 4-byte Folded Spill",
                " 16-byte Folded Reload",
                " Reload Reuse",
                " reload",
            ] {
                assert_eq!(Test::new(pattern).is_match(text), regex.is_match(text), "{pattern} {text}");
            }
        }
    }
}
