//! The stage strip: which stages of two or more builds are equal, and where a change began.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{display, ids::Digest, stage::Stage};

/// What is known of one stage of one build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageFacts {
    /// SHA-256 of the bytes.
    pub raw: Digest,
    /// Identity of meaning; `None` when the analyzer has none for these bytes.
    pub normal: Option<Digest>,
    /// Identity of the opcode histogram; `None` for stages without instructions.
    pub histogram: Option<Digest>,
    /// Instructions or operations; `None` when nothing was counted.
    pub amount: Option<u64>,
}

/// How a stage stands to the same stage of the first state that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The same bytes.
    Equal,
    /// Equal but for names, paths, locations or numbering.
    EqualButNames,
    /// Other bytes with the same opcode histogram: schedule or register choice, which ptxas does not always repeat
    /// for one PTX on sm_100a.
    EqualHistogram,
    /// Another meaning.
    Differs,
}

/// One cell of the strip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StripCell {
    /// Cells of one column with one letter are equal: `A` is the first state's.
    pub letter: char,
    /// Against the first state that has this stage.
    pub relation: Relation,
    /// The bytes.
    pub digest: Digest,
    /// Instructions or operations; `None` when nothing was counted.
    pub amount: Option<u64>,
}

/// One stage over the states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StripColumn {
    /// Which stage.
    pub stage: Stage,
    /// By state; `None` where the state has no such stage.
    pub cells: Vec<Option<StripCell>>,
    /// Whether all states that have it agree.
    pub equal: bool,
}

/// The strip of one build over the states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strip {
    /// Stages any state has, in lowering order.
    pub columns: Vec<StripColumn>,
    /// The last stage on which all agree; `None` when there is none.
    pub last_equal: Option<Stage>,
    /// The first stage that differs, taken below the last equal one; `None` when all agree below it.
    pub first_difference: Option<Stage>,
    /// What differs there; `None` when no stage does, or nobody has looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<StageDifference>,
}

/// What differs at the first stage that does, between two states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageDifference {
    /// The states, from 0: the first that has the stage, and the last that differs from it.
    pub states: (u32, u32),
    /// Operations and opcodes whose count differs, largest difference first, at most [`CHANGES`].
    pub changes: Vec<OperationChange>,
    /// How many more there are.
    pub left_out: u64,
}

/// Changes in one [`StageDifference`].
pub const CHANGES: usize = 32;

/// Changes named in the sentence.
const NAMED: usize = 4;

/// One operation or opcode whose count differs between two reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationChange {
    /// Operation of MLIR or LLVM IR, or canonical opcode.
    pub name: String,
    /// Count in the first report.
    pub before: u64,
    /// Count in the second.
    pub now: u64,
    /// Counts inside loops; `None` where the stage has none.
    pub in_loop: Option<(u64, u64)>,
    /// Where the loop is that has most of the difference (`attention.py:42`), and the counts inside it; `None` where the
    /// text does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<(String, u64, u64)>,
}

impl OperationChange {
    /// ``4 `ttg.convert_layout` more in the loop at attention.py:42``.
    pub fn words(&self) -> String {
        let amount = |before: u64, now: u64| {
            let word = if now > before { "more" } else { "fewer" };
            (display::count(i64::try_from(now.abs_diff(before)).unwrap_or(i64::MAX)), word)
        };
        let inside = match (&self.place, self.in_loop.filter(|(before, now)| before != now)) {
            (Some((place, before, now)), _) if before != now => {
                Some((*before, *now, format!("in the loop at {place}")))
            }
            (_, Some((before, now))) => Some((before, now, "in a loop".to_owned())),
            _ => None,
        };
        let (count, word) = amount(self.before, self.now);
        match inside {
            None => format!("{count} `{}` {word}", self.name),
            Some((before, now, place))
                if i128::from(now) - i128::from(before) == i128::from(self.now) - i128::from(self.before) =>
            {
                format!("{count} `{}` {word} {place}", self.name)
            }
            Some((before, now, place)) => {
                let (inner, inner_word) = amount(before, now);
                let head = if self.before == self.now {
                    format!("as many `{}`", self.name)
                } else {
                    format!("{count} `{}` {word}", self.name)
                };
                format!("{head}, {inner} {inner_word} {place}")
            }
        }
    }
}

fn relation(a: &StageFacts, b: &StageFacts) -> Relation {
    if a.raw == b.raw {
        Relation::Equal
    } else if a.normal.is_some() && a.normal == b.normal {
        Relation::EqualButNames
    } else if a.histogram.is_some() && a.histogram == b.histogram {
        Relation::EqualHistogram
    } else {
        Relation::Differs
    }
}

