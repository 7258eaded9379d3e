//! Which value of a loop body is which allocation: chains of views, loads and carried values.

use crate::mlir::{Module, Operand, Operation, is_loop};

/// Steps along one chain. Compilers' chains have a handful.
const STEPS: usize = 64;

/// Block arguments of one loop that are looked at.
const CARRIED: u32 = 256;

/// The operation that a value comes from when views of memory, loads of shared memory, conversions and values carried by
/// loops are looked through; `None` when the chain leaves what is understood.
pub(super) fn origin<'a, 'b>(module: &'b Module<'a>, start: Operand) -> Option<&'b Operation<'a>> {
    let mut operand = start;
    for _ in 0..STEPS {
        let definition = *module.definitions.get(operand.definition? as usize)?;
        let operation = module.operations.get(definition.operation as usize)?;
        if definition.argument {
            operand = carried(module, operand.definition?, definition.operation)?;
            continue;
        }
        let (_, name) = operation.name.split_once('.').unwrap_or_default();
        let is_view = name.starts_with("memdesc_") || matches!(name, "local_load" | "convert_layout");
        if !is_view {
            return Some(operation);
        }
        operand = *module.operands_of(operation).first()?;
    }
    None
}

/// What a loop's block argument is before the first iteration: `iter_args(%x = %init)`. The operands of the loop are its two
/// bounds, its step and then these; the block arguments are its counter and then these.
fn carried(module: &Module<'_>, definition: u32, loop_index: u32) -> Option<Operand> {
    let operation = module.operations.get(loop_index as usize)?;
    if !is_loop(operation.name) {
        return None;
    }
    let first = definition.saturating_sub(CARRIED);
    let before = module.definitions.get(first as usize..definition as usize)?;
    let place = before.iter().rev().take_while(|found| found.argument && found.operation == loop_index).count();
    module.operands_of(operation).get(place + 2).copied()
}
