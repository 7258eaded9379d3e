//! Family counts of many histograms at one scope, and builds that were counted twice.

use std::collections::{BTreeMap, HashMap};

use lowerline_shared::{
    agreement::{self, Difference},
    family::Family,
    stage::Scope,
};

use crate::db::{self, Codes, Pool, compare::TwiceCountedRow};

/// What SASS text and cubin of each lowering count differently; a lowering on which they agree is absent. Rows of one
/// lowering stand together.
pub fn disagreements(rows: &[TwiceCountedRow]) -> BTreeMap<i32, Vec<Difference>> {
    let mut out = BTreeMap::new();
    for group in rows.chunk_by(|a, b| a.lowering_id == b.lowering_id) {
        let counts = group.iter().map(|row| (row.opcode.as_str(), row.text, row.decoded));
        let differing = agreement::differences(counts);
        if let (Some(row), false) = (group.first(), differing.is_empty()) {
            out.insert(row.lowering_id, differing);
        }
    }
    out
}

/// Counts by histogram and family.
#[derive(Debug, Default)]
pub struct FamilyCounts(HashMap<i32, Vec<i64>>);

impl FamilyCounts {
    /// Reads the counts of histograms.
    pub async fn load(pool: &Pool, codes: &Codes, histogram_ids: &[i32], scope: Scope) -> db::Result<Self> {
        let mut counts = HashMap::with_capacity(histogram_ids.len());
        for row in db::trend::list_family_counts(pool, histogram_ids).await? {
            let column = match scope {
                Scope::Function => &row.in_function,
                Scope::Loop => &row.in_loop,
                Scope::Hot => &row.in_hot,
            };
            let mut by_family = vec![0; Family::ALL.len()];
            for (&code, &n) in row.family.iter().zip(column) {
                if let Some(family) = codes.family(code) {
                    by_family[family as usize] += i64::from(n);
                }
            }
            counts.insert(row.histogram_id, by_family);
        }
        Ok(Self(counts))
    }

    /// The count of a family; `None` when there is no histogram.
    pub fn family(&self, histogram: Option<i32>, family: Family) -> Option<i64> {
        self.0.get(&histogram?).map(|counts| counts[family as usize])
    }

    /// All instructions but padding; `None` when there is no histogram.
    pub fn instructions(&self, histogram: Option<i32>) -> Option<i64> {
        let counts = self.0.get(&histogram?)?;
        Some(
            Family::ALL.into_iter().filter(|family| family.info().in_total).map(|family| counts[family as usize]).sum(),
        )
    }

    /// Sum of absolute differences between two histograms; a missing one counts as empty.
    pub fn distance(&self, a: Option<i32>, b: Option<i32>) -> u64 {
        Family::ALL
            .into_iter()
            .map(|family| {
                let count = |histogram| self.family(histogram, family).unwrap_or(0);
                count(a).abs_diff(count(b))
            })
            .sum()
    }
}
