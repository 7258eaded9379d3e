//! `v_wmma`: waves of 32 lanes.

use super::super::{
    super::{
        attribute::{Attribute, Value},
        axis::{Axis, Extent},
        error::LayoutError,
        linear::LinearLayout,
        shape::Shape,
    },
    block::{BlockLayout, exponent},
    blocked::contraction,
    fields, tile,
};

/// `amd_wmma`, versions 1 (RDNA3), 2 (RDNA4) and 3 (gfx1250).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wmma {
    /// 1, 2 or 3.
    pub version: u32,
    /// Whether a lane's values run along a row (`true`) or along a column.
    pub is_transposed: bool,
    /// How registers and warps repeat the instruction's tile, in units of tiles.
    pub repeats: LinearLayout,
    /// Contraction of one instruction, as a power of two.
    pub k: u32,
    /// Blocks of the cluster.
    pub blocks: BlockLayout,
}

/// Rows and columns of the instruction's result, as a power of two.
const TILE: u32 = 4;

impl Wmma {
    pub(in super::super) fn read(attribute: &Attribute<'_>) -> Result<Self, LayoutError> {
        let fields = &attribute.fields;
        let version = fields::number(fields, "version")?;
        if !(1..=3).contains(&version) {
            return Err(LayoutError::Field("version"));
        }
        let k = match fields.get("instrShape") {
            None => 4,
            Some(_) => match fields::numbers(fields, "instrShape")?.as_slice() {
                [16, 16, k] => exponent(*k, "instrShape")?,
                _ => return Err(LayoutError::Field("instrShape")),
            },
        };
        let repeats = match fields.get("ctaLayout") {
            Some(Value::Fields(bases)) => written_out(bases)?,
            Some(_) => return Err(LayoutError::Field("ctaLayout")),
            None => counted(fields)?,
        };
        let rank = repeats.outputs().len();
        let is_transposed = fields::flag(fields, "isTranspose")?;
        Ok(Self { version, is_transposed, repeats, k, blocks: BlockLayout::read(fields, rank)? })
    }

    /// Rank of the tensors.
    pub const fn rank(&self) -> usize {
        self.repeats.outputs.len()
    }

    pub(in super::super) fn to_linear(&self, shape: &Shape) -> Result<LinearLayout, LayoutError> {
        let rank = self.rank();
        super::super::blocked::demand_rank(rank, shape)?;
        if (rank - 2..rank).any(|dim| (1..TILE).contains(&shape.dim(dim))) {
            return Err(LayoutError::Invalid("the tensor is smaller than the result of v_wmma"));
        }
        let (rows, columns) = (tile::axis(rank - 2), tile::axis(rank - 1));
        let (lanes_along, runs_along) = if self.is_transposed { (rows, columns) } else { (columns, rows) };
        let outputs = [Extent { axis: lanes_along, bits: TILE }, Extent { axis: runs_along, bits: TILE }];
        // Version 1 interleaves the two halves of a wave row by row, later ones give each half eight rows.
        let (runs, half) = if self.version == 1 { ([2, 4, 8], 1) } else { ([1, 2, 4], 8) };
        let registers = runs.iter().map(|&run| vec![0, run]).collect();
        let lanes = [vec![1, 0], vec![2, 0], vec![4, 0], vec![8, 0], vec![0, half]].to_vec();
        let one = LinearLayout::from_bases(&[(Axis::Register, registers), (Axis::Lane, lanes)], &outputs)?;
        let one = tile::spread(&one, &tile::row_major(rank))?.product(&self.repeats)?;
        self.blocks.around(&one, shape)
    }

    /// Layout of an operand.
    pub(in super::super) fn operand(
        &self,
        operand: usize,
        k_width: u32,
        shape: &Shape,
    ) -> Result<LinearLayout, LayoutError> {
        let rank = self.rank();
        let k = contraction(operand, rank, shape)?;
        let other = if operand == 0 { rank - 2 } else { rank - 1 };
        let (k_axis, other_axis) = (tile::axis(k), tile::axis(other));
        let halves = if self.version == 1 {
            LinearLayout::zeros(1, Axis::Lane, k_axis)
        } else {
            LinearLayout::identity(1, Axis::Lane, k_axis)
        };
        // A thread walks the whole contraction before the next tile of rows (or columns).
        let rest = self.k.max(shape.dim(k)).saturating_sub(k_width + 1);
        let one = LinearLayout::identity(k_width, Axis::Register, k_axis)
            .product(&LinearLayout::identity(TILE, Axis::Lane, other_axis))?
            .product(&halves)?
            .product(&LinearLayout::identity(rest, Axis::Register, k_axis))?;
        let mut order = vec![k, other];
        order.extend((0..rank - 2).rev());
        let one = tile::spread(&one, &order)?.product(&self.repeats_along(k)?)?;
        self.blocks.around(&one, shape)
    }

    /// The repeats with all indices along the contraction holding the same elements.
    fn repeats_along(&self, k: usize) -> Result<LinearLayout, LayoutError> {
        let without = |axis| {
            let bases = self.repeats.bases_as_u32(axis)?;
            let cleared = bases.into_iter().map(|mut basis| {
                if let Some(step) = basis.get_mut(k) {
                    *step = 0;
                }
                basis
            });
            let cleared: Vec<Vec<u32>> = match axis {
                // A register that would only repeat another is no register.
                Axis::Register => cleared.filter(|basis| basis.iter().any(|&step| step != 0)).collect(),
                _ => cleared.collect(),
            };
            Ok::<_, LayoutError>((axis, cleared))
        };
        let outputs: Vec<Extent> = self
            .repeats
            .outputs
            .iter()
            .map(|output| Extent { bits: if output.axis == tile::axis(k) { 0 } else { output.bits }, ..*output })
            .collect();
        LinearLayout::from_bases(&[without(Axis::Register)?, without(Axis::Warp)?], &outputs)
    }
}

/// `ctaLayout = {register = …, warp = …}`, as releases since 3.6 print.
fn written_out(bases: &fields::Fields<'_>) -> Result<LinearLayout, LayoutError> {
    let layout = fields::written_out(bases, &[Axis::Register, Axis::Warp])?;
    if (2..=3).contains(&layout.outputs().len()) { Ok(layout) } else { Err(LayoutError::Field("ctaLayout")) }
}

/// `warpsPerCTA` and `tilesPerWarp`, as releases before print.
fn counted(fields: &fields::Fields<'_>) -> Result<LinearLayout, LayoutError> {
    let warps = fields::powers(fields, "warpsPerCTA")?;
    let rank = warps.len();
    if !(2..=3).contains(&rank) {
        return Err(LayoutError::Field("warpsPerCTA"));
    }
    let tiles =
        if fields.contains_key("tilesPerWarp") { fields::powers(fields, "tilesPerWarp")? } else { vec![0; rank] };
    if tiles.len() != rank {
        return Err(LayoutError::Field("tilesPerWarp"));
    }
    let order = tile::row_major(rank);
    let layout =
        tile::standard(Axis::Register, &tiles, &order)?.product(&tile::standard(Axis::Warp, &warps, &order)?)?;
    tile::in_standard_order(&layout)
}
