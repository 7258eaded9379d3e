//! Stages of lowering.

use serde::{Deserialize, Serialize};

/// What an artifact is, in lowering order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// IR before any pass (Triton writes `.source`).
    Source,
    /// Triton IR.
    Ttir,
    /// Gluon IR (Triton 3.9 on).
    Glir,
    /// Triton GPU IR: layouts are chosen here.
    Ttgir,
    /// LLVM IR text.
    Llir,
    /// NVIDIA PTX text.
    Ptx,
    /// NVIDIA ELF.
    Cubin,
    /// Disassembly of a cubin, or decoded from it.
    Sass,
    /// AMD GCN assembly text.
    Amdgcn,
    /// AMD ELF code object.
    Hsaco,
}

impl Stage {
    /// All stages in lowering order.
    pub const ALL: [Self; 10] = [
        Self::Source,
        Self::Ttir,
        Self::Glir,
        Self::Ttgir,
        Self::Llir,
        Self::Ptx,
        Self::Cubin,
        Self::Sass,
        Self::Amdgcn,
        Self::Hsaco,
    ];

    /// Stable id: JSON, URLs, file extension in Triton's cache.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Ttir => "ttir",
            Self::Glir => "glir",
            Self::Ttgir => "ttgir",
            Self::Llir => "llir",
            Self::Ptx => "ptx",
            Self::Cubin => "cubin",
            Self::Sass => "sass",
            Self::Amdgcn => "amdgcn",
            Self::Hsaco => "hsaco",
        }
    }

    /// Name on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Ttir => "TTIR",
            Self::Glir => "GLIR",
            Self::Ttgir => "TTGIR",
            Self::Llir => "LLIR",
            Self::Ptx => "PTX",
            Self::Cubin => "cubin",
            Self::Sass => "SASS",
            Self::Amdgcn => "AMDGCN",
            Self::Hsaco => "hsaco",
        }
    }

    /// The stage of an id; `None` for any other word.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.id() == id)
    }

    /// In which artifact of a build the machine level is counted: the text when there is one, else the binary, lowest
    /// first. `None` for stages that are no machine code.
    pub const fn machine_rank(self) -> Option<u8> {
        match self {
            Self::Sass => Some(0),
            Self::Amdgcn => Some(1),
            Self::Cubin => Some(2),
            Self::Hsaco => Some(3),
            _ => None,
        }
    }

    /// Whose resources win: the binary's over the text's over the rest, highest last.
    pub const fn resource_rank(self) -> u8 {
        match self {
            Self::Cubin | Self::Hsaco => 2,
            Self::Sass | Self::Amdgcn => 1,
            _ => 0,
        }
    }

    /// Stages whose artifacts are text. Of a cubin there is our disassembly, of an hsaco nothing.
    pub const fn is_text(self) -> bool {
        !matches!(self, Self::Cubin | Self::Hsaco)
    }

    /// Stages whose instructions have families.
    pub const fn has_families(self) -> bool {
        matches!(self, Self::Ptx | Self::Sass | Self::Amdgcn)
    }
}

/// Where counts are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The whole function.
    #[default]
    Function,
    /// Inside any loop.
    Loop,
    /// The innermost loop that holds tensor compute, else the deepest loop.
    Hot,
}

impl Scope {
    /// All scopes, widest first.
    pub const ALL: [Self; 3] = [Self::Function, Self::Loop, Self::Hot];

    /// Stable id.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Loop => "loop",
            Self::Hot => "hot",
        }
    }

    /// The scope of an id; `None` for any other word.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.id() == id)
    }
}
