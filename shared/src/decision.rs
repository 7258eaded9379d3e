//! Decisions: what the compiler chose for the author, each with the line that shows it.

use serde::{Deserialize, Serialize};

/// Which choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// Whether loads of a loop run ahead of their use: a [`Pipelining`]; the number is the depth of the deepest buffer.
    Pipelining,
    /// How many copies of a shared buffer a loop rotates through; the number is the depth.
    BufferDepth,
    /// Widest access of a thread to global memory that the layout of a load or store allows; the number is bytes.
    VectorWidth,
    /// The matrix instruction; the number is how many operations of the text use it.
    MatrixInstruction,
    /// How a matrix layout shares its tile among the warps of a block (`8x1`); the number is the warps.
    WarpsPerBlock,
    /// Layouts of one kind; the number is how many different ones.
    LayoutKind,
    /// Conversions between layouts of one class; the number is how many.
    Conversions,
    /// Conversions of one class inside a loop; the number is how many.
    ConversionsInLoop,
    /// Whether warps do different work; the number is the partitions, 0 when they do not.
    WarpSpecialization,
    /// Copies by the tensor memory accelerator; the number is how many, 0 when it is not used.
    TensorCopies,
    /// What the compiler knows an argument to be divisible by; the number is that, 1 when nothing is known.
    Alignment,
}

impl DecisionKind {
    /// All of them, in the order tables show them.
    pub const ALL: [Self; 11] = [
        Self::Pipelining,
        Self::BufferDepth,
        Self::VectorWidth,
        Self::MatrixInstruction,
        Self::WarpsPerBlock,
        Self::LayoutKind,
        Self::Conversions,
        Self::ConversionsInLoop,
        Self::WarpSpecialization,
        Self::TensorCopies,
        Self::Alignment,
    ];

    /// Stable id.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Pipelining => "pipelining",
            Self::BufferDepth => "buffer_depth",
            Self::VectorWidth => "vector_width",
            Self::MatrixInstruction => "matrix_instruction",
            Self::WarpsPerBlock => "warps_per_block",
            Self::LayoutKind => "layout_kind",
            Self::Conversions => "conversions",
            Self::ConversionsInLoop => "conversions_in_loop",
            Self::WarpSpecialization => "warp_specialization",
            Self::TensorCopies => "tensor_copies",
            Self::Alignment => "alignment",
        }
    }

    /// Name on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Pipelining => "Pipelining",
            Self::BufferDepth => "Buffer depth",
            Self::VectorWidth => "Vector width, bytes",
            Self::MatrixInstruction => "Matrix instruction",
            Self::WarpsPerBlock => "Warps over the tile",
            Self::LayoutKind => "Layout kinds",
            Self::Conversions => "Layout conversions",
            Self::ConversionsInLoop => "Layout conversions in loops",
            Self::WarpSpecialization => "Warp specialization",
            Self::TensorCopies => "TMA copies",
            Self::Alignment => "Alignment known",
        }
    }

    /// The kind of an id; `None` for any other word.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.id() == id)
    }
}

/// What became of the stages asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pipelining {
    /// A loop rotates through buffers.
    Pipelined,
    /// Stages were asked for and no loop has buffers to rotate through: the number asked for changes nothing.
    Inert,
    /// No loop has buffers to rotate through, and whether stages were asked for is not known or they were not.
    NotPipelined,
    /// The kernel has no loop.
    NoLoop,
}

impl Pipelining {
    /// Stable id.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Pipelined => "pipelined",
            Self::Inert => "inert",
            Self::NotPipelined => "not_pipelined",
            Self::NoLoop => "no_loop",
        }
    }

    /// The same with the number of stages asked for, which the metadata beside the text says. One stage is none.
    #[must_use]
    pub const fn with_stages(self, asked: u32) -> Self {
        match self {
            Self::NotPipelined | Self::Inert if asked > 1 => Self::Inert,
            Self::NotPipelined | Self::Inert => Self::NotPipelined,
            other => other,
        }
    }

    /// The state of an id; `None` for any other word.
    pub fn from_id(id: &str) -> Option<Self> {
        [Self::Pipelined, Self::Inert, Self::NotPipelined, Self::NoLoop].into_iter().find(|state| state.id() == id)
    }
}

/// A choice the compiler made for the author.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Which choice.
    pub kind: DecisionKind,
    /// What it is about: a value's or argument's name, a class; empty for the whole kernel.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// What was chosen, as text.
    pub value: String,
    /// What was chosen, as a number; [`DecisionKind`] says of what. `None` where the text does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<i64>,
    /// Line of the artifact that shows it, from 1; 0 when its absence does.
    pub line: u32,
    /// That line's operation, cut at 200 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
    /// Why it was not chosen otherwise, where the text tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_without_buffers_are_inert() {
        assert_eq!(Pipelining::NotPipelined.with_stages(4), Pipelining::Inert);
        assert_eq!(Pipelining::NotPipelined.with_stages(1), Pipelining::NotPipelined);
        assert_eq!(Pipelining::Inert.with_stages(1), Pipelining::NotPipelined);
        assert_eq!(Pipelining::Pipelined.with_stages(3), Pipelining::Pipelined);
        assert_eq!(Pipelining::NoLoop.with_stages(3), Pipelining::NoLoop);
    }

    #[test]
    fn ids_are_read_back() {
        assert!(DecisionKind::ALL.into_iter().all(|kind| DecisionKind::from_id(kind.id()) == Some(kind)));
        assert_eq!(Pipelining::from_id("inert"), Some(Pipelining::Inert));
    }
}
