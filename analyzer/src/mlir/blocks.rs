//! Branches of `cf` that lead back.

use std::collections::HashSet;

use crate::{AnalyzeError, Budget};

/// Block labels of the function being read.
///
/// Loops of an MLIR stage are operations with regions (`scf.for`). Triton's front end makes blocks only for an early
/// `return`, which leads forward; a branch back is a loop that nothing else would tell of.
#[derive(Debug, Default)]
pub(super) struct Blocks<'a> {
    seen: HashSet<&'a str>,
    /// Branches to a block that stands before them.
    pub back: u64,
}

impl<'a> Blocks<'a> {
    pub(super) fn begin_function(&mut self) {
        self.seen.clear();
    }

    /// `^bb1(%x: f32):`.
    pub(super) fn label(&mut self, line: &'a str, budget: &mut Budget) -> Result<(), AnalyzeError> {
        budget.store(1)?;
        self.seen.insert(name(line));
        Ok(())
    }

    /// An operation of `cf`, with its successors in its line: `cf.cond_br %c, ^bb1, ^bb2(%x : i32)`.
    pub(super) fn branch(&mut self, line: &str) {
        let successors = line.split('^').skip(1).map(name);
        self.back += u64::from(successors.into_iter().any(|successor| self.seen.contains(successor)));
    }
}

/// The label at the start of a text, without `^`.
fn name(text: &str) -> &str {
    let text = text.trim_start_matches('^');
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '$' | '.' | '-'));
    text.get(..end.unwrap_or(text.len())).unwrap_or("")
}
