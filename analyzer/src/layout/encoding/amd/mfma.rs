//! `v_mfma`: waves of 64 lanes.

use super::super::{
    super::{attribute::Attribute, axis::Axis, error::LayoutError, linear::LinearLayout, shape::Shape},
    block::{BlockLayout, exponent},
    blocked::{contraction, demand_rank},
    fields, tile,
};

/// Lanes of a wave, as a power of two.
const LANES: u32 = 6;

/// `amd_mfma`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mfma {
    /// `warpsPerCTA`, as powers of two.
    pub warps: Vec<u32>,
    /// Instruction tiles of one warp, as powers of two, one for each dimension.
    pub tiles: Vec<u32>,
    /// Rows and columns of the instruction's result, as powers of two.
    pub tile: (u32, u32),
    /// Whether a lane's values run along a row (`true`) or along a column.
    pub is_transposed: bool,
    /// Rows a lane holds in a run, as a power of two: 4 rows, or 1 for 64-bit results.
    pub run: u32,
    /// Blocks of the cluster.
    pub blocks: BlockLayout,
}

impl Mfma {
    pub(in super::super) fn read(attribute: &Attribute<'_>) -> Result<Self, LayoutError> {
        let fields = &attribute.fields;
        let warps = fields::powers(fields, "warpsPerCTA")?;
        if !(2..=3).contains(&warps.len()) {
            return Err(LayoutError::Field("warpsPerCTA"));
        }
        let tile = match fields::numbers(fields, "instrShape")?.as_slice() {
            [rows, columns] | [rows, columns, _] => (exponent(*rows, "instrShape")?, exponent(*columns, "instrShape")?),
            _ => return Err(LayoutError::Field("instrShape")),
        };
        if !matches!(tile, (5, 5) | (4, 4) | (6, 2) | (2, 6)) {
            return Err(LayoutError::Invalid("v_mfma has results of 32x32, 16x16, 64x4 and 4x64"));
        }
        let tiles = if fields.contains_key("tilesPerWarp") {
            fields::powers(fields, "tilesPerWarp")?
        } else {
            vec![0; warps.len()]
        };
        if tiles.len() != warps.len() {
            return Err(LayoutError::Field("tilesPerWarp"));
        }
        let run = match fields::number_or(fields, "elementBitWidth", 32)? {
            32 => 2,
            64 => 0,
            _ => return Err(LayoutError::Field("elementBitWidth")),
        };
        let is_transposed = fields::flag(fields, "isTransposed")?;
        if tile == (6, 2) && !is_transposed {
            return Err(LayoutError::Invalid("the 64x4 instruction has a transposed result only"));
        }
        let blocks = BlockLayout::read(fields, warps.len())?;
        Ok(Self { warps, tiles, tile, is_transposed, run, blocks })
    }

    pub(in super::super) fn to_linear(&self, shape: &Shape) -> Result<LinearLayout, LayoutError> {
        let rank = self.warps.len();
        demand_rank(rank, shape)?;
        let (rows, columns) = (tile::axis(rank - 2), tile::axis(rank - 1));
        let (runs_along, lanes_along, lanes) =
            if self.is_transposed { (columns, rows, self.tile.0) } else { (rows, columns, self.tile.1) };
        let repeats = (self.tile.0 + self.tile.1).saturating_sub(LANES + self.run);
        let one = LinearLayout::identity(self.run, Axis::Register, runs_along)
            .product(&LinearLayout::identity(lanes, Axis::Lane, lanes_along))?
            .product(&LinearLayout::identity(LANES.saturating_sub(lanes), Axis::Lane, runs_along))?
            .product(&LinearLayout::identity(repeats, Axis::Register, runs_along))?
            .with_outputs(&[columns, rows])?;
        // Tiles are numbered along the whole row of the tensor before the next row of tiles begins.
        let (row_tiles, column_tiles) = (self.tiles[rank - 2], self.tiles[rank - 1]);
        let (row_warps, column_warps) = (self.warps[rank - 2], self.warps[rank - 1]);
        let rest = shape.dim(rank - 1).saturating_sub(self.tile.1 + column_warps + column_tiles);
        let mut one = one
            .product(&LinearLayout::identity(column_tiles, Axis::Register, columns))?
            .product(&LinearLayout::identity(column_warps, Axis::Warp, columns))?
            .product(&LinearLayout::identity(rest, Axis::Register, columns))?
            .product(&LinearLayout::identity(row_tiles, Axis::Register, rows))?
            .product(&LinearLayout::identity(row_warps, Axis::Warp, rows))?;
        if rank == 3 {
            one = one.product(&LinearLayout::identity(self.warps[0], Axis::Warp, tile::axis(0)))?;
        }
        self.blocks.around(&one, shape)
    }

    /// Layout of an operand.
    pub(in super::super) fn operand(
        &self,
        operand: usize,
        k_width: u32,
        shape: &Shape,
    ) -> Result<LinearLayout, LayoutError> {
        let rank = self.warps.len();
        let k = contraction(operand, rank, shape)?;
        let other = if operand == 0 { rank - 2 } else { rank - 1 };
        let lanes = if operand == 0 { self.tile.0 } else { self.tile.1 };
        let (k_axis, other_axis) = (tile::axis(k), tile::axis(other));
        let mut one = LinearLayout::identity(k_width, Axis::Register, k_axis)
            .product(&LinearLayout::identity(lanes, Axis::Lane, other_axis))?
            .product(&LinearLayout::identity(LANES.saturating_sub(lanes), Axis::Lane, k_axis))?;
        let mut k_tile = LANES.saturating_sub(lanes) + k_width;
        // The operand of 64 rows (or columns) is broadcast by the instruction over 16 steps of the contraction.
        if matches!((self.tile, operand), ((6, 2), 0) | ((2, 6), 1)) {
            one = one.product(&LinearLayout::identity(4, Axis::Register, k_axis))?;
            k_tile += 4;
        }
        one = one
            .product(&LinearLayout::identity(shape.dim(k).saturating_sub(k_tile), Axis::Register, k_axis))?
            .product(&LinearLayout::identity(self.tiles[other], Axis::Register, other_axis))?;
        let mut order = vec![k, other];
        order.extend((0..rank - 2).rev());
        let one = tile::spread(&one, &order)?;
        let warps = tile::standard(Axis::Warp, &self.warps, &tile::row_major(rank))?;
        self.blocks.around(&one.product(&warps)?, shape)
    }
}
