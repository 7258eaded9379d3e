//! Triton's layout attributes, typed.
//!
//! [`Encoding::parse`] reads the text, [`Encoding::to_linear`] gives the basis vectors for a shape. The rules are those
//! of Triton 3.7 (`lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp`); `tests/layout` holds every kind and every pair of
//! operand and parent against libtriton's own answers.
//!
//! libtriton 3.7.1 cannot confirm spellings that it no longer reads. They are taken to mean what the present spelling
//! means: `shared` of 3.2 (swizzled, or with `hasLeadingOffset` as `nvmma_shared`), `unpacked` of tensor memory (an element
//! takes a column of 32 bits), `versionMajor` of `amd_mfma`, `warpsPerCTA` and `tilesPerWarp` of `amd_wmma`, and operands
//! of `wgmma` without `kWidth`. Nor does it give basis vectors for `padded_shared`: its offsets are those of the text.

mod amd;
mod block;
mod blocked;
mod fields;
mod nvidia;
mod nvmma;
mod shared;
mod slice;
mod tensor_memory;
mod tile;

use super::{
    attribute::{Aliases, Attribute},
    axis::{Axis, Extent},
    error::LayoutError,
    linear::LinearLayout,
    shape::Shape,
};
pub use amd::{Mfma, Wmma};
pub use block::BlockLayout;
pub use blocked::Blocked;
pub use nvidia::NvidiaMma;
pub use nvmma::NvmmaShared;
pub use shared::{PaddedShared, Rotation, SwizzledShared};
pub use tensor_memory::{TensorMemory, TensorMemoryScales};

/// A layout as Triton names it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// `blocked`.
    Blocked(Blocked),
    /// `slice`: a layout with one dimension taken out.
    Slice {
        /// The dimension of the parent that is gone.
        dim: usize,
        /// The layout sliced.
        parent: Box<Encoding>,
    },
    /// `dot_op`: an operand of a matrix instruction.
    DotOperand {
        /// 0 for the left operand, 1 for the right.
        operand: usize,
        /// Layout of the result.
        parent: Box<Encoding>,
        /// Elements along the contraction that one thread holds in a row, as a power of two. `None` where the text does
        /// not say: 3.2 leaves it out for `wgmma`, whose operands fill registers of 32 bits.
        k_width: Option<u32>,
    },
    /// `nvidia_mma`.
    NvidiaMma(NvidiaMma),
    /// `amd_mfma`.
    Mfma(Mfma),
    /// `amd_wmma`.
    Wmma(Wmma),
    /// `linear`: basis vectors written out.
    Linear(LinearLayout),
    /// `swizzled_shared`, `amd_rotating_shared`, and `shared` of 3.2 without leading offset.
    SwizzledShared(SwizzledShared),
    /// `nvmma_shared`, and `shared` of 3.2 with leading offset.
    NvmmaShared(NvmmaShared),
    /// `padded_shared`.
    PaddedShared(PaddedShared),
    /// `shared_linear`: offsets written out.
    SharedLinear(LinearLayout),
    /// `tensor_memory_encoding`.
    TensorMemory(TensorMemory),
    /// `tensor_memory_scales_encoding`.
    TensorMemoryScales(TensorMemoryScales),
}

