//! Bytes to reports, under limits.
//!
//! [`analyze`] is the only door: it detects the stage by content, scans, counts and returns a
//! [`lowerline_shared::report::Report`]. No IO, no clock, no threads, no recursion on input, no panic.

pub mod diff;
pub mod elf;
pub mod error;
pub mod limits;

pub use error::AnalyzeError;
pub use limits::Limits;
use lowerline_shared::report::Report;

/// Version of the analyzer: a report made by another version is stale and is made again by `reparse`.
pub const VERSION: u32 = 1;

/// Analyzes one blob.
///
/// Things merely not understood are no errors: they are counted in the report. An error means the bytes are of no
/// stage this analyzer knows, are two things at once, or exceed the limits.
pub fn analyze(bytes: &[u8], limits: &Limits) -> Result<Report, AnalyzeError> {
    let _ = (bytes, limits);
    Err(AnalyzeError::UnknownStage)
}
