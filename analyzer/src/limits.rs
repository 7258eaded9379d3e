//! Bounds of one analysis. Every loop over input pays from the [`Budget`], so that work is bounded by steps and not by
//! what a header claims.

use crate::AnalyzeError;

/// What one analysis may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Input bytes.
    pub bytes: usize,
    /// Instructions or operations. The largest kernel of the corpus has 22,000.
    pub instructions: usize,
    /// Distinct mnemonics as written. The corpus has 450 in all.
    pub opcodes: usize,
    /// Functions of one artifact.
    pub functions: usize,
    /// Stored items of any other kind: functions, labels, branches, locations, sections, symbols, attributes.
    pub entries: usize,
    /// Work: about one nanosecond each.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: usize::try_from(lowerline_shared::limits::INFLATED_BYTES).unwrap_or(usize::MAX),
            instructions: 16 << 20,
            opcodes: 8 << 10,
            functions: 4 << 10,
            entries: 1 << 19,
            steps: 8_000_000_000,
        }
    }
}

/// What is left of the [`Limits`] during one analysis.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    entries: usize,
    steps: u64,
}

impl Budget {
    /// A full budget.
    pub const fn new(limits: &Limits) -> Self {
        Self { limits: *limits, entries: limits.entries, steps: limits.steps }
    }

    /// The limits it began with.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Pays for work: about one step a nanosecond.
    #[inline]
    pub const fn work(&mut self, steps: u64) -> Result<(), AnalyzeError> {
        match self.steps.checked_sub(steps) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => Err(AnalyzeError::TooMuchWork { limit: self.limits.steps }),
        }
    }

    /// Pays for items that will be stored, before they are.
    #[inline]
    pub const fn store(&mut self, entries: usize) -> Result<(), AnalyzeError> {
        match self.entries.checked_sub(entries) {
            Some(left) => {
                self.entries = left;
                Ok(())
            }
            None => Err(AnalyzeError::TooMany { what: "entries", limit: self.limits.entries }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_limit_is_accepted_and_one_more_is_not() {
        let mut budget = Budget::new(&Limits { entries: 2, steps: 3, ..Limits::default() });
        assert_eq!(budget.store(2), Ok(()));
        assert_eq!(budget.store(1), Err(AnalyzeError::TooMany { what: "entries", limit: 2 }));
        assert_eq!(budget.work(3), Ok(()));
        assert_eq!(budget.work(1), Err(AnalyzeError::TooMuchWork { limit: 3 }));
    }
}