impl Encoding {
    /// Reads attribute text; aliases (`#mma1`) are looked up in the table, as is the text itself when it is one.
    pub fn parse<'a>(text: &'a str, aliases: &Aliases<'a>) -> Result<Self, LayoutError> {
        Self::from_attribute(&Attribute::parse(text, aliases)?)
    }

    /// Gives an attribute its meaning.
    pub fn from_attribute(attribute: &Attribute<'_>) -> Result<Self, LayoutError> {
        match attribute.kind {
            "blocked" => Blocked::read(attribute).map(Self::Blocked),
            "slice" => slice::read(attribute),
            "dot_op" => fields::dot_operand(attribute),
            "nvidia_mma" => NvidiaMma::read(attribute).map(Self::NvidiaMma),
            "amd_mfma" => Mfma::read(attribute).map(Self::Mfma),
            "amd_wmma" => Wmma::read(attribute).map(Self::Wmma),
            "linear" => {
                let axes = [Axis::Register, Axis::Lane, Axis::Warp, Axis::Block];
                fields::written_out(&attribute.fields, &axes).map(Self::Linear)
            }
            "swizzled_shared" => SwizzledShared::read(attribute, Rotation::None).map(Self::SwizzledShared),
            "amd_rotating_shared" => SwizzledShared::read(attribute, Rotation::ByBlock).map(Self::SwizzledShared),
            "shared" => shared::read_undivided(attribute),
            "nvmma_shared" => NvmmaShared::read(attribute).map(Self::NvmmaShared),
            "padded_shared" => PaddedShared::read(attribute).map(Self::PaddedShared),
            "shared_linear" => {
                fields::written_out(&attribute.fields, &[Axis::Offset, Axis::Block]).map(Self::SharedLinear)
            }
            "tensor_memory_encoding" => TensorMemory::read(attribute).map(Self::TensorMemory),
            "tensor_memory_scales_encoding" => TensorMemoryScales::read(attribute).map(Self::TensorMemoryScales),
            other => Err(LayoutError::unknown_kind(other)),
        }
    }

    /// The basis vectors for a tensor of `shape`. `element_bits` is the size of an element, needed by layouts that speak
    /// of bytes.
    ///
    /// Distributed layouts map register, lane, warp and block to the tensor; shared ones offset and block; tensor memory
    /// row and column. For [`Encoding::PaddedShared`] the offset is the one before padding.
    pub fn to_linear(&self, shape: &Shape, element_bits: u32) -> Result<LinearLayout, LayoutError> {
        let layout = self.build(shape, element_bits)?;
        if layout.is_surjective() { Ok(layout) } else { Err(LayoutError::NotSurjective) }
    }

    fn build(&self, shape: &Shape, element_bits: u32) -> Result<LinearLayout, LayoutError> {
        match self {
            Self::Blocked(blocked) => blocked.to_linear(shape),
            Self::Slice { dim, parent } => slice::to_linear(*dim, parent, shape, element_bits),
            Self::DotOperand { operand, parent, k_width } => match (parent.as_ref(), *k_width) {
                (Self::Blocked(blocked), _) => blocked.operand(*operand, shape),
                (Self::NvidiaMma(mma), Some(k_width)) => mma.operand(*operand, k_width, shape),
                (Self::NvidiaMma(mma), None) if mma.version == 3 => {
                    let element = block::exponent(element_bits, "the size of an element")?;
                    mma.operand(*operand, 5_u32.saturating_sub(element), shape)
                }
                (Self::Mfma(mfma), Some(k_width)) => mfma.operand(*operand, k_width, shape),
                (Self::Wmma(wmma), Some(k_width)) => wmma.operand(*operand, k_width, shape),
                (Self::NvidiaMma(_) | Self::Mfma(_) | Self::Wmma(_), None) => Err(LayoutError::Field("kWidth")),
                _ => Err(LayoutError::Invalid("only matrix and blocked layouts have operands")),
            },
            Self::NvidiaMma(mma) => mma.to_linear(shape),
            Self::Mfma(mfma) => mfma.to_linear(shape),
            Self::Wmma(wmma) => wmma.to_linear(shape),
            Self::Linear(layout) => blocked::fitted(layout, shape),
            Self::SwizzledShared(shared) => shared.to_linear(shape),
            Self::NvmmaShared(shared) => shared.to_linear(shape, element_bits),
            Self::PaddedShared(shared) => shared::written_out(&shared.offsets, shape),
            Self::SharedLinear(layout) => shared::written_out(layout, shape),
            Self::TensorMemory(memory) => memory.to_linear(shape, element_bits),
            Self::TensorMemoryScales(scales) => scales.to_linear(shape),
        }
    }

    /// Rank of the tensors this layout is for.
    pub fn rank(&self) -> usize {
        match self {
            Self::Blocked(blocked) => blocked.order.len(),
            Self::Slice { parent, .. } => parent.rank().saturating_sub(1),
            Self::DotOperand { parent, .. } => parent.rank(),
            Self::NvidiaMma(mma) => mma.warps.len(),
            Self::Mfma(mfma) => mfma.warps.len(),
            Self::Wmma(wmma) => wmma.rank(),
            Self::Linear(layout) | Self::SharedLinear(layout) => layout.outputs().len(),
            Self::SwizzledShared(shared) => shared.order.len(),
            Self::PaddedShared(shared) => shared.offsets.outputs().len(),
            Self::NvmmaShared(shared) => shared.rank,
            Self::TensorMemory(_) | Self::TensorMemoryScales(_) => 2,
        }
    }

    /// The kind as Triton spells it, without the dialect.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Blocked(_) => "blocked",
            Self::Slice { .. } => "slice",
            Self::DotOperand { .. } => "dot_op",
            Self::NvidiaMma(_) => "nvidia_mma",
            Self::Mfma(_) => "amd_mfma",
            Self::Wmma(_) => "amd_wmma",
            Self::Linear(_) => "linear",
            Self::SwizzledShared(SwizzledShared { rotation: Rotation::None, .. }) => "swizzled_shared",
            Self::SwizzledShared(_) => "amd_rotating_shared",
            Self::NvmmaShared(_) => "nvmma_shared",
            Self::PaddedShared(_) => "padded_shared",
            Self::SharedLinear(_) => "shared_linear",
            Self::TensorMemory(_) => "tensor_memory_encoding",
            Self::TensorMemoryScales(_) => "tensor_memory_scales_encoding",
        }
    }
}

/// The tensor's dimensions with their sizes, first dimension first.
fn outputs_of(shape: &Shape) -> Vec<Extent> {
    (0..).zip(shape.bits()).map(|(dim, &bits)| Extent { axis: Axis::Dim(dim), bits }).collect()
}
