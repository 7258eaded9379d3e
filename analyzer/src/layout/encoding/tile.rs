//! Building blocks of conversions: repeat a tile, cut it, order its dimensions.

use super::super::{
    axis::{Axis, Extent, field},
    error::LayoutError,
    linear::LinearLayout,
    shape::Shape,
};

/// A map of one input dimension onto several tensor dimensions, the first of `order` fastest.
pub(super) fn standard(input: Axis, bits: &[u32], order: &[usize]) -> Result<LinearLayout, LayoutError> {
    order.iter().try_fold(LinearLayout::empty(), |layout, &dim| {
        layout.product(&LinearLayout::identity(bits.get(dim).copied().unwrap_or(0), input, axis(dim)))
    })
}

/// Repeats a tile until it is at least as large as the shape: more values of the first input dimension, output dimensions
/// in the order the layout has them.
pub(super) fn not_smaller(layout: &LinearLayout, shape: &Shape) -> Result<LinearLayout, LayoutError> {
    let input = layout.inputs().first().map_or(Axis::Register, |extent| extent.axis);
    layout.outputs().iter().try_fold(layout.clone(), |grown, output| {
        let wanted = size_in(shape, output.axis);
        grown.product(&LinearLayout::identity(wanted.saturating_sub(output.bits), input, output.axis))
    })
}

/// Cuts a layout to the shape: index bits that would step outside it stay where they are instead (broadcast).
pub(super) fn not_larger(layout: &LinearLayout, shape: &Shape) -> Result<LinearLayout, LayoutError> {
    let outputs: Vec<Extent> = layout
        .outputs()
        .iter()
        .map(|output| Extent { axis: output.axis, bits: output.bits.min(size_in(shape, output.axis)) })
        .collect();
    let inputs = layout
        .inputs()
        .iter()
        .map(|input| {
            let bases = layout.bases(input.axis).iter().map(|basis| cut(basis, &outputs)).collect();
            (input.axis, bases)
        })
        .collect::<Vec<_>>();
    LinearLayout::from_bases(&inputs, &outputs)
}

/// Tensor dimensions in their order, dimension 0 first.
pub(super) fn in_standard_order(layout: &LinearLayout) -> Result<LinearLayout, LayoutError> {
    let mut axes: Vec<Axis> = layout.outputs().iter().map(|output| output.axis).collect();
    axes.sort_unstable();
    layout.with_outputs(&axes)
}

/// Makes sure that all dimensions of `rank` are outputs, in the given order, without changing the map.
pub(super) fn spread(layout: &LinearLayout, order: &[usize]) -> Result<LinearLayout, LayoutError> {
    let input = layout.inputs().first().map_or(Axis::Register, |extent| extent.axis);
    let whole = order
        .iter()
        .filter(|&&dim| field(layout.outputs(), axis(dim)).is_none())
        .try_fold(layout.clone(), |layout, &dim| layout.product(&LinearLayout::zeros(0, input, axis(dim))))?;
    whole.with_outputs(&order.iter().map(|&dim| axis(dim)).collect::<Vec<_>>())
}

/// The tensor dimension's axis.
pub(super) fn axis(dim: usize) -> Axis {
    Axis::Dim(u8::try_from(dim).unwrap_or(u8::MAX))
}

/// `rank-1, …, 0`: rows in memory order, last dimension fastest.
pub(super) fn row_major(rank: usize) -> Vec<usize> {
    (0..rank).rev().collect()
}

fn size_in(shape: &Shape, axis: Axis) -> u32 {
    match axis {
        Axis::Dim(dim) => shape.dim(usize::from(dim)),
        _ => 0,
    }
}

/// A basis vector with every coordinate that lies outside the outputs set to 0.
fn cut(basis: &[u64], outputs: &[Extent]) -> Vec<u32> {
    basis
        .iter()
        .zip(outputs)
        .map(|(&value, output)| if value >> output.bits == 0 { u32::try_from(value).unwrap_or(0) } else { 0 })
        .collect()
}
