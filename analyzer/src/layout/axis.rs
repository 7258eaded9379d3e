//! Names of the dimensions a layout maps from and to.

use std::fmt;

/// A dimension: hardware on one side, tensor on the other. Compositions and inverses may use any on either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Axis {
    /// Register of a thread: the index among the values one thread holds.
    Register,
    /// Thread in its warp (wave).
    Lane,
    /// Warp in its block.
    Warp,
    /// Block (CTA) in its cluster.
    Block,
    /// Element offset in shared memory.
    Offset,
    /// Row (lane) of tensor memory.
    Row,
    /// Column of tensor memory.
    Column,
    /// Dimension of the tensor, 0 first.
    Dim(u8),
}

impl Axis {
    /// The axis of a name as Triton writes it (`register`, `dim0`, `col`); `None` for any other word.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "register" => Self::Register,
            "lane" => Self::Lane,
            "warp" => Self::Warp,
            "block" => Self::Block,
            "offset" => Self::Offset,
            "row" => Self::Row,
            "col" => Self::Column,
            _ => Self::Dim(name.strip_prefix("dim")?.parse().ok()?),
        })
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register => f.write_str("register"),
            Self::Lane => f.write_str("lane"),
            Self::Warp => f.write_str("warp"),
            Self::Block => f.write_str("block"),
            Self::Offset => f.write_str("offset"),
            Self::Row => f.write_str("row"),
            Self::Column => f.write_str("col"),
            Self::Dim(index) => write!(f, "dim{index}"),
        }
    }
}

/// A dimension with its size, a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extent {
    /// Which dimension.
    pub axis: Axis,
    /// Its size as a power of two; 0 is size 1.
    pub bits: u32,
}

/// Position of an axis in a packed index: the first extent owns the lowest bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub shift: u32,
    pub bits: u32,
}

impl Field {
    /// The axis' part of a packed index.
    pub const fn of(self, packed: u64) -> u64 {
        (packed >> self.shift) & ((1 << self.bits) - 1)
    }
}

/// Where an axis sits among the extents; `None` when it is not one of them.
pub(super) fn field(extents: &[Extent], axis: Axis) -> Option<Field> {
    let mut shift = 0;
    for extent in extents {
        if extent.axis == axis {
            return Some(Field { shift, bits: extent.bits });
        }
        shift += extent.bits;
    }
    None
}

/// Sum of the bits of the extents.
pub(super) fn total_bits(extents: &[Extent]) -> u32 {
    extents.iter().map(|extent| extent.bits).sum()
}
