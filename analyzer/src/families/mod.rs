//! Which family an opcode belongs to, and what else its mnemonic decides.
//!
//! Patterns are tried once per distinct mnemonic and remembered for the process; scanners never run them per line.

mod canonical;
mod operand_rules;
mod patterns;

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{Arc, OnceLock, PoisonError, RwLock},
};

pub use canonical::canonical;
use lowerline_shared::{
    family::{Family, FamilyInfo},
    stage::Stage,
};
pub(crate) use operand_rules::RuleSet;
use patterns::Pattern;

/// An instruction set whose opcodes have families.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isa {
    /// NVIDIA's virtual one.
    Ptx,
    /// NVIDIA's machines.
    Sass,
    /// AMD's machines.
    Amdgcn,
}

/// Mnemonics remembered per instruction set. The corpus has 450 in all; the bound keeps hostile names from staying.
const REMEMBERED: usize = 16 << 10;

/// Where control goes after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// To the next one.
    Next,
    /// To a target named by its operands, and to the next one when predicated.
    Jump,
    /// To a target computed at run time.
    Indirect,
    /// To a function and back to the next one.
    Call,
    /// Nowhere, unless predicated.
    Exit,
}

/// What a mnemonic alone decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Spelling that trends use.
    pub canonical: String,
    /// Family, operand rules aside.
    pub family: Family,
    /// Where control goes.
    pub flow: Flow,
    /// Indices into [`lowerline_shared::family::OPERAND_RULES`] whose mnemonic pattern matches, as bits.
    pub(crate) rules: RuleSet,
    /// Whether an operand belongs into the report (see `operands`).
    pub(crate) noted: bool,
    /// Hash of `canonical`: an order of opcodes that costs no comparison of strings.
    pub(crate) key: u64,
}

/// What scanners ask of a class for every instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traits {
    pub family: Family,
    pub flow: Flow,
    pub rules: RuleSet,
    pub noted: bool,
    /// Whether operands need to be looked at.
    pub needs_operands: bool,
}

impl Class {
    /// `notes` says whether notes on operands are wanted at all.
    pub(crate) const fn traits(&self, notes: bool) -> Traits {
        let noted = self.noted && notes;
        let needs_operands = !self.rules.is_empty() || noted || !matches!(self.flow, Flow::Next);
        Traits { family: self.family, flow: self.flow, rules: self.rules, noted, needs_operands }
    }
}

impl Isa {
    /// The instruction set of a stage; `None` when its operations have no families.
    pub const fn of(stage: Stage) -> Option<Self> {
        match stage {
            Stage::Ptx => Some(Self::Ptx),
            Stage::Sass | Stage::Cubin => Some(Self::Sass),
            Stage::Amdgcn | Stage::Hsaco => Some(Self::Amdgcn),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Ptx => "ptx",
            Self::Sass => "sass",
            Self::Amdgcn => "amdgcn",
        }
    }

    const fn patterns(self, info: &FamilyInfo) -> &'static [&'static str] {
        match self {
            Self::Ptx => info.ptx,
            Self::Sass => info.sass,
            Self::Amdgcn => info.amdgcn,
        }
    }
}

struct Classifier {
    isa: Isa,
    /// In file order: the first match owns the opcode.
    patterns: Vec<(Family, Pattern)>,
    remembered: RwLock<HashMap<String, Arc<Class>, foldhash::fast::RandomState>>,
}

impl Classifier {
    fn new(isa: Isa) -> Self {
        let patterns = Family::ALL
            .into_iter()
            .flat_map(|family| isa.patterns(family.info()).iter().map(move |pattern| (family, Pattern::new(pattern))))
            .collect();
        Self { isa, patterns, remembered: RwLock::default() }
    }

    fn of(isa: Isa) -> &'static Self {
        static ALL: [OnceLock<Classifier>; 3] = [OnceLock::new(), OnceLock::new(), OnceLock::new()];
        ALL[isa as usize].get_or_init(|| Self::new(isa))
    }

    fn classify(&self, mnemonic: &str) -> Class {
        let canonical = canonical(self.isa, mnemonic);
        let listed =
            || self.patterns.iter().find(|(_, pattern)| pattern.is_match(&canonical)).map(|(family, _)| *family);
        let family = RuleSet::unconditional(self.isa, &canonical).or_else(listed).unwrap_or(Family::Unknown);
        Class {
            family,
            flow: flow(self.isa, mnemonic),
            rules: RuleSet::for_mnemonic(self.isa, &canonical),
            noted: crate::operands::is_noted(self.isa, &canonical),
            key: key(&canonical),
            canonical,
        }
    }
}

fn key(canonical: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    canonical.hash(&mut hasher);
    hasher.finish()
}

/// Canonical spelling, family and flow of a mnemonic as written.
pub fn classify(isa: Isa, mnemonic: &str) -> Arc<Class> {
    let classifier = Classifier::of(isa);
    if let Some(class) = classifier.remembered.read().unwrap_or_else(PoisonError::into_inner).get(mnemonic) {
        return Arc::clone(class);
    }
    let class = Arc::new(classifier.classify(mnemonic));
    let mut remembered = classifier.remembered.write().unwrap_or_else(PoisonError::into_inner);
    if remembered.len() < REMEMBERED && mnemonic.len() <= 256 {
        remembered.insert(mnemonic.to_owned(), Arc::clone(&class));
    }
    class
}

/// Sources: PTX ISA 9.7.12; CUDA Binary Utilities, "Control Instructions"; LLVM AMDGPU SOPP/SOP1 branch instructions.
fn flow(isa: Isa, mnemonic: &str) -> Flow {
    let head = mnemonic.split('.').next().unwrap_or(mnemonic);
    match (isa, head) {
        (Isa::Ptx, "bra") | (Isa::Sass, "BRA" | "JMP") => Flow::Jump,
        (Isa::Ptx, "brx") | (Isa::Sass, "BRX" | "BRXU" | "JMX" | "JMXU") => Flow::Indirect,
        (Isa::Sass, "CALL") => Flow::Call,
        (Isa::Ptx, "ret" | "exit" | "trap") | (Isa::Sass, "EXIT" | "RET" | "KILL") => Flow::Exit,
        (Isa::Amdgcn, "s_setpc_b64") => Flow::Indirect,
        (Isa::Amdgcn, name) if name == "s_branch" || name.starts_with("s_cbranch_") => Flow::Jump,
        (Isa::Amdgcn, name) if name.starts_with("s_endpgm") => Flow::Exit,
        _ => Flow::Next,
    }
}

#[cfg(test)]
mod tests;
