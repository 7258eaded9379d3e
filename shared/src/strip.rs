//! The stage strip: which stages of two or more builds are equal, and where a change began.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{ids::Digest, stage::Stage};

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
    Strip { columns, last_equal, first_difference }
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

    #[test]
    fn a_stage_of_one_state_decides_nothing() {
        let a = state(&[(Stage::Source, facts(1, 1, 0)), (Stage::Ttgir, facts(2, 2, 0))]);
        let b = state(&[(Stage::Ttgir, facts(3, 3, 0))]);
        let strip = strip(&[a, b, BTreeMap::new()]);
        assert_eq!(strip.first_difference, Some(Stage::Ttgir));
        assert_eq!(strip.columns[0].cells, vec![strip.columns[0].cells[0].clone(), None, None]);
    }
}