/// Whether a relation at this stage counts as equal. An equal histogram is enough only below the assembler: above it,
/// equal counts with another text are another program.
fn is_equal(stage: Stage, relation: Relation) -> bool {
    match relation {
        Relation::Equal | Relation::EqualButNames => true,
        Relation::EqualHistogram => matches!(stage, Stage::Cubin | Stage::Sass | Stage::Hsaco),
        Relation::Differs => false,
    }
}

/// Builds the strip. Each state maps its stages to facts; a failed or missing build is an empty map.
pub fn strip(states: &[BTreeMap<Stage, StageFacts>]) -> Strip {
    let mut columns = Vec::new();
    for stage in Stage::ALL {
        if states.iter().any(|state| state.contains_key(&stage)) {
            columns.push(column(stage, states));
        }
    }
    // A stage that only one state has says nothing about agreement.
    let compared = |column: &&StripColumn| column.cells.iter().flatten().count() > 1;
    let last_equal = columns.iter().filter(compared).rfind(|column| column.equal).map(|column| column.stage);
    let first_difference = columns
        .iter()
        .filter(compared)
        .find(|column| !column.equal && last_equal.is_none_or(|last| column.stage > last))
        .map(|column| column.stage);
    Strip { columns, last_equal, first_difference, difference: None }
}

impl Strip {
    /// The states whose reports tell what differs: the first that has the first stage that differs, and the last that
    /// differs from it.
    pub fn pair(&self) -> Option<(Stage, usize, usize)> {
        let stage = self.first_difference?;
        let column = self.columns.iter().find(|column| column.stage == stage)?;
        let letter = |n: usize| column.cells.get(n)?.as_ref().map(|cell| cell.letter);
        let first = (0..column.cells.len()).find(|&n| letter(n).is_some())?;
        let last = (0..column.cells.len()).rfind(|&n| letter(n).is_some_and(|other| Some(other) != letter(first)))?;
        Some((stage, first, last))
    }

    /// Says what the strip shows, in words.
    pub fn sentence(&self, names: &[String]) -> String {
        let equal = self.last_equal.map(|stage| format!("{} is equal", stage.label()));
        let Some(first) = self.first_difference else {
            return equal.map_or_else(
                || "The states have no stage in common.".to_owned(),
                |_| "Equal in every stage that two states have.".to_owned(),
            );
        };
        let equal = equal.map(|equal| format!("{equal}; ")).unwrap_or_default();
        let Some(difference) = &self.difference else { return format!("{equal}{} differs.", first.label()) };
        let mut words: Vec<String> = difference.changes.iter().take(NAMED).map(OperationChange::words).collect();
        let more = difference.changes.len().saturating_sub(NAMED) as u64 + difference.left_out;
        if more > 0 {
            words.push(format!("{} differ", display::plural(more, "other operation")));
        }
        if words.is_empty() {
            words.push("the same operations, in another order or with other operands".to_owned());
        }
        let name = |n: u32| names.get(usize::try_from(n).ok()?).map(String::as_str);
        let of = match (names.len() > 2, name(difference.states.0), name(difference.states.1)) {
            (true, Some(a), Some(b)) => format!(" of {b} against {a}"),
            _ => String::new(),
        };
        format!("{equal}{}{of}: {}.", first.label(), words.join("; "))
    }
}

