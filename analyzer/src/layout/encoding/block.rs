//! How the blocks of a cluster share a tensor.

use super::{
    super::{
        axis::{Axis, Extent},
        error::LayoutError,
        linear::LinearLayout,
        shape::{RANK, Shape, log2},
    },
    fields::{self, Fields},
    tile,
};

/// Basis vectors of the block index, in units of one block's part; empty for a single block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockLayout {
    bases: Vec<Vec<u32>>,
}

impl BlockLayout {
    /// Reads `CGALayout` or the three lists (`CTAsPerCGA`, `CTASplitNum`, `CTAOrder`) that releases before it print.
    /// Neither means one block.
    pub(super) fn read(fields: &Fields<'_>, rank: usize) -> Result<Self, LayoutError> {
        if fields.contains_key("CGALayout") {
            let bases = fields::vectors(fields, "CGALayout")?;
            if bases.len() > 16 || bases.iter().any(|basis| basis.len() != rank) {
                return Err(LayoutError::Field("CGALayout"));
            }
            return Ok(Self { bases });
        }
        if !fields.contains_key("CTAsPerCGA") {
            return Ok(Self::default());
        }
        Self::from_counts(fields, rank)
    }

    fn from_counts(fields: &Fields<'_>, rank: usize) -> Result<Self, LayoutError> {
        let blocks = fields::powers(fields, "CTAsPerCGA")?;
        let splits = fields::powers(fields, "CTASplitNum")?;
        let order = fields::numbers(fields, "CTAOrder")?;
        if rank > RANK || blocks.len() != rank || splits.len() != rank || order.len() != rank {
            return Err(LayoutError::Field("CTAsPerCGA"));
        }
        let mut bases = Vec::new();
        for dim in order {
            let dim = dim as usize;
            let (Some(&blocks), Some(&split)) = (blocks.get(dim), splits.get(dim)) else {
                return Err(LayoutError::Field("CTAOrder"));
            };
            if split > blocks {
                return Err(LayoutError::Field("CTASplitNum"));
            }
            for bit in 0..blocks {
                let step = if bit < split { 1 << bit } else { 0 };
                bases.push((0..rank).map(|other| if other == dim { step } else { 0 }).collect());
            }
        }
        Ok(Self { bases })
    }

    /// The map from block index to part of the tensor, cut to the tensor.
    pub(super) fn to_linear(&self, shape: &Shape) -> Result<LinearLayout, LayoutError> {
        let reach = |dim: usize| self.bases.iter().filter_map(|basis| basis.get(dim)).fold(0, |all, value| all | value);
        let outputs: Vec<Extent> = (0..)
            .zip(0..shape.rank())
            .map(|(axis, dim)| Extent { axis: Axis::Dim(axis), bits: u32::BITS - reach(dim).leading_zeros() })
            .collect();
        let layout = LinearLayout::from_bases(&[(Axis::Block, self.bases.clone())], &outputs)?;
        tile::not_larger(&layout, shape)
    }

    /// The part of the shape that one block holds.
    pub(super) fn part(&self, shape: &Shape) -> Result<Shape, LayoutError> {
        let blocks = self.to_linear(shape)?;
        let bits = (0..).zip(shape.bits()).map(|(dim, bits)| bits.saturating_sub(blocks.output_bits(Axis::Dim(dim))));
        Shape::from_bits(bits.collect())
    }

    /// Extends the layout of one block to the whole tensor: the block's part is repeated or cut to what one block holds,
    /// then the blocks are put around it. Repetition follows the order of the layout's output dimensions.
    pub(super) fn around(&self, one: &LinearLayout, shape: &Shape) -> Result<LinearLayout, LayoutError> {
        let part = self.part(shape)?;
        let one = tile::not_larger(&tile::not_smaller(one, &part)?, &part)?;
        let whole = one.product(&self.to_linear(shape)?)?;
        tile::in_standard_order(&whole)
    }

    /// The blocks of a dot's operand: those that differ along the contraction hold the same.
    pub(super) fn repeated_along(&self, dim: usize) -> Self {
        let mut bases = self.bases.clone();
        for step in bases.iter_mut().filter_map(|basis| basis.get_mut(dim)) {
            *step = 0;
        }
        Self { bases }
    }

    /// Number of blocks, as a power of two.
    pub fn bits(&self) -> usize {
        self.bases.len()
    }
}

/// The exponent of a count that must be a power of two.
pub(super) fn exponent(count: u32, what: &'static str) -> Result<u32, LayoutError> {
    log2(u64::from(count), what)
}
