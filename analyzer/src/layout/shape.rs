//! Shapes: powers of two, bounded.

use super::error::LayoutError;

/// Highest rank of a tensor.
pub const RANK: usize = 5;
/// Most elements of a tensor, as a power of two. The largest tile of the corpus has 2^16.
pub const ELEMENT_BITS: u32 = 24;

/// The shape of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    bits: Vec<u32>,
}

impl Shape {
    /// Checks sizes: rank 1 to 5, each a power of two, at most 2^24 elements together.
    pub fn new(sizes: &[u64]) -> Result<Self, LayoutError> {
        if sizes.is_empty() || sizes.len() > RANK {
            return Err(LayoutError::Rank { expected: RANK, got: sizes.len() });
        }
        let bits = sizes.iter().map(|&size| log2(size, "a dimension of the tensor")).collect::<Result<Vec<_>, _>>()?;
        Self::from_bits(bits)
    }

    /// A shape of sizes given as powers of two.
    pub(super) fn from_bits(bits: Vec<u32>) -> Result<Self, LayoutError> {
        if bits.iter().sum::<u32>() > ELEMENT_BITS {
            return Err(LayoutError::TooLarge { bits: ELEMENT_BITS });
        }
        Ok(Self { bits })
    }

    /// Number of dimensions.
    pub const fn rank(&self) -> usize {
        self.bits.len()
    }

    /// Sizes as powers of two.
    pub fn bits(&self) -> &[u32] {
        &self.bits
    }

    /// Sizes.
    pub fn sizes(&self) -> Vec<u64> {
        self.bits.iter().map(|bits| 1 << bits).collect()
    }

    /// Bits of one dimension; 0 when there is no such dimension.
    pub(super) fn dim(&self, dim: usize) -> u32 {
        self.bits.get(dim).copied().unwrap_or(0)
    }
}

/// The exponent of a power of two of at most 2^24.
pub(super) fn log2(value: u64, what: &'static str) -> Result<u32, LayoutError> {
    if !value.is_power_of_two() {
        return Err(LayoutError::NotPowerOfTwo { what, value });
    }
    let bits = value.trailing_zeros();
    if bits > ELEMENT_BITS { Err(LayoutError::TooLarge { bits: ELEMENT_BITS }) } else { Ok(bits) }
}
