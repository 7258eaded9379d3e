//! Why a layout could not be read, built or combined.

/// Characters of a foreign name kept in an error.
const NAME_CHARS: usize = 64;

/// Closed list of reasons. Names from the text are cut at 64 characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// The attribute text does not parse.
    #[error("expected {expected} at byte {at}")]
    Syntax {
        /// Byte offset in the text given.
        at: usize,
        /// What would have been read.
        expected: &'static str,
    },
    /// Attributes nest or refer to each other more than [`super::attribute::DEPTH`] deep, or have thousands of values.
    #[error("attributes nest too deeply or have too many values")]
    TooDeep,
    /// An alias (`#mma1`) that the text does not define.
    #[error("the alias #{0} is not defined")]
    UnknownAlias(String),
    /// A layout kind that this algebra does not know.
    #[error("the layout kind {0} is not known")]
    UnknownKind(String),
    /// A field that the kind needs is missing or has another type.
    #[error("the field {0} is missing or malformed")]
    Field(&'static str),
    /// A size that must be a power of two is not: index bits cannot address it.
    #[error("{what} is {value}, not a power of two: its elements cannot be addressed by index bits")]
    NotPowerOfTwo {
        /// Which size.
        what: &'static str,
        /// Its value.
        value: u64,
    },
    /// The shape's rank is not that of the layout.
    #[error("the layout is of rank {expected}, the shape of rank {got}")]
    Rank {
        /// Rank of the layout.
        expected: usize,
        /// Rank of the shape.
        got: usize,
    },
    /// More elements or index bits than this algebra accepts.
    #[error("more than 2^{bits} elements or indices")]
    TooLarge {
        /// The bound in bits.
        bits: u32,
    },
    /// The shape is smaller than one tile of the layout, or the parameters contradict each other.
    #[error("{0}")]
    Invalid(&'static str),
    /// A layout must reach every element and does not.
    #[error("the layout does not reach every element")]
    NotSurjective,
    /// Two indices hold one element, or an element is not reached: no inverse exists.
    #[error("the layout is not one to one")]
    NotInvertible,
    /// The dimensions of two layouts do not fit each other.
    #[error("the dimensions of the two layouts differ")]
    Mismatch,
}

impl LayoutError {
    pub(super) fn unknown_kind(name: &str) -> Self {
        Self::UnknownKind(name.chars().take(NAME_CHARS).collect())
    }

    pub(super) fn unknown_alias(name: &str) -> Self {
        Self::UnknownAlias(name.chars().take(NAME_CHARS).collect())
    }
}
