//! Bytes to reports, under limits.
//!
//! [`analyze`] is the only door: it detects the stage by content, scans, counts and returns a
//! [`lowerline_shared::report::Report`]. No IO, no clock, no threads, no recursion on input, no panic.
//!
//! In reading order: [`detect`](detect::detect) (what the bytes are), `ptx`, `sass` and `amdgcn` (scanners, each filling
//! one `stream`), `scopes` (blocks, dominators, loops), [`families`] (the taxonomy), `assemble` (stream to report),
//! [`mlir`] (operations, layouts), [`layout`] (where elements live), [`elf`] (cubin and hsaco), `normal` (digests of
//! meaning), [`annotate`](mod@annotate) (what each instruction is), [`diff`](mod@diff) (two texts side by side).

pub mod annotate;
pub mod decisions;
pub mod decode;
pub mod detect;
pub mod diff;
pub mod dropped;
pub mod elf;
pub mod error;
pub mod families;
pub mod fatbin;
pub mod find;
pub mod layout;
pub mod limits;
pub mod llir;
pub mod mlir;
pub mod occupancy;
pub mod side_by_side;

mod amdgcn;
mod assemble;
mod histogram;
mod normal;
mod operands;
mod ptx;
mod sass;
mod scopes;
mod stream;

pub use error::AnalyzeError;
pub use histogram::{Row as HistogramRow, histogram};
pub use limits::{Budget, Limits};
use lowerline_shared::{report::Report, stage::Stage};

/// Version of the analyzer: a report made by another version is stale and is made again by `reparse`.
pub const VERSION: u32 = 5;

/// Analyzes one blob whose stage only its content tells.
///
/// Things merely not understood are no errors: they are counted in the report. An error means the bytes are of no
/// stage this analyzer knows, are two things at once, or exceed the limits.
pub fn analyze(bytes: &[u8], limits: &Limits) -> Result<Report, AnalyzeError> {
    run(bytes, detect::detect(bytes)?, limits)
}

/// Analyzes one blob that was sent as `declared`.
///
/// The content must be of that format. Between the MLIR stages, which differ in passes and not in syntax, the sender's
/// word decides.
pub fn analyze_as(bytes: &[u8], declared: Stage, limits: &Limits) -> Result<Report, AnalyzeError> {
    let found = detect::detect(bytes)?;
    if !detect::same_format(declared, found) {
        return Err(AnalyzeError::WrongStage { declared, found });
    }
    run(bytes, declared, limits)
}

fn run(bytes: &[u8], stage: Stage, limits: &Limits) -> Result<Report, AnalyzeError> {
    if bytes.len() > limits.bytes {
        return Err(AnalyzeError::TooLarge { bytes: bytes.len(), limit: limits.bytes });
    }
    let budget = &mut Budget::new(limits);
    match stage {
        Stage::Ptx => ptx::report(bytes, budget),
        Stage::Sass => sass::report(bytes, budget),
        Stage::Amdgcn => amdgcn::report(bytes, budget),
        Stage::Cubin => decode::report(bytes, budget),
        Stage::Hsaco => Ok(elf::hsaco_report(bytes)?),
        Stage::Source | Stage::Ttir | Stage::Glir | Stage::Ttgir => {
            mlir::report(detect::text(bytes, stage)?, stage, budget)
        }
        Stage::Llir => llir::report(detect::text(bytes, stage)?, budget),
    }
}
