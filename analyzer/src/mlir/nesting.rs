//! Which function and which loops an operation stands in, and which loop is hot.

use std::collections::HashMap;

use super::{Module, is_loop, is_tensor_compute};
use crate::{AnalyzeError, Budget};

/// No loop, no function.
pub(crate) const NONE: u32 = u32::MAX;

/// One loop operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    /// Its operation.
    pub operation: u32,
    /// Index in [`Module::functions`], or [`NONE`].
    pub function: u32,
    /// The loop around it, or [`NONE`].
    pub parent: u32,
    /// 1 is outermost.
    pub depth: u32,
    /// Operations in its regions, those of inner loops included.
    pub operations: u64,
    /// The innermost loop of its function that holds tensor compute, else the deepest; of equals the first.
    pub hot: bool,
}

/// The nesting of one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nesting {
    /// By operation: index of the function it stands in, or [`NONE`]; a function is not in itself.
    pub function: Vec<u32>,
    /// By operation: index of the innermost loop around it, or [`NONE`].
    pub inner: Vec<u32>,
    /// Loops in file order: outer ones before those in them.
    pub loops: Vec<Loop>,
}

/// Finds it in one pass: a parent stands before what is in it.
pub(crate) fn nesting(module: &Module<'_>, budget: &mut Budget) -> Result<Nesting, AnalyzeError> {
    let count = module.operations.len();
    budget.work(20 * count as u64)?;
    let functions: HashMap<u32, u32> =
        (0_u32..).zip(&module.functions).map(|(index, function)| (function.operation, index)).collect();
    let mut out = Nesting { function: Vec::with_capacity(count), inner: Vec::with_capacity(count), loops: Vec::new() };
    let mut loop_of: HashMap<u32, u32> = HashMap::new();
    let mut tensor: Vec<bool> = Vec::new();
    for (index, operation) in (0_u32..).zip(&module.operations) {
        let around = operation.parent.filter(|parent| (*parent as usize) < out.inner.len());
        let (function, inner) = around.map_or((NONE, NONE), |parent| {
            if let Some(function) = functions.get(&parent) {
                // A function inside a loop is not repeated by it.
                return (*function, NONE);
            }
            let inner = loop_of.get(&parent).copied().unwrap_or(out.inner[parent as usize]);
            (out.function[parent as usize], inner)
        });
        out.function.push(function);
        out.inner.push(inner);
        if let Some(holds) = tensor.get_mut(inner as usize) {
            *holds |= is_tensor_compute(operation.name);
        }
        let mut at = inner;
        while let Some(around) = out.loops.get_mut(at as usize) {
            budget.work(4)?;
            around.operations += 1;
            at = around.parent;
        }
        if is_loop(operation.name) {
            budget.store(1)?;
            let depth = 1 + out.loops.get(inner as usize).map_or(0, |around| around.depth);
            loop_of.insert(index, u32::try_from(out.loops.len()).unwrap_or(NONE));
            out.loops.push(Loop { operation: index, function, parent: inner, depth, operations: 0, hot: false });
            tensor.push(false);
        }
    }
    mark_hot(&mut out.loops, &tensor);
    Ok(out)
}

fn mark_hot(loops: &mut [Loop], tensor: &[bool]) {
    let mut best: HashMap<u32, (bool, u32, usize)> = HashMap::new();
    for (index, (inside, tensor)) in loops.iter().zip(tensor).enumerate() {
        let known = best.entry(inside.function).or_insert((*tensor, inside.depth, index));
        if (*tensor, inside.depth) > (known.0, known.1) {
            *known = (*tensor, inside.depth, index);
        }
    }
    for (_, _, index) in best.into_values() {
        loops[index].hot = true;
    }
}
