//! Products, compositions and inverses.

use super::{
    axis::{Axis, Extent, field, total_bits},
    error::LayoutError,
    linear::{LinearLayout, check_sides},
    span::Span,
};

impl LinearLayout {
    /// Puts `outer` around `self`: indices of a common input dimension first walk `self`, then `outer`, whose outputs
    /// are scaled by the size of `self`. Dimensions of `outer` that `self` lacks are appended.
    pub fn product(&self, outer: &Self) -> Result<Self, LayoutError> {
        let inputs = joined(&self.inputs, &outer.inputs);
        let outputs = joined(&self.outputs, &outer.outputs);
        let input_bits = total_bits(&inputs) as usize;
        check_sides(total_bits(&outputs), input_bits)?;
        let mut columns = Vec::with_capacity(input_bits);
        for input in &inputs {
            for &column in self.columns_of(input.axis) {
                columns.push(repacked(column, &self.outputs, &outputs, |_| 0));
            }
            for &column in outer.columns_of(input.axis) {
                columns.push(repacked(column, &outer.outputs, &outputs, |axis| self.output_bits(axis)));
            }
        }
        Ok(Self { inputs, outputs, columns })
    }

    /// First `self`, then `outer`. Every output dimension of `self` must be an input dimension of `outer` of at least
    /// its size, and the other way round.
    pub fn compose(&self, outer: &Self) -> Result<Self, LayoutError> {
        let fits = self.outputs.len() == outer.inputs.len()
            && self
                .outputs
                .iter()
                .all(|output| field(&outer.inputs, output.axis).is_some_and(|input| input.bits >= output.bits));
        if !fits {
            return Err(LayoutError::Mismatch);
        }
        let columns = self
            .columns
            .iter()
            .map(|&column| outer.apply(repacked(column, &self.outputs, &outer.inputs, |_| 0)))
            .collect();
        Ok(Self { inputs: self.inputs.clone(), outputs: outer.outputs.clone(), columns })
    }

    /// The same map with the output dimensions in another order. Every output dimension must be named once.
    pub fn with_outputs(&self, order: &[Axis]) -> Result<Self, LayoutError> {
        let outputs = order
            .iter()
            .map(|&axis| field(&self.outputs, axis).map(|found| Extent { axis, bits: found.bits }))
            .collect::<Option<Vec<_>>>()
            .ok_or(LayoutError::Mismatch)?;
        if outputs.len() != self.outputs.len() || total_bits(&outputs) != total_bits(&self.outputs) {
            return Err(LayoutError::Mismatch);
        }
        let columns = self.columns.iter().map(|&column| repacked(column, &self.outputs, &outputs, |_| 0)).collect();
        Ok(Self { inputs: self.inputs.clone(), outputs, columns })
    }

    /// The layout without some bits of one input dimension; the bits left move down.
    pub(super) fn keep_inputs(&self, axis: Axis, is_kept: impl Fn(usize) -> bool) -> Result<Self, LayoutError> {
        let inputs = self
            .inputs
            .iter()
            .map(|extent| {
                let bases = self.bases_as_u32(extent.axis)?;
                let kept = bases.into_iter().enumerate().filter(|(bit, _)| extent.axis != axis || is_kept(*bit));
                Ok((extent.axis, kept.map(|(_, basis)| basis).collect()))
            })
            .collect::<Result<Vec<_>, LayoutError>>()?;
        Self::from_bases(&inputs, &self.outputs)
    }

    /// Whether every output index is reached.
    pub fn is_surjective(&self) -> bool {
        Span::of(&self.columns).rank() == total_bits(&self.outputs)
    }

    /// Whether no two input indices have one image.
    pub fn is_injective(&self) -> bool {
        Span::of(&self.columns).rank() == total_bits(&self.inputs)
    }

    /// The inverse map; an error unless the layout is one to one and onto.
    pub fn invert(&self) -> Result<Self, LayoutError> {
        if !self.is_surjective() || !self.is_injective() {
            return Err(LayoutError::NotInvertible);
        }
        let span = Span::of(&self.columns);
        let columns = (0..total_bits(&self.outputs))
            .map(|bit| span.express(1 << bit))
            .collect::<Option<Vec<_>>>()
            .ok_or(LayoutError::NotInvertible)?;
        Ok(Self { inputs: self.outputs.clone(), outputs: self.inputs.clone(), columns })
    }

    /// The map from indices of `self` to indices of `outer` that hold the same element, so that
    /// `result.compose(outer)` equals `self`. `outer` must be onto.
    ///
    /// Where several indices hold the element, the choice is Triton's: dimensions that both layouts map alike stay
    /// where they are, everything else goes to the index with the fewest and lowest bits.
    pub fn invert_and_compose(&self, outer: &Self) -> Result<Self, LayoutError> {
        let axes: Vec<Axis> = self.outputs.iter().map(|extent| extent.axis).collect();
        let outer = outer.with_outputs(&axes)?;
        if outer.outputs != self.outputs {
            return Err(LayoutError::Mismatch);
        }
        if !outer.is_surjective() {
            return Err(LayoutError::NotSurjective);
        }
        let kept = |axis: Axis| {
            field(&self.inputs, axis).is_some()
                && field(&outer.inputs, axis).is_some()
                && self.columns_of(axis) == outer.columns_of(axis)
        };
        let span = Span::with_indices(bits_of(&outer).filter(|bit| !kept(bit.axis)).map(|bit| (bit.index, bit.column)));
        let whole = Span::of(&outer.columns);
        let columns = bits_of(self)
            .map(|bit| {
                if kept(bit.axis) {
                    return field(&outer.inputs, bit.axis).map(|found| 1 << (found.shift + bit.within));
                }
                // Where the dimensions kept aside are needed to reach the element, the whole layout is searched.
                span.express(bit.column).or_else(|| whole.express(bit.column))
            })
            .collect::<Option<Vec<_>>>()
            .ok_or(LayoutError::NotSurjective)?;
        Ok(Self { inputs: self.inputs.clone(), outputs: outer.inputs.clone(), columns })
    }
}

/// One input bit of a layout.
struct InputBit {
    axis: Axis,
    /// Bit within its dimension.
    within: u32,
    /// Bit within the packed index.
    index: u32,
    column: u64,
}

fn bits_of(layout: &LinearLayout) -> impl Iterator<Item = InputBit> {
    let places = layout.inputs.iter().flat_map(|extent| (0..extent.bits).map(|within| (extent.axis, within)));
    places.zip(&layout.columns).zip(0..).map(|(((axis, within), &column), index)| InputBit {
        axis,
        within,
        index,
        column,
    })
}

/// Extents of both, sizes of common dimensions multiplied, those of `inner` first.
fn joined(inner: &[Extent], outer: &[Extent]) -> Vec<Extent> {
    let mut all = inner.to_vec();
    for extent in outer {
        match all.iter_mut().find(|known| known.axis == extent.axis) {
            Some(known) => known.bits += extent.bits,
            None => all.push(*extent),
        }
    }
    all
}

/// A packed index of `from` as one of `to`; each dimension's part is shifted up by `raised`. Dimensions that `to` lacks
/// are dropped.
pub(super) fn repacked(packed: u64, from: &[Extent], to: &[Extent], raised: impl Fn(Axis) -> u32) -> u64 {
    let mut shift = 0;
    let mut image = 0;
    for extent in to {
        if let Some(part) = field(from, extent.axis) {
            image |= part.of(packed) << (shift + raised(extent.axis));
        }
        shift += extent.bits;
    }
    image
}