fn column(stage: Stage, states: &[BTreeMap<Stage, StageFacts>]) -> StripColumn {
    let mut kinds: Vec<&StageFacts> = Vec::new();
    let mut cells = Vec::with_capacity(states.len());
    for state in states {
        let Some(facts) = state.get(&stage) else {
            cells.push(None);
            continue;
        };
        let known = kinds.iter().position(|kind| is_equal(stage, relation(kind, facts)));
        let at = known.unwrap_or(kinds.len());
        if known.is_none() {
            kinds.push(facts);
        }
        // At most `limits::STATES_PER_COMPARISON` letters.
        let letter = u8::try_from(at).map_or('?', |at| char::from(b'A'.saturating_add(at)));
        let relation = kinds.first().map_or(Relation::Equal, |first| relation(first, facts));
        cells.push(Some(StripCell { letter, relation, digest: facts.raw, amount: facts.amount }));
    }
    StripColumn { stage, equal: kinds.len() < 2, cells }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(raw: u8, normal: u8, histogram: u8) -> StageFacts {
        let digest = |n| Digest([n; 32]);
        let some = |n: u8| (n > 0).then(|| digest(n));
        StageFacts { raw: digest(raw), normal: some(normal), histogram: some(histogram), amount: None }
    }

    fn state(stages: &[(Stage, StageFacts)]) -> BTreeMap<Stage, StageFacts> {
        stages.iter().cloned().collect()
    }

    #[test]
    fn a_renamed_callee_in_source_does_not_hide_where_the_change_began() {
        let a = state(&[
            (Stage::Source, facts(1, 1, 0)),
            (Stage::Ttir, facts(2, 2, 0)),
            (Stage::Ttgir, facts(3, 3, 0)),
            (Stage::Ptx, facts(4, 4, 4)),
        ]);
        let b = state(&[
            (Stage::Source, facts(9, 9, 0)),
            (Stage::Ttir, facts(8, 2, 0)),
            (Stage::Ttgir, facts(7, 7, 0)),
            (Stage::Ptx, facts(6, 6, 6)),
        ]);
        let strip = strip(&[a, b]);
        assert_eq!((strip.last_equal, strip.first_difference), (Some(Stage::Ttir), Some(Stage::Ttgir)));
        let ttir = strip.columns.iter().find(|column| column.stage == Stage::Ttir).expect("a column");
        assert_eq!(
            ttir.cells[1].as_ref().map(|cell| (cell.letter, cell.relation)),
            Some(('A', Relation::EqualButNames))
        );
    }

    #[test]
    fn jitter_of_the_assembler_is_equal() {
        let a = state(&[(Stage::Ptx, facts(1, 1, 1)), (Stage::Sass, facts(2, 2, 5))]);
        let b = state(&[(Stage::Ptx, facts(1, 1, 1)), (Stage::Sass, facts(3, 3, 5))]);
        assert_eq!(strip(&[a, b]).first_difference, None);
    }

    #[test]
    fn equal_counts_above_the_assembler_are_no_identity() {
        let a = state(&[(Stage::Ptx, facts(1, 1, 5))]);
        let b = state(&[(Stage::Ptx, facts(2, 2, 5))]);
        assert_eq!(strip(&[a, b]).first_difference, Some(Stage::Ptx));
    }

    fn change(counts: [u64; 2], in_loop: Option<(u64, u64)>, place: Option<(u64, u64)>) -> String {
        let place = place.map(|(before, now)| ("attention.py:42".to_owned(), before, now));
        let name = "ttg.convert_layout".to_owned();
        OperationChange { name, before: counts[0], now: counts[1], in_loop, place }.words()
    }

    #[test]
    fn a_change_is_said_with_its_place() {
        assert_eq!(
            change([7, 11], Some((1, 5)), Some((1, 5))),
            "4 `ttg.convert_layout` more in the loop at attention.py:42"
        );
        assert_eq!(change([11, 7], Some((2, 2)), None), "4 `ttg.convert_layout` fewer");
        assert_eq!(change([11, 7], Some((5, 2)), None), "4 `ttg.convert_layout` fewer, 3 fewer in a loop");
        assert_eq!(
            change([7, 7], Some((5, 2)), Some((5, 2))),
            "as many `ttg.convert_layout`, 3 fewer in the loop at attention.py:42"
        );
        assert_eq!(change([1, 2_000], None, None), "1,999 `ttg.convert_layout` more");
    }

    #[test]
    fn the_sentence_names_stage_states_and_what_is_left_out() {
        let a = || state(&[(Stage::Ttir, facts(1, 1, 0)), (Stage::Ttgir, facts(2, 2, 0))]);
        let b = state(&[(Stage::Ttir, facts(1, 1, 0)), (Stage::Ttgir, facts(3, 3, 0))]);
        let mut strip = strip(&[a(), b, a()]);
        assert_eq!(strip.pair(), Some((Stage::Ttgir, 0, 1)), "the last state is equal to the first");
        let one = OperationChange { name: "tt.load".to_owned(), before: 1, now: 3, in_loop: None, place: None };
        strip.difference = Some(StageDifference { states: (0, 1), changes: vec![one; 5], left_out: 2 });
        let names = ["x", "y", "x"].map(str::to_owned);
        let said = strip.sentence(&names);
        assert!(said.starts_with("TTIR is equal; TTGIR of y against x: 2 `tt.load` more; "), "{said}");
        assert!(said.ends_with("3 other operations differ."), "{said}");
    }

    #[test]
    fn a_stage_of_one_state_decides_nothing() {
        let a = state(&[(Stage::Source, facts(1, 1, 0)), (Stage::Ttgir, facts(2, 2, 0))]);
        let b = state(&[(Stage::Ttgir, facts(3, 3, 0))]);
        let strip = strip(&[a, b, BTreeMap::new()]);
        assert_eq!(strip.first_difference, Some(Stage::Ttgir));
        assert_eq!(strip.columns[0].cells, vec![strip.columns[0].cells[0].clone(), None, None]);
    }
}
