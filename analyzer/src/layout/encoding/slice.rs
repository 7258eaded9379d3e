//! Slices: a layout with one dimension taken out.

use super::{
    super::{
        attribute::Attribute,
        axis::{Axis, Extent},
        error::LayoutError,
        linear::LinearLayout,
        shape::Shape,
    },
    Encoding, blocked, fields, tile,
};

pub(super) fn read(attribute: &Attribute<'_>) -> Result<Encoding, LayoutError> {
    let dim = fields::number(&attribute.fields, "dim")? as usize;
    let parent = fields::nested(&attribute.fields, "parent")?;
    if parent.rank() < 2 || dim >= parent.rank() {
        return Err(LayoutError::Field("dim"));
    }
    Ok(Encoding::Slice { dim, parent: Box::new(parent) })
}

/// The parent's layout of a tensor of size 1 in the lost dimension, without that dimension and without registers that
/// hold nothing new.
pub(super) fn to_linear(
    dim: usize,
    parent: &Encoding,
    shape: &Shape,
    element_bits: u32,
) -> Result<LinearLayout, LayoutError> {
    blocked::demand_rank(parent.rank().saturating_sub(1), shape)?;
    let mut bits = shape.bits().to_vec();
    if dim > bits.len() {
        return Err(LayoutError::Field("dim"));
    }
    bits.insert(dim, 0);
    let whole = parent.to_linear(&Shape::from_bits(bits)?, element_bits)?;
    let outputs: Vec<Extent> = whole
        .outputs()
        .iter()
        .filter(|output| output.axis != tile::axis(dim))
        .zip(0..)
        .map(|(output, kept)| Extent { axis: Axis::Dim(kept), bits: output.bits })
        .collect();
    // The lost dimension has size 1 and so no bits: packed indices stay as they are.
    let sliced = LinearLayout { inputs: whole.inputs, outputs, columns: whole.columns };
    let kept: Vec<bool> = sliced.columns_of(Axis::Register).iter().map(|&column| column != 0).collect();
    sliced.keep_inputs(Axis::Register, |bit| kept.get(bit) == Some(&true))
}
