//! Shared memory as TMA writes and `wgmma` and `tcgen05.mma` read it: core tiles of eight rows, swizzled by 16-byte groups.

use super::{
    super::{
        attribute::Attribute,
        axis::{Axis, Extent, total_bits},
        error::LayoutError,
        linear::LinearLayout,
        shape::{ELEMENT_BITS, RANK, Shape},
    },
    block::{BlockLayout, exponent},
    blocked::demand_rank,
    fields, tile,
};

/// Longest side of a box that TMA moves, as a power of two (256; CUDA driver API, `cuTensorMapEncodeTiled`).
const BOX_BITS: u32 = 8;
/// Rows of a core tile, as a power of two.
const TILE_ROWS: u32 = 3;

/// `nvmma_shared`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NvmmaShared {
    /// `swizzlingByteWidth`: 0, 32, 64 or 128.
    pub swizzle_bytes: u32,
    /// Whether the first dimension is the fast one.
    pub is_transposed: bool,
    /// Bits of an element as a power of two; `None` takes the tensor's (3.2 does not write it).
    pub element: Option<u32>,
    /// Whether 8 bytes of 4-bit values are followed by 8 bytes of padding.
    pub is_fp4_padded: bool,
    /// Blocks of the cluster.
    pub blocks: BlockLayout,
    /// Rank of the tensors: 2 unless the text says otherwise.
    pub rank: usize,
}

impl NvmmaShared {
    pub(super) fn read(attribute: &Attribute<'_>) -> Result<Self, LayoutError> {
        let fields = &attribute.fields;
        let swizzle_bytes = fields::number(fields, "swizzlingByteWidth")?;
        if !matches!(swizzle_bytes, 0 | 32 | 64 | 128) {
            return Err(LayoutError::Field("swizzlingByteWidth"));
        }
        let element = fields::power(fields, "elementBitWidth")?;
        if !(2..=6).contains(&element) {
            return Err(LayoutError::Field("elementBitWidth"));
        }
        let is_fp4_padded = fields::flag(fields, "fp4Padded")?;
        if is_fp4_padded && element != 3 {
            return Err(LayoutError::Invalid("padded 4-bit values are written as 8-bit elements"));
        }
        let rank = match (fields.get("CGALayout"), fields.get("CTAsPerCGA"), fields.get("rank")) {
            (Some(_), _, _) => fields::vectors(fields, "CGALayout")?.first().map_or(2, Vec::len),
            (None, Some(_), _) => fields::numbers(fields, "CTAsPerCGA")?.len(),
            (None, None, Some(_)) => fields::number(fields, "rank")? as usize,
            (None, None, None) => 2,
        };
        if rank == 0 || rank > RANK {
            return Err(LayoutError::Field("rank"));
        }
        let blocks = BlockLayout::read(fields, rank)?;
        Ok(Self {
            swizzle_bytes,
            is_transposed: fields::flag(fields, "transposed")?,
            element: Some(element),
            is_fp4_padded,
            blocks,
            rank,
        })
    }

    pub(super) fn to_linear(&self, shape: &Shape, element_bits: u32) -> Result<LinearLayout, LayoutError> {
        demand_rank(self.rank, shape)?;
        let element = match self.element {
            Some(bits) => bits,
            None => exponent(element_bits, "the size of an element")?,
        };
        if !(2..=6).contains(&element) {
            return Err(LayoutError::Field("elementBitWidth"));
        }
        let part = self.blocks.part(shape)?;
        let one = if self.swizzle_bytes == 0 { self.unswizzled(&part) } else { self.swizzled(&part, element) }?;
        self.blocks.around(&one, shape)
    }

    /// Boxes in memory order, one after the other.
    fn unswizzled(&self, part: &Shape) -> Result<LinearLayout, LayoutError> {
        let box_bits = self.box_of(part, None)?;
        let order = tile::row_major(part.rank());
        let one = tile::standard(Axis::Offset, &box_bits, &order)?;
        tile::not_smaller(&one, part)
    }

