//! MLIR text of the `source`, `ttir`, `glir` and `ttgir` stages, read by structure.
//!
//! The printer puts one operation on a line and opens a region at the end of one, so lines are the statements and brackets
//! within a line its structure. Nothing is known about single operations: what has a name, results, operands, regions and
//! a location is an operation, in any dialect. Lines that fit nothing are counted, not refused.
//!
//! In reading order: `tokens` (one line), `parse` (lines to operations), [`Module`] (what comes out), `location`
//! (`#loc` chains), [`types`] (tensors and memory descriptors), `report`.

mod arguments;
mod blocks;
mod generic;
mod location;
mod module;
mod nesting;
mod parse;
mod report;
pub(crate) mod tokens;
pub mod types;

pub use location::{Frame, Locations};
pub use module::{Alias, Definition, Function, Module, Operand, Operation};
pub(crate) use nesting::{Nesting, nesting};
pub use parse::parse;
pub(crate) use report::places_of;
pub use report::report;

/// Regions inside regions. Compilers print a dozen at most.
pub const MAX_NESTING: usize = 1_024;

/// Dialects whose attributes are layouts and memory spaces. Others (`#amdgpu.OpIdx`, `#tt.cache_policy`) are enumerations.
pub const LAYOUT_DIALECTS: [&str; 4] = ["ttg", "ttng", "triton_gpu", "triton_nvidia_gpu"];

/// Attribute kinds that name a memory space and say nothing about how elements are laid out.
pub const MEMORY_SPACES: [&str; 2] = ["shared_memory", "tensor_memory"];

/// Whether an operation repeats its regions.
pub fn is_loop(name: &str) -> bool {
    matches!(name, "scf.for" | "scf.while" | "scf.parallel" | "affine.for" | "affine.while" | "affine.parallel")
}

/// Whether an operation computes on the tensor core.
pub fn is_tensor_compute(name: &str) -> bool {
    let (_, operation) = name.split_once('.').unwrap_or(("", name));
    matches!(
        operation,
        "dot"
            | "dot_scaled"
            | "warp_group_dot"
            | "tc_gen5_mma"
            | "tc_gen5_mma_scaled"
            | "wmma"
            | "mma_v5"
            | "dot_async"
    )
}
