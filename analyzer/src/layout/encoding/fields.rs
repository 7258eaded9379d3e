//! Reading typed fields out of an attribute.

use std::collections::BTreeMap;

use super::{
    super::{
        attribute::{Attribute, Value},
        axis::{Axis, Extent},
        error::LayoutError,
        linear::LinearLayout,
        shape::{RANK, log2},
    },
    Encoding,
};

pub(super) type Fields<'a> = BTreeMap<&'a str, Value<'a>>;

pub(super) fn number(fields: &Fields<'_>, name: &'static str) -> Result<u32, LayoutError> {
    match fields.get(name) {
        Some(Value::Number(number)) => u32::try_from(*number).map_err(|_| LayoutError::Field(name)),
        _ => Err(LayoutError::Field(name)),
    }
}

/// A number that may be left out.
pub(super) fn number_or(fields: &Fields<'_>, name: &'static str, default: u32) -> Result<u32, LayoutError> {
    if fields.contains_key(name) { number(fields, name) } else { Ok(default) }
}

/// A flag that may be left out, `false` then.
pub(super) fn flag(fields: &Fields<'_>, name: &'static str) -> Result<bool, LayoutError> {
    match fields.get(name) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(LayoutError::Field(name)),
    }
}

/// A power of two, as its exponent.
pub(super) fn power(fields: &Fields<'_>, name: &'static str) -> Result<u32, LayoutError> {
    log2(u64::from(number(fields, name)?), name)
}

/// A list of numbers.
pub(super) fn numbers(fields: &Fields<'_>, name: &'static str) -> Result<Vec<u32>, LayoutError> {
    match fields.get(name) {
        Some(value) => list(value).ok_or(LayoutError::Field(name)),
        None => Err(LayoutError::Field(name)),
    }
}

/// A list of powers of two, one for each dimension, as exponents.
pub(super) fn powers(fields: &Fields<'_>, name: &'static str) -> Result<Vec<u32>, LayoutError> {
    let sizes = numbers(fields, name)?;
    if sizes.is_empty() || sizes.len() > RANK {
        return Err(LayoutError::Field(name));
    }
    sizes.iter().map(|&size| log2(u64::from(size), name)).collect()
}

/// A permutation of the dimensions.
pub(super) fn order(fields: &Fields<'_>, rank: usize) -> Result<Vec<usize>, LayoutError> {
    let order: Vec<usize> = numbers(fields, "order")?.iter().map(|&dim| dim as usize).collect();
    let complete = order.len() == rank && rank <= RANK && (0..rank).all(|dim| order.contains(&dim));
    if complete { Ok(order) } else { Err(LayoutError::Field("order")) }
}

/// A list of vectors of numbers.
pub(super) fn vectors(fields: &Fields<'_>, name: &'static str) -> Result<Vec<Vec<u32>>, LayoutError> {
    match fields.get(name) {
        Some(Value::List(rows)) => rows.iter().map(list).collect::<Option<Vec<_>>>().ok_or(LayoutError::Field(name)),
        _ => Err(LayoutError::Field(name)),
    }
}

/// An attribute within the attribute.
pub(super) fn nested(fields: &Fields<'_>, name: &'static str) -> Result<Encoding, LayoutError> {
    match fields.get(name) {
        Some(Value::Attribute(attribute)) => Encoding::from_attribute(attribute),
        _ => Err(LayoutError::Field(name)),
    }
}

pub(super) fn dot_operand(attribute: &Attribute<'_>) -> Result<Encoding, LayoutError> {
    let operand = number(&attribute.fields, "opIdx")?;
    if operand > 1 {
        return Err(LayoutError::Field("opIdx"));
    }
    let parent = nested(&attribute.fields, "parent")?;
    if matches!(parent, Encoding::DotOperand { .. } | Encoding::Slice { .. }) {
        return Err(LayoutError::Invalid("only matrix and blocked layouts have operands"));
    }
    let k_width = match number_or(&attribute.fields, "kWidth", 0)? {
        0 => None,
        width => Some(log2(u64::from(width), "kWidth")?),
    };
    Ok(Encoding::DotOperand { operand: operand as usize, parent: Box::new(parent), k_width })
}

/// A layout whose basis vectors are written out by input dimension. Each output is as large as the vectors reach.
pub(super) fn written_out(fields: &Fields<'_>, axes: &[Axis]) -> Result<LinearLayout, LayoutError> {
    let mut inputs = Vec::new();
    for &axis in axes {
        let name = name_of(axis);
        let bases = if fields.contains_key(name) { vectors(fields, name)? } else { Vec::new() };
        inputs.push((axis, bases));
    }
    let rank = inputs.iter().flat_map(|(_, bases)| bases).map(Vec::len).next().ok_or(LayoutError::Field("register"))?;
    if rank == 0 || rank > RANK {
        return Err(LayoutError::Field("register"));
    }
    let reach = |dim: usize| {
        let all = inputs.iter().flat_map(|(_, bases)| bases).filter_map(|basis| basis.get(dim));
        all.fold(0, |all, value| all | value)
    };
    let outputs: Vec<Extent> = (0..)
        .zip(0..rank)
        .map(|(axis, dim)| Extent { axis: Axis::Dim(axis), bits: u32::BITS - reach(dim).leading_zeros() })
        .collect();
    let layout = LinearLayout::from_bases(&inputs, &outputs)?;
    if layout.is_surjective() { Ok(layout) } else { Err(LayoutError::NotSurjective) }
}

const fn name_of(axis: Axis) -> &'static str {
    match axis {
        Axis::Register => "register",
        Axis::Lane => "lane",
        Axis::Warp => "warp",
        Axis::Block => "block",
        _ => "offset",
    }
}

fn list(value: &Value<'_>) -> Option<Vec<u32>> {
    let Value::List(values) = value else { return None };
    values
        .iter()
        .map(|value| match value {
            Value::Number(number) => u32::try_from(*number).ok(),
            _ => None,
        })
        .collect()
}
