//! Bounds of one analysis.

/// What one analysis may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Input bytes.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 256 * 1024 * 1024 }
    }
}
