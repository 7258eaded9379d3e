//! Aligned diff of two artifacts of one stage.
//!
//! A text diff of compiler output is useless when registers or SSA values are renumbered: `git diff` of two releases'
//! SASS calls every line changed. Here lines are compared by an alignment key ([`keys`]) that leaves out addresses,
//! register numbers, value names, label names, locations and layout alias numbers; functions are paired by name first
//! ([`align`]), and lines inside a changed region are paired by mnemonic. [`words`] marks what differs inside a pair.
//!
//! Laws, held by property tests: the diff of a text with itself is all [`RowKind::Equal`]; swapping the sides mirrors
//! the rows; every aligned line of both sides stands in exactly one row.

mod align;
mod core;
mod keys;
mod lines;
mod words;

pub use align::align;
pub use words::{Span, words};

/// What a row says of its two lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// The same text.
    Equal,
    /// The same but for names: registers, values, labels, addresses, locations.
    Renamed,
    /// The same operation with other operands or modifiers.
    Changed,
    /// Only in the first text.
    Removed,
    /// Only in the second text.
    Added,
}

impl RowKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 5] = [Self::Equal, Self::Renamed, Self::Changed, Self::Removed, Self::Added];
}

/// One row: 0-based line numbers of the two sides; `None` where a side has no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// What it says.
    pub kind: RowKind,
    /// Line of the first text.
    pub a: Option<u32>,
    /// Line of the second text.
    pub b: Option<u32>,
}

impl Row {
    /// The row with its sides exchanged.
    #[must_use]
    pub const fn mirrored(self) -> Self {
        let kind = match self.kind {
            RowKind::Removed => RowKind::Added,
            RowKind::Added => RowKind::Removed,
            other => other,
        };
        Self { kind, a: self.b, b: self.a }
    }
}

/// How lines are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// By alignment key: renumbering is no change.
    #[default]
    Ignored,
    /// By text as written; every line takes part.
    Raw,
}

/// The aligned diff.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aligned {
    /// Rows in reading order of the first text, lines of the second standing where they align.
    pub rows: Vec<Row>,
    /// Lines left out on each side: location tables, debug sections, blank lines.
    pub left_out: (u32, u32),
}

impl Aligned {
    /// How many rows are of one kind.
    pub fn count(&self, kind: RowKind) -> usize {
        self.rows.iter().filter(|row| row.kind == kind).count()
    }
}

#[cfg(test)]
mod tests;