    fn swizzled(&self, part: &Shape, element: u32) -> Result<LinearLayout, LayoutError> {
        let rank = part.rank();
        if rank < 2 {
            return Err(LayoutError::Invalid("a swizzled layout needs two dimensions"));
        }
        let width = self.swizzle_bytes.trailing_zeros() + 3 - element;
        let mut box_bits = self.box_of(part, Some(width))?;
        if self.is_transposed {
            // The fast dimension comes first in the tensor and last in the plane of rows and columns.
            box_bits.rotate_left(1);
        }
        // What is not the last dimension of the tensor is folded into one side, and the fast dimension is on the column side.
        let whole = box_bits.iter().sum::<u32>();
        let (rows, columns) = if self.is_transposed {
            let rows = box_bits.get(rank - 2).copied().unwrap_or(0);
            (rows, whole.saturating_sub(rows))
        } else {
            let columns = box_bits.last().copied().unwrap_or(0);
            (whole.saturating_sub(columns), columns)
        };
        let core = self.core(element)?;
        if rows < TILE_ROWS || columns < core.output_bits(Axis::Dim(1)) {
            return Err(LayoutError::Invalid("the tensor is smaller than a core tile"));
        }
        let plane = tile::not_smaller(&core, &Shape::from_bits(vec![rows, columns])?)?;
        // In a packed index of (column, row) the bits are those of the box, last dimension lowest.
        let plane = plane.with_outputs(&[Axis::Dim(1), Axis::Dim(0)])?;
        let dims: Vec<usize> = if self.is_transposed { (1..rank).chain([0]).collect() } else { (0..rank).collect() };
        let outputs: Vec<Extent> =
            dims.iter().zip(&box_bits).rev().map(|(&dim, &bits)| Extent { axis: tile::axis(dim), bits }).collect();
        if total_bits(&outputs) != rows + columns {
            return Err(LayoutError::TooLarge { bits: ELEMENT_BITS });
        }
        let one = LinearLayout { inputs: plane.inputs, outputs, columns: plane.columns };
        tile::not_smaller(&tile::in_standard_order(&one)?, part)
    }

    /// Sides of the box that one copy fills, as powers of two; `width` is the swizzled width in elements.
    fn box_of(&self, part: &Shape, width: Option<u32>) -> Result<Vec<u32>, LayoutError> {
        let fast = if self.is_transposed { 0 } else { part.rank() - 1 };
        let mut sides = part.bits().to_vec();
        let padding = u32::from(self.is_fp4_padded);
        for (dim, side) in sides.iter_mut().enumerate() {
            let is_fast = dim == fast;
            *side = (*side + if is_fast { padding } else { 0 }).min(BOX_BITS);
            if is_fast {
                if let Some(width) = width {
                    if *side < width {
                        return Err(LayoutError::Invalid("the tensor is narrower than the swizzle"));
                    }
                    *side = width;
                }
                *side = side.saturating_sub(padding);
            }
        }
        Ok(sides)
    }

    /// The tile of eight rows that repeats over the box. Its fast dimension is dimension 1.
    fn core(&self, element: u32) -> Result<LinearLayout, LayoutError> {
        let width = self.swizzle_bytes.trailing_zeros() + 3 - element;
        let vector = 1_u32 << (7 - element);
        let (per_phase, max_phase) = match self.swizzle_bytes {
            32 => (4, 2),
            64 => (2, 4),
            _ => (1, 8),
        };
        // 8 of 16 bytes are padding: an offset there stands for the byte 8 below it.
        let packed = |column: u32| if self.is_fp4_padded { column / 16 * 8 + column % 8 } else { column };
        let along = (0..width).map(|bit| vec![0, packed(1 << bit)]);
        let down = (0..TILE_ROWS).map(|bit| vec![1 << bit, packed(vector * ((1 << bit) / per_phase % max_phase))]);
        let outputs = [
            Extent { axis: Axis::Dim(0), bits: TILE_ROWS },
            Extent { axis: Axis::Dim(1), bits: width - u32::from(self.is_fp4_padded) },
        ];
        LinearLayout::from_bases(&[(Axis::Offset, along.chain(down).collect())], &outputs)
    }
}

/// `shared` of 3.2 with leading offset: the phases say how wide the swizzle is.
pub(super) fn read_undivided(attribute: &Attribute<'_>) -> Result<NvmmaShared, LayoutError> {
    let fields = &attribute.fields;
    let rank = fields::numbers(fields, "order")?.len();
    let order = fields::order(fields, rank)?;
    if rank != 2 {
        return Err(LayoutError::Rank { expected: 2, got: rank });
    }
    let swizzle_bytes = match (fields::number(fields, "perPhase")?, fields::number(fields, "maxPhase")?) {
        (4, 2) => 32,
        (2, 4) => 64,
        (1, 8) => 128,
        _ => return Err(LayoutError::Invalid("no swizzle has these phases")),
    };
    let blocks = BlockLayout::read(fields, rank)?;
    let is_transposed = order.first() == Some(&0);
    Ok(NvmmaShared { swizzle_bytes, is_transposed, element: None, is_fp4_padded: false, blocks, rank })
}
