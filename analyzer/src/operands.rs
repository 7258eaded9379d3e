//! What operands say that decisions and control flow need. Everything else in them is skipped unread.

use std::collections::HashMap;

use lowerline_shared::family::Family;

use crate::{AnalyzeError, Budget, families::Isa, stream::Target};

/// A note on one instruction: `cp.async bytes=16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Note {
    head: &'static str,
    value: u32,
}

/// Distinct notes.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    all: Vec<Note>,
    index: HashMap<Note, u32>,
}

impl Notes {
    pub fn intern(&mut self, note: Note, budget: &mut Budget) -> Result<u32, AnalyzeError> {
        if let Some(known) = self.index.get(&note) {
            return Ok(*known);
        }
        budget.store(1)?;
        let index = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.all.push(note);
        self.index.insert(note, index);
        Ok(index)
    }

    pub fn text(&self, index: u32) -> String {
        self.all.get(index as usize).map(|note| format!("{}{}", note.head, note.value)).unwrap_or_default()
    }
}

/// Whether [`note`] may find something in the operands of this opcode.
pub(crate) fn is_noted(isa: Isa, canonical: &str) -> bool {
    head(isa, canonical).is_some()
}

enum Which {
    First,
    Last,
    Named(&'static str),
}

/// PTX ISA 9.7: `cp.async … [dst], [src], cp-size{, src-size}`; `wait_group N`; `setmaxnreg … imm`. SASS: `DEPBAR.LE SBn,
/// count`; `USETMAXREG imm`. AMD: counters of `s_waitcnt`.
fn head(isa: Isa, mnemonic: &str) -> Option<(&'static str, Which)> {
    Some(match isa {
        Isa::Ptx if mnemonic.starts_with("cp.async.ca.") || mnemonic.starts_with("cp.async.cg.") => {
            ("cp.async bytes=", Which::First)
        }
        Isa::Ptx if mnemonic.starts_with("cp.async.wait_group") => ("cp.async.wait_group n=", Which::Last),
        Isa::Ptx if mnemonic.starts_with("cp.async.bulk.wait_group") => ("cp.async.bulk.wait_group n=", Which::Last),
        Isa::Ptx if mnemonic.starts_with("wgmma.wait_group") => ("wgmma.wait_group n=", Which::Last),
        Isa::Ptx if mnemonic.starts_with("setmaxnreg.inc") => ("setmaxnreg.inc registers=", Which::Last),
        Isa::Ptx if mnemonic.starts_with("setmaxnreg.dec") => ("setmaxnreg.dec registers=", Which::Last),
        Isa::Sass if mnemonic.starts_with("DEPBAR.LE") => ("DEPBAR.LE n=", Which::Last),
        Isa::Sass if mnemonic.starts_with("WARPGROUP.DEPBAR") => ("WARPGROUP.DEPBAR n=", Which::Last),
        Isa::Sass if mnemonic.starts_with("USETMAXREG") => ("USETMAXREG registers=", Which::Last),
        Isa::Amdgcn if mnemonic == "s_waitcnt" => ("s_waitcnt vmcnt=", Which::Named("vmcnt(")),
        _ => return None,
    })
}

/// The number that a decision needs.
pub(crate) fn note(isa: Isa, mnemonic: &str, operands: &str) -> Option<Note> {
    let (head, which) = head(isa, mnemonic)?;
    let text = match which {
        // The copy size is the first operand behind both addresses.
        Which::First => operands.rsplit_once(']')?.1.trim_start().strip_prefix(',')?.split(',').next()?,
        Which::Last => operands.rsplit(',').next()?,
        Which::Named(name) => operands.split_once(name)?.1.split(')').next()?,
    };
    Some(Note { head, value: number(text.trim())? })
}

fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The target of a jump, and whether an operand makes it conditional.
pub(crate) fn jump_target<'a>(isa: Isa, mnemonic: &str, operands: &'a str) -> (Target<'a>, bool) {
    // SASS writes predicates and barriers before the target (`BRA.U !UP0, target`), so the target is the last one.
    let (before, last) = operands.rsplit_once(',').map_or(("", operands), |(before, last)| (before, last));
    let conditional = match isa {
        Isa::Ptx => false,
        Isa::Sass => !before.trim().is_empty(),
        Isa::Amdgcn => mnemonic.starts_with("s_cbranch"),
    };
    // `nvdisasm` 13 may add scheduling words behind the operands: `BRA 0x3610   ?trans6;`.
    let last = match isa {
        Isa::Sass => last.split_ascii_whitespace().next().unwrap_or_default(),
        Isa::Ptx | Isa::Amdgcn => last.trim(),
    };
    let name = last.strip_prefix("`(").and_then(|inner| inner.strip_suffix(')')).unwrap_or(last);
    let target = if isa == Isa::Sass { sass_target(name) } else { named(name) };
    (target, conditional)
}

fn named(name: &str) -> Target<'_> {
    if name.is_empty() { Target::Unknown } else { Target::Name(name) }
}

