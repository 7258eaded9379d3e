//! Why a blob has no report.

/// Closed list of reasons.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnalyzeError {
    /// No stage was recognised.
    #[error("no stage was recognised by content")]
    UnknownStage,
}
