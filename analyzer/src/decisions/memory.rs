//! How wide a thread's accesses to global memory are.

use lowerline_shared::decision::{Decision, DecisionKind};

use super::{Text, author_name, shown_by};
use crate::{
    layout::{
        Axis, Encoding, LinearLayout,
        ttgir::{element_bits, shape_of},
    },
    mlir::{
        Operation,
        types::{Shaped, shaped},
    },
};

/// Widest access of one thread, in bytes, on every target.
const WIDEST_BYTES: i64 = 16;

/// One load or store with its width.
pub(super) struct Width {
    /// Width in bytes.
    pub bytes: i64,
    /// Whether it reads.
    pub is_load: bool,
    /// Loops around it.
    pub loops: u32,
    pub decision: Decision,
}

/// Every load, store and asynchronous copy of tensors whose layout has basis vectors, in file order.
///
/// The width is what the layout allows: neighbours along the fast dimension that one thread holds. The compiler lays
/// neighbours out only as far as it knows the address to be aligned.
pub(super) fn widths(text: &Text<'_, '_>) -> Vec<Width> {
    text.module.operations.iter().filter_map(|operation| width(text, operation)).collect()
}

fn width(text: &Text<'_, '_>, operation: &Operation<'_>) -> Option<Width> {
    let (_, name) = operation.name.split_once('.')?;
    let is_load = matches!(name, "load" | "async_copy_global_to_local" | "buffer_load");
    if !is_load && !matches!(name, "store" | "buffer_store") {
        return None;
    }
    let types = shaped(operation.types());
    let tensor = types.iter().find(|found| found.kind == "tensor" && found.element != "i1")?;
    let bits = pointee_bits(tensor)?;
    let layout = Encoding::parse(tensor.layout, text.aliases).ok()?.to_linear(&shape_of(tensor).ok()?, bits).ok()?;
    let elements = 1_i64 << neighbours(&layout);
    let bytes = (elements * i64::from(bits) / 8).clamp(1, WIDEST_BYTES);
    let value = format!("{bytes} bytes, {} of {} bits", bytes * 8 / i64::from(bits), bits);
    let mut decision = shown_by(DecisionKind::VectorWidth, operation, value, Some(bytes));
    let named = text.module.results_of(operation).first().map(|result| author_name(result.name)).unwrap_or_default();
    let verb = if is_load { "load" } else { "store" };
    decision.subject = if named.is_empty() { verb.to_owned() } else { format!("{verb} {named}") };
    Some(Width { bytes, is_load, loops: operation.loops, decision })
}

/// Bits of what is loaded or stored: the element, or what its pointer points to.
fn pointee_bits(tensor: &Shaped<'_>) -> Option<u32> {
    match tensor.element.strip_prefix("!tt.ptr<") {
        Some(pointee) => element_bits(pointee.split(['>', ',']).next()?),
        None => element_bits(tensor.element),
    }
}

/// Neighbours that one thread holds along the dimension of its first register, as a power of two.
fn neighbours(layout: &LinearLayout) -> u32 {
    let bases = layout.bases(Axis::Register);
    let Some(fast) = bases.first().and_then(|basis| basis.iter().position(|&step| step == 1)) else { return 0 };
    let is_step = |basis: &[u64], size: u64| {
        basis.iter().enumerate().all(|(dim, &step)| step == if dim == fast { size } else { 0 })
    };
    (0..).zip(&bases).take_while(|(bit, basis)| is_step(basis, 1 << bit)).map(|_| 1).sum()
}