/// An address or a label as SASS text writes it.
pub(crate) fn sass_target(text: &str) -> Target<'_> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).map_or(Target::Unknown, Target::Address),
        None => named(text),
    }
}

/// What `nvdisasm` puts before the targets of a `BRX`, in a comment of its own.
pub(crate) const BRANCH_TARGETS: &str = "(*\"BRANCH_TARGETS ";

/// The jump table of `brx.idx index, table`, the targets that `nvdisasm` adds to a `BRX`, and `s_setpc_b64 s[30:31]`,
/// which returns: the pair holds the return address (LLVM AMDGPU usage, "Calling Conventions").
pub(crate) fn indirect_target(isa: Isa, operands: &str) -> Target<'_> {
    match isa {
        Isa::Ptx => operands.rsplit_once(',').map_or(Target::Unknown, |(_, table)| Target::Table(table.trim())),
        Isa::Sass => {
            let list = operands.split_once(BRANCH_TARGETS).and_then(|(_, rest)| rest.split_once('"'));
            list.map_or(Target::Unknown, |(list, _)| Target::List(list))
        }
        Isa::Amdgcn if operands.trim() == "s[30:31]" => Target::Exit,
        Isa::Amdgcn => Target::Unknown,
    }
}

/// What a mnemonic itself says about width or shape: `ld.global bits=128`, `wgmma m64n128k16.f32.f16.f16`.
pub(crate) fn mnemonic_note(isa: Isa, canonical: &str, family: Family) -> Option<String> {
    let parts: Vec<&str> = canonical.split('.').collect();
    match (isa, family) {
        (_, Family::GlobalLoad | Family::GlobalStore | Family::SharedLoad | Family::SharedStore) => {
            let (name, bits) = match isa {
                Isa::Ptx => (memory_name(&parts), ptx_bits(&parts)?),
                Isa::Sass => ((*parts.first()?).to_owned(), sass_bits(&parts)),
                Isa::Amdgcn => amd_bits(canonical)?,
            };
            Some(format!("{name} bits={bits}"))
        }
        (Isa::Ptx, Family::TensorCompute) => {
            let shape = parts.iter().position(|part| is_shape(part))?;
            Some(format!("{} {}", parts.first()?, parts.get(shape..)?.join(".")))
        }
        (Isa::Ptx, Family::TmemMovement) => {
            let shape = parts.iter().position(|part| part.starts_with(|c: char| c.is_ascii_digit()))?;
            Some(format!("{}.{} {}", parts.first()?, parts.get(1)?, parts.get(shape..)?.join(".")))
        }
        _ => None,
    }
}

/// `ld.global`, `st.shared`: operation and state space.
fn memory_name(parts: &[&str]) -> String {
    let space = parts.iter().find(|part| part.starts_with("global") || part.starts_with("shared"));
    format!("{}.{}", parts.first().unwrap_or(&""), space.unwrap_or(&"generic"))
}

/// `m64n128k16`.
fn is_shape(part: &str) -> bool {
    part.strip_prefix('m')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains('n') && rest.contains('k'))
}

fn ptx_bits(parts: &[&str]) -> Option<u32> {
    let lanes = parts.iter().find_map(|part| match *part {
        "v2" => Some(2),
        "v4" => Some(4),
        "v8" => Some(8),
        _ => None,
    });
    let element = number(parts.last()?.strip_prefix(['b', 'u', 's', 'f'])?)?;
    Some(lanes.unwrap_or(1) * element)
}

/// The width part stands alone (`LDG.E.128`); without one an access takes 32 bits.
fn sass_bits(parts: &[&str]) -> u32 {
    let width = parts.iter().skip(1).rev().find_map(|part| match *part {
        "U8" | "S8" => Some(8),
        "U16" | "S16" => Some(16),
        "64" => Some(64),
        "128" => Some(128),
        "256" => Some(256),
        _ => None,
    });
    width.unwrap_or(32)
}

/// `global_load_dwordx4` → 128, `ds_read2st64_b64` → 128, `ds_read_u16_d16` → 16.
fn amd_bits(canonical: &str) -> Option<(String, u32)> {
    let name = [
        "global_load",
        "global_store",
        "buffer_load",
        "buffer_store",
        "flat_load",
        "flat_store",
        "ds_read",
        "ds_write",
    ]
    .into_iter()
    .find(|name| canonical.starts_with(name))?;
    let rest = &canonical[name.len()..];
    let twice = if rest.starts_with('2') { 2 } else { 1 };
    let bits = rest.split('_').find_map(|part| match part {
        "ubyte" | "sbyte" | "byte" => Some(8),
        "ushort" | "sshort" | "short" => Some(16),
        "dword" => Some(32),
        "dwordx2" => Some(64),
        "dwordx3" => Some(96),
        "dwordx4" => Some(128),
        other => number(other.strip_prefix(['b', 'u', 'i'])?),
    })?;
    Some((name.to_owned(), twice * bits))
}
