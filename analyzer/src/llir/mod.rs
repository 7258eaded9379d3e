//! LLVM IR text: instructions, intrinsics, inline assembly, source lines, loops.
//!
//! One instruction a line, as the printer writes it; only `switch` and a few others span lines, and their cases are read
//! with them. In reading order: `line` (one instruction), `metadata` (`!dbg` to a source line), `report`.

mod line;
mod metadata;
mod report;

pub(crate) use line::{Kind, Parts, label};
pub use report::report;
pub(crate) use report::scan;
