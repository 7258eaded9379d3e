//! Gaussian elimination over F2 on vectors of at most 64 bits.

/// The span of some vectors, with how each member is the XOR of them.
///
/// Vectors are taken in the order given and one that is a XOR of earlier ones is never used again, so every member has
/// one expression, and it prefers early vectors.
pub(super) struct Span {
    /// Reduced vector whose highest bit is the position, with the set of given vectors that sum to it.
    rows: [Option<(u64, u64)>; 64],
}

impl Span {
    /// The span of vectors numbered from 0. At most 64 are taken.
    pub fn of(vectors: &[u64]) -> Self {
        Self::with_indices((0..64).zip(vectors.iter().copied()))
    }

    /// The span of vectors with their numbers, below 64.
    pub fn with_indices(vectors: impl Iterator<Item = (u32, u64)>) -> Self {
        let mut span = Self { rows: [None; 64] };
        for (index, vector) in vectors {
            let (rest, used) = span.reduce(vector);
            if let Some(row) = span.rows.get_mut(63_usize.wrapping_sub(rest.leading_zeros() as usize)) {
                *row = Some((rest, used ^ (1 << index)));
            }
        }
        span
    }

    /// Number of independent vectors.
    pub fn rank(&self) -> u32 {
        self.rows.iter().flatten().map(|_| 1).sum()
    }

    /// The set of vectors, as bits, that sum to `target`; `None` when it is outside the span.
    pub fn express(&self, target: u64) -> Option<u64> {
        match self.reduce(target) {
            (0, used) => Some(used),
            _ => None,
        }
    }

    /// What is left of a vector when the rows are taken out, and the set of vectors that were.
    fn reduce(&self, vector: u64) -> (u64, u64) {
        self.rows.iter().enumerate().rev().fold((vector, 0), |(rest, used), (bit, row)| match row {
            Some((row, made_of)) if rest >> bit & 1 == 1 => (rest ^ row, used ^ made_of),
            _ => (rest, used),
        })
    }
}
