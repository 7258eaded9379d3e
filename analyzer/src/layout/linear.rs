//! A linear layout: an F2-linear map between index bits.
//!
//! The idea is Triton's ("Linear Layouts: Robust Code Generation of Efficient Tensor Computation Using F2"): every
//! power-of-two layout is decided by where each single index bit goes; all other indices are XORs of those.

use super::{
    axis::{Axis, Extent, field, total_bits},
    error::LayoutError,
};

/// Most index bits on one side of a layout: 2^24 elements, with room for what broadcasting and tiles larger than the
/// tensor add before they are cut.
pub const SIDE_BITS: u32 = 48;

/// A linear map from packed input indices to packed output indices. In a packed index the first dimension owns the
/// lowest bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LinearLayout {
    pub(super) inputs: Vec<Extent>,
    pub(super) outputs: Vec<Extent>,
    /// Image of each input bit, packed.
    pub(super) columns: Vec<u64>,
}

impl LinearLayout {
    /// The layout without dimensions: the unit of [`Self::product`].
    pub const fn empty() -> Self {
        Self { inputs: Vec::new(), outputs: Vec::new(), columns: Vec::new() }
    }

    /// Maps `2^bits` indices of one dimension onto another, one to one. At most [`SIDE_BITS`] bits are taken.
    pub fn identity(bits: u32, input: Axis, output: Axis) -> Self {
        let bits = bits.min(SIDE_BITS);
        Self {
            inputs: vec![Extent { axis: input, bits }],
            outputs: vec![Extent { axis: output, bits }],
            columns: (0..bits).map(|bit| 1 << bit).collect(),
        }
    }

    /// Maps `2^bits` indices of one dimension onto index 0 of another: broadcast. At most [`SIDE_BITS`] bits are taken.
    pub fn zeros(bits: u32, input: Axis, output: Axis) -> Self {
        let bits = bits.min(SIDE_BITS);
        Self {
            inputs: vec![Extent { axis: input, bits }],
            outputs: vec![Extent { axis: output, bits: 0 }],
            columns: vec![0; bits as usize],
        }
    }

    /// A layout from its basis vectors: for each input dimension the images of index 1, 2, 4, … as coordinates in the
    /// order of `outputs`.
    pub fn from_bases(inputs: &[(Axis, Vec<Vec<u32>>)], outputs: &[Extent]) -> Result<Self, LayoutError> {
        check_sides(total_bits(outputs), inputs.iter().map(|(_, bases)| bases.len()).sum())?;
        let mut columns = Vec::new();
        let mut extents = Vec::new();
        for (axis, bases) in inputs {
            let bits = u32::try_from(bases.len()).map_err(|_| LayoutError::TooLarge { bits: SIDE_BITS })?;
            extents.push(Extent { axis: *axis, bits });
            for basis in bases {
                columns.push(pack(basis, outputs)?);
            }
        }
        Ok(Self { inputs: extents, outputs: outputs.to_vec(), columns })
    }

    /// Input dimensions, lowest bits first.
    pub fn inputs(&self) -> &[Extent] {
        &self.inputs
    }

    /// Output dimensions, lowest bits first.
    pub fn outputs(&self) -> &[Extent] {
        &self.outputs
    }

    /// Bits of an input dimension; 0 when the layout has no such dimension.
    pub fn input_bits(&self, axis: Axis) -> u32 {
        field(&self.inputs, axis).map_or(0, |found| found.bits)
    }

    /// Bits of an output dimension; 0 when the layout has no such dimension.
    pub fn output_bits(&self, axis: Axis) -> u32 {
        field(&self.outputs, axis).map_or(0, |found| found.bits)
    }

    /// Basis vectors of an input dimension as coordinates, in the order of [`Self::outputs`]; empty when the layout has
    /// no such dimension.
    pub fn bases(&self, axis: Axis) -> Vec<Vec<u64>> {
        self.columns_of(axis).iter().map(|&column| self.coordinates(column)).collect()
    }

    /// [`Self::bases`] of sizes that a tensor's dimension can have.
    pub(super) fn bases_as_u32(&self, axis: Axis) -> Result<Vec<Vec<u32>>, LayoutError> {
        let small = |value: u64| u32::try_from(value).map_err(|_| LayoutError::TooLarge { bits: SIDE_BITS });
        self.bases(axis).into_iter().map(|basis| basis.into_iter().map(small).collect()).collect()
    }

    /// Coordinates of a packed output index, in the order of [`Self::outputs`].
    pub fn coordinates(&self, packed: u64) -> Vec<u64> {
        let mut rest = packed;
        self.outputs
            .iter()
            .map(|extent| {
                let part = rest & ((1 << extent.bits) - 1);
                rest >>= extent.bits;
                part
            })
            .collect()
    }

    /// Image of a packed input index, packed. Bits beyond the layout's inputs are ignored.
    pub fn apply(&self, index: u64) -> u64 {
        self.columns
            .iter()
            .enumerate()
            .filter(|(bit, _)| index >> bit & 1 == 1)
            .fold(0, |image, (_, column)| image ^ column)
    }

    /// Images of the bits of one input dimension, packed.
    pub(super) fn columns_of(&self, axis: Axis) -> &[u64] {
        field(&self.inputs, axis)
            .and_then(|found| {
                let start = found.shift as usize;
                self.columns.get(start..start + found.bits as usize)
            })
            .unwrap_or_default()
    }
}

/// Refuses sides that would not fit a packed index.
pub(super) fn check_sides(output_bits: u32, input_bits: usize) -> Result<(), LayoutError> {
    if output_bits > SIDE_BITS || input_bits > SIDE_BITS as usize {
        return Err(LayoutError::TooLarge { bits: SIDE_BITS });
    }
    Ok(())
}

fn pack(basis: &[u32], outputs: &[Extent]) -> Result<u64, LayoutError> {
    if basis.len() != outputs.len() {
        return Err(LayoutError::Rank { expected: outputs.len(), got: basis.len() });
    }
    let mut packed = 0;
    let mut shift = 0;
    for (&value, extent) in basis.iter().zip(outputs) {
        if u64::from(value) >> extent.bits != 0 {
            return Err(LayoutError::Invalid("a basis vector points outside the tensor"));
        }
        packed |= u64::from(value) << shift;
        shift += extent.bits;
    }
    Ok(packed)
}
