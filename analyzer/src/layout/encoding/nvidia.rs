//! Results and operands of NVIDIA matrix instructions (`mma.sync`, `wgmma`).

use super::{
    super::{attribute::Attribute, axis::Axis, error::LayoutError, linear::LinearLayout, shape::Shape},
    block::{BlockLayout, exponent},
    blocked::{contraction, demand_rank, repeated},
    fields, tile,
};

/// `nvidia_mma`, versions 2 (`mma.sync`) and 3 (`wgmma`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NvidiaMma {
    /// `versionMajor`: 2 or 3.
    pub version: u32,
    /// `warpsPerCTA`, as powers of two.
    pub warps: Vec<u32>,
    /// Rows and columns of the instruction's result, as powers of two.
    pub tile: (u32, u32),
    /// Blocks of the cluster.
    pub blocks: BlockLayout,
}

impl NvidiaMma {
    pub(super) fn read(attribute: &Attribute<'_>) -> Result<Self, LayoutError> {
        let fields = &attribute.fields;
        let version = fields::number(fields, "versionMajor")?;
        let warps = fields::powers(fields, "warpsPerCTA")?;
        if !(2..=3).contains(&warps.len()) {
            return Err(LayoutError::Field("warpsPerCTA"));
        }
        // Version 2 writes the tile with the batch dimension, version 3 as m, n, k.
        let shape = fields::numbers(fields, "instrShape")?;
        let (rows, columns) = match (version, shape.as_slice()) {
            (2, [.., rows, columns]) | (3, [rows, columns, _]) => (*rows, *columns),
            (2 | 3, _) => return Err(LayoutError::Field("instrShape")),
            _ => return Err(LayoutError::Invalid("only versions 2 and 3 of nvidia_mma have basis vectors")),
        };
        let tile = (exponent(rows, "instrShape")?, exponent(columns, "instrShape")?);
        if tile.0 < 3 || tile.1 < 3 {
            return Err(LayoutError::Invalid("the instruction's result is smaller than 8 by 8"));
        }
        let blocks = BlockLayout::read(fields, warps.len())?;
        Ok(Self { version, warps, tile, blocks })
    }

    pub(super) fn to_linear(&self, shape: &Shape) -> Result<LinearLayout, LayoutError> {
        let rank = self.warps.len();
        demand_rank(rank, shape)?;
        let (outer, inner) = (rank - 2, rank - 1);
        let order = tile::row_major(rank);
        let one = fragment(outer, inner, self.tile, 1)?;
        let warps = tile::standard(Axis::Warp, &self.warps, &self.warp_order())?;
        let one = tile::spread(&one, &order)?.product(&warps)?;
        self.blocks.around(&one, shape)
    }

    /// Layout of an operand held in registers.
    pub(super) fn operand(&self, operand: usize, k_width: u32, shape: &Shape) -> Result<LinearLayout, LayoutError> {
        let rank = self.warps.len();
        let k = contraction(operand, rank, shape)?;
        if operand == 1 && self.version == 3 {
            return Err(LayoutError::Invalid("wgmma reads its right operand from shared memory"));
        }
        let other = if operand == 0 { rank - 2 } else { rank - 1 };
        let other_bits = if operand == 0 { 4 } else { 3 };
        let one = fragment(other, k, (other_bits, k_width + 3), k_width)?;
        let mut order = vec![k, other];
        order.extend((0..rank - 2).rev());
        let warps = repeated(Axis::Warp, &self.warps, &self.warp_order(), k)?;
        let one = tile::spread(&one, &order)?.product(&warps)?;
        self.blocks.repeated_along(k).around(&one, shape)
    }

    /// `wgmma` gives its warps out along the rows first, `mma.sync` along the columns first.
    fn warp_order(&self) -> Vec<usize> {
        let rank = self.warps.len();
        if self.version == 3 { (0..rank).collect() } else { tile::row_major(rank) }
    }
}

/// One instruction's fragment: a thread holds `2^k_width` neighbours along `inner`, four lanes continue there, eight go
/// along `outer`, and registers repeat that over the tile, `outer` first.
fn fragment(outer: usize, inner: usize, tile: (u32, u32), k_width: u32) -> Result<LinearLayout, LayoutError> {
    let (outer, inner) = (tile::axis(outer), tile::axis(inner));
    let (Some(outer_rest), Some(inner_rest)) = (tile.0.checked_sub(3), tile.1.checked_sub(k_width + 2)) else {
        return Err(LayoutError::Invalid("the instruction's tile is smaller than its fragment"));
    };
    LinearLayout::identity(k_width, Axis::Register, inner)
        .product(&LinearLayout::identity(2, Axis::Lane, inner))?
        .product(&LinearLayout::identity(3, Axis::Lane, outer))?
        .product(&LinearLayout::identity(outer_rest, Axis::Register, outer))?
        .product(&LinearLayout::identity(inner_rest, Axis::Register, inner))
}
