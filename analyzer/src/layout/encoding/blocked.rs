//! Blocked layouts, operands of a scalar dot, and layouts written out as basis vectors.

use super::{
    super::{attribute::Attribute, axis::Axis, error::LayoutError, linear::LinearLayout, shape::Shape},
    block::BlockLayout,
    fields, tile,
};

/// `blocked`: registers, then lanes, then warps tile the tensor, each in the same order of dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// `sizePerThread`, as powers of two.
    pub registers: Vec<u32>,
    /// `threadsPerWarp`, as powers of two.
    pub lanes: Vec<u32>,
    /// `warpsPerCTA`, as powers of two.
    pub warps: Vec<u32>,
    /// Dimensions, fastest first.
    pub order: Vec<usize>,
    /// Blocks of the cluster.
    pub blocks: BlockLayout,
}

impl Blocked {
    pub(super) fn read(attribute: &Attribute<'_>) -> Result<Self, LayoutError> {
        let fields = &attribute.fields;
        let registers = fields::powers(fields, "sizePerThread")?;
        let lanes = fields::powers(fields, "threadsPerWarp")?;
        let warps = fields::powers(fields, "warpsPerCTA")?;
        let rank = registers.len();
        if lanes.len() != rank || warps.len() != rank {
            return Err(LayoutError::Field("threadsPerWarp"));
        }
        let order = fields::order(fields, rank)?;
        Ok(Self { registers, lanes, warps, order, blocks: BlockLayout::read(fields, rank)? })
    }

    pub(super) fn to_linear(&self, shape: &Shape) -> Result<LinearLayout, LayoutError> {
        demand_rank(self.order.len(), shape)?;
        let one = tile::standard(Axis::Register, &self.registers, &self.order)?
            .product(&tile::standard(Axis::Lane, &self.lanes, &self.order)?)?
            .product(&tile::standard(Axis::Warp, &self.warps, &self.order)?)?;
        self.blocks.around(&one, shape)
    }

    /// An operand of a dot computed without matrix instructions: a thread holds the whole contraction dimension, and
    /// lanes and warps that differ along it hold the same.
    pub(super) fn operand(&self, operand: usize, shape: &Shape) -> Result<LinearLayout, LayoutError> {
        let contraction = contraction(operand, self.order.len(), shape)?;
        let mut registers = self.registers.clone();
        if let Some(bits) = registers.get_mut(contraction) {
            *bits = shape.dim(contraction);
        }
        let one = tile::standard(Axis::Register, &registers, &self.order)?
            .product(&repeated(Axis::Lane, &self.lanes, &self.order, contraction)?)?
            .product(&repeated(Axis::Warp, &self.warps, &self.order, contraction)?)?;
        self.blocks.repeated_along(contraction).around(&one, shape)
    }
}

/// The dimension an operand is contracted over: the last of the left operand, the last but one of the right.
pub(super) fn contraction(operand: usize, rank: usize, shape: &Shape) -> Result<usize, LayoutError> {
    demand_rank(rank, shape)?;
    if !(2..=3).contains(&rank) {
        return Err(LayoutError::Invalid("operands of a dot have rank 2 or 3"));
    }
    Ok(if operand == 0 { rank - 1 } else { rank - 2 })
}

/// Like [`tile::standard`], with all indices along `same` holding the same elements.
pub(super) fn repeated(input: Axis, bits: &[u32], order: &[usize], same: usize) -> Result<LinearLayout, LayoutError> {
    order.iter().try_fold(LinearLayout::empty(), |layout, &dim| {
        let bits = bits.get(dim).copied().unwrap_or(0);
        let axis = tile::axis(dim);
        let step = if dim == same {
            LinearLayout::zeros(bits, input, axis)
        } else {
            LinearLayout::identity(bits, input, axis)
        };
        layout.product(&step)
    })
}

pub(super) const fn demand_rank(expected: usize, shape: &Shape) -> Result<(), LayoutError> {
    if shape.rank() == expected { Ok(()) } else { Err(LayoutError::Rank { expected, got: shape.rank() }) }
}

/// A layout written out, fitted to a shape: repeated where it is smaller, cut where it is larger. Registers that only
/// repeat others after the cut are dropped.
pub(super) fn fitted(layout: &LinearLayout, shape: &Shape) -> Result<LinearLayout, LayoutError> {
    demand_rank(layout.outputs().len(), shape)?;
    let order = register_order(layout);
    let grown = tile::not_smaller(&tile::spread(layout, &order)?, shape)?;
    let is_larger = (0..).zip(shape.bits()).any(|(dim, &bits)| grown.output_bits(Axis::Dim(dim)) > bits);
    let cut = tile::in_standard_order(&tile::not_larger(&grown, shape)?)?;
    if is_larger { without_repeated_registers(&grown, &cut) } else { Ok(cut) }
}

/// Dimensions by the first register that steps along them, then the rest, last dimension first.
fn register_order(layout: &LinearLayout) -> Vec<usize> {
    let mut order = Vec::new();
    for basis in layout.bases(Axis::Register) {
        if let Some(dim) = basis.iter().position(|&value| value != 0)
            && !order.contains(&dim)
        {
            order.push(dim);
        }
    }
    for dim in tile::row_major(layout.outputs().len()) {
        if !order.contains(&dim) {
            order.push(dim);
        }
    }
    order
}

fn without_repeated_registers(before: &LinearLayout, after: &LinearLayout) -> Result<LinearLayout, LayoutError> {
    let is_dropped = |(then, now): (&u64, &u64)| *then != 0 && *now == 0;
    let dropped: Vec<bool> =
        before.columns_of(Axis::Register).iter().zip(after.columns_of(Axis::Register)).map(is_dropped).collect();
    after.keep_inputs(Axis::Register, |bit| dropped.get(bit) != Some(&true))
}
