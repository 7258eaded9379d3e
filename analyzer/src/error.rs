//! Why a blob has no report.

use lowerline_shared::stage::Stage;

use crate::elf::ElfError;

/// Closed list of reasons. Things merely not understood are no errors: the report counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnalyzeError {
    /// Nothing to look at.
    #[error("the file is empty")]
    Empty,
    /// No stage was recognised.
    #[error("no stage was recognised by content")]
    UnknownStage,
    /// The bytes are not what the sender says they are.
    #[error("sent as {declared}, but the content is {found}", declared = .declared.id(), found = .found.id())]
    WrongStage {
        /// What the sender said.
        declared: Stage,
        /// What the content is.
        found: Stage,
    },
    /// Text of a known stage that holds bytes no text holds.
    #[error("{stage} must be UTF-8 text without NUL; byte {offset} is not", stage = .stage.id())]
    NotText {
        /// The stage the text began as.
        stage: Stage,
        /// Offset of the first bad byte.
        offset: usize,
    },
    /// One file that reads as two stages: whoever reads it next may see the other one.
    #[error("the file is {first} and {second} at once (offset {offset})", first = .first.id(), second = .second.id())]
    TwoStages {
        /// What it began as.
        first: Stage,
        /// What it also holds.
        second: Stage,
        /// Where the second begins.
        offset: usize,
    },
    /// The end is missing: counts would be too low.
    #[error("{stage} ends too early: {missing} is missing", stage = .stage.id())]
    Truncated {
        /// What it is.
        stage: Stage,
        /// What was expected before the end.
        missing: &'static str,
    },
    /// A structure that contradicts its format.
    #[error("malformed {stage} at offset {offset}: {what}", stage = .stage.id())]
    Malformed {
        /// What it is.
        stage: Stage,
        /// Where, in bytes from the start.
        offset: usize,
        /// What was expected.
        what: &'static str,
    },
    /// A container of several cubins: no single artifact.
    #[error(
        "a fatbin, which holds one cubin for each of several targets; send the cubins, or look with `lowerline inspect`"
    )]
    Fatbin,
    /// A fatbin with a block or member that leaves the file.
    #[error("expected a whole fatbin member at byte {offset}")]
    BadFatbin {
        /// Where it begins.
        offset: usize,
    },
    /// A cubin or hsaco that is not one.
    #[error(transparent)]
    Elf(#[from] ElfError),
    /// More input than [`crate::Limits::bytes`].
    #[error("{bytes} bytes are more than the limit of {limit}")]
    TooLarge {
        /// Size of the input.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// More items than their limit.
    #[error("more than {limit} {what}")]
    TooMany {
        /// Items of what kind.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// More work than [`crate::Limits::steps`].
    #[error("the analysis would take more than {limit} steps")]
    TooMuchWork {
        /// The limit.
        limit: u64,
    },
}
