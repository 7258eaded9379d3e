//! Shared memory layouts other than those of matrix instructions.

use super::{
    super::{
        attribute::Attribute,
        axis::{Axis, Extent},
        error::LayoutError,
        linear::LinearLayout,
        shape::{RANK, Shape},
    },
    Encoding,
    block::BlockLayout,
    blocked::demand_rank,
    fields, nvmma, outputs_of, tile,
};

/// How the phase of a swizzle moves on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// Repeats every `perPhase * maxPhase` rows.
    None,
    /// Is XORed with the number of the group of `perPhase * maxPhase` rows (`amd_rotating_shared`).
    ByBlock,
}

/// `swizzled_shared` and `amd_rotating_shared`: rows whose groups of elements are XORed with the row's phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwizzledShared {
    /// Elements that stay together.
    pub vector: u32,
    /// Rows of one phase.
    pub per_phase: u32,
    /// Number of phases.
    pub max_phase: u32,
    /// Dimensions, fastest first.
    pub order: Vec<usize>,
    /// How phases move on.
    pub rotation: Rotation,
    /// Blocks of the cluster.
    pub blocks: BlockLayout,
}

impl SwizzledShared {
    pub(super) fn read(attribute: &Attribute<'_>, rotation: Rotation) -> Result<Self, LayoutError> {
        let fields = &attribute.fields;
        let rank = fields::numbers(fields, "order")?.len();
        if rank == 0 {
            return Err(LayoutError::Field("order"));
        }
        let power = |name| fields::power(fields, name).map(|bits| 1 << bits);
        Ok(Self {
            vector: power("vec")?,
            per_phase: power("perPhase")?,
            max_phase: power("maxPhase")?,
            order: fields::order(fields, rank)?,
            rotation,
            blocks: BlockLayout::read(fields, rank)?,
        })
    }

    pub(super) fn to_linear(&self, shape: &Shape) -> Result<LinearLayout, LayoutError> {
        demand_rank(self.order.len(), shape)?;
        let part = self.blocks.part(shape)?;
        let [column, row, rest @ ..] = self.order.as_slice() else {
            let line = LinearLayout::identity(part.dim(0), Axis::Offset, Axis::Dim(0));
            return self.blocks.around(&line, shape);
        };
        let extent = |dim: usize| Extent { axis: tile::axis(dim), bits: part.dim(dim) };
        let columns = (0..part.dim(*column)).map(|bit| vec![0, 1 << bit]);
        let rows = (0..part.dim(*row)).map(|bit| vec![1 << bit, self.swizzle(1 << bit, part.dim(*column))]);
        let bases = columns.chain(rows).collect();
        let plane = LinearLayout::from_bases(&[(Axis::Offset, bases)], &[extent(*row), extent(*column)])?;
        let one = rest.iter().try_fold(plane, |layout, &dim| {
            layout.product(&LinearLayout::identity(part.dim(dim), Axis::Offset, tile::axis(dim)))
        })?;
        self.blocks.around(&one, shape)
    }

    /// The columns a row's elements are moved by; `row` is a power of two.
    fn swizzle(&self, row: u32, column_bits: u32) -> u32 {
        let phase = row / self.per_phase % self.max_phase;
        let phase = match self.rotation {
            Rotation::None => phase,
            Rotation::ByBlock => phase ^ (row / self.max_phase / self.per_phase % self.max_phase),
        };
        let mask = (1_u64 << column_bits) - 1;
        u32::try_from((u64::from(self.vector) * u64::from(phase)) & mask).unwrap_or(0)
    }
}

/// `padded_shared`: offsets written out, with gaps behind every so many elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaddedShared {
    /// Pairs of interval and padding, both in elements: that many extra elements lie behind each interval.
    pub pads: Vec<(u64, u64)>,
    /// Offset before padding → element.
    pub offsets: LinearLayout,
}

impl PaddedShared {
    pub(super) fn read(attribute: &Attribute<'_>) -> Result<Self, LayoutError> {
        let fields = &attribute.fields;
        let pads = attribute.pads.clone();
        if pads.is_empty() || pads.iter().any(|(interval, padding)| !interval.is_power_of_two() || *padding >> 24 != 0)
        {
            return Err(LayoutError::Invalid("padding needs intervals that are powers of two"));
        }
        let offsets = if fields.contains_key("offset") {
            fields::written_out(fields, &[Axis::Offset, Axis::Block])?
        } else {
            let bits = fields::powers(fields, "shape")?;
            let order = fields::order(fields, bits.len())?;
            let line = tile::standard(Axis::Offset, &bits, &order)?;
            tile::in_standard_order(&line.product(&LinearLayout::zeros(0, Axis::Block, Axis::Dim(0)))?)?
        };
        Ok(Self { pads, offsets })
    }

    /// The offset of an element with the gaps below it counted in.
    pub fn padded(&self, offset: u64) -> u64 {
        self.pads
            .iter()
            .fold(offset, |sum, (interval, padding)| sum.saturating_add((offset / interval).saturating_mul(*padding)))
    }
}

/// A shared layout written out; it must be of the tensor's shape.
pub(super) fn written_out(layout: &LinearLayout, shape: &Shape) -> Result<LinearLayout, LayoutError> {
    demand_rank(layout.outputs().len(), shape)?;
    if layout.outputs() == outputs_of(shape) {
        Ok(layout.clone())
    } else {
        Err(LayoutError::Invalid("the layout written out is of another shape"))
    }
}

/// `shared` of 3.2: one attribute for swizzled and for matrix-instruction layouts.
pub(super) fn read_undivided(attribute: &Attribute<'_>) -> Result<Encoding, LayoutError> {
    if !fields::flag(&attribute.fields, "hasLeadingOffset")? {
        return SwizzledShared::read(attribute, Rotation::None).map(Encoding::SwizzledShared);
    }
    if fields::numbers(&attribute.fields, "order")?.len() > RANK {
        return Err(LayoutError::Field("order"));
    }
    nvmma::read_undivided(attribute).map(Encoding::NvmmaShared)
}
