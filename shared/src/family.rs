//! Instruction families: the generated table of `families.toml`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::stage::Stage;

/// One of the 8 display groups: a hue and a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Palette {
    /// Matrix arithmetic.
    Tensor,
    /// Moves that feed it.
    Staging,
    /// Loads and stores.
    Memory,
    /// Copies that run beside the program.
    Async,
    /// Barriers, waits, fences.
    Sync,
    /// Integer and predicate arithmetic.
    Integer,
    /// Floating point outside the tensor core.
    Float,
    /// What is left.
    Overhead,
}

impl Palette {
    /// All of them, in the order legends show them.
    pub const ALL: [Self; 8] = [
        Self::Tensor,
        Self::Staging,
        Self::Memory,
        Self::Async,
        Self::Sync,
        Self::Integer,
        Self::Float,
        Self::Overhead,
    ];

    /// Name on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Tensor => "Tensor",
            Self::Staging => "Staging & exchange",
            Self::Memory => "Memory",
            Self::Async => "Async copy",
            Self::Sync => "Synchronization",
            Self::Integer => "Integer & address",
            Self::Float => "Float",
            Self::Overhead => "Overhead",
        }
    }

    /// The suffix of the CSS classes `gl-…` and of the custom properties `--g-…`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Tensor => "tensor",
            Self::Staging => "staging",
            Self::Memory => "memory",
            Self::Async => "async",
            Self::Sync => "sync",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Overhead => "overhead",
        }
    }
}

/// What growth of a family usually means. A hint for wording, never a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// More of it tends to cost.
    Cost,
    /// More of it is more work done.
    Work,
    /// Neither.
    Neutral,
}

/// One entry of the taxonomy.
#[derive(Clone, Copy, Debug)]
pub struct FamilyInfo {
    /// Stable id, as in URLs and JSON.
    pub id: &'static str,
    /// Name where space is short.
    pub short: &'static str,
    /// Full name.
    pub label: &'static str,
    /// Display group.
    pub palette: Palette,
    /// Roll-up of the data.
    pub group: &'static str,
    /// What growth usually means.
    pub direction: Direction,
    /// What belongs to it and why it matters.
    pub description: &'static str,
    /// Whether it counts as an instruction in totals (padding does not).
    pub in_total: bool,
    /// A control: should not move when the source did not.
    pub equal_across_builds: bool,
    /// Access widths are worth a histogram of their own.
    pub width_histogram: bool,
    /// Patterns on canonical PTX opcodes.
    pub ptx: &'static [&'static str],
    /// Patterns on canonical SASS opcodes.
    pub sass: &'static [&'static str],
    /// Patterns on canonical AMDGCN opcodes.
    pub amdgcn: &'static [&'static str],
}

/// A rule that needs operands or the trailing comment.
#[derive(Clone, Copy, Debug)]
pub struct OperandRule {
    /// `ptx`, `sass` or `amdgcn`.
    pub isa: &'static str,
    /// Pattern on the canonical opcode.
    pub mnemonic: &'static str,
    /// Pattern on the operand text; empty matches everything.
    pub operands: &'static str,
    /// Pattern on the comment behind the instruction; empty matches everything.
    pub comment: &'static str,
    /// The family it decides for.
    pub family: Family,
}

/// A saved view that sums families over stages.
#[derive(Clone, Copy, Debug)]
pub struct MetaFamily {
    /// Stable id.
    pub id: &'static str,
    /// Name.
    pub label: &'static str,
    /// The stages whose counts are added.
    pub stages: &'static [Stage],
    /// The families whose counts are added.
    pub families: &'static [Family],
    /// Where the definition comes from.
    pub note: &'static str,
}

/// Spellings that share one key in trends.
#[derive(Clone, Copy, Debug)]
pub struct Canonical {
    /// PTX modifier runs and what they become.
    pub ptx_alias: &'static [(&'static str, &'static str)],
    /// PTX operations whose `.u32`/`.s32`/`.f32` spelling shares the `.b32` key (llvm-project pull request 140487).
    pub ptx_untyped_ops: &'static [&'static str],
    /// Encoding suffixes that carry no meaning.
    pub amdgcn_drop_suffix: &'static [&'static str],
    /// Renames of gfx11 and later, mapped to the CDNA spelling.
    pub amdgcn_alias: &'static [(&'static str, &'static str)],
}

include!(concat!(env!("OUT_DIR"), "/families.rs"));

impl Family {
    /// Its entry in the taxonomy.
    pub fn info(self) -> &'static FamilyInfo {
        &INFO[self as usize]
    }

    /// Its stable id.
    pub fn id(self) -> &'static str {
        self.info().id
    }

    /// The family of an id; `None` when there is none of that name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.id() == id)
    }
}

impl Serialize for Family {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

impl<'de> Deserialize<'de> for Family {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = String::deserialize(deserializer)?;
        Self::from_id(&id).ok_or_else(|| serde::de::Error::custom(format!("no family is called `{id}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_found_again() {
        for family in Family::ALL {
            assert_eq!(Family::from_id(family.id()), Some(family));
        }
        assert_eq!(Family::ALL.len(), 34);
    }
}
