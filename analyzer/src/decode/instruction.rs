//! One decoded instruction, and our own disassembly text.

use std::fmt::Write as _;

use super::{
    flow::{Flow, flow},
    forms,
    opcode::{Decoder, OpcodeId},
    operands::operands,
    word::Word,
};

/// One instruction of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Byte offset in its section.
    pub address: u64,
    /// The word itself.
    pub word: Word,
    /// Its opcode, an index into the decoder.
    pub opcode: OpcodeId,
    /// Where control goes.
    pub flow: Flow,
}

/// Decodes whole words of `code`, the first of which lies at `address`. A rest of fewer than 16 bytes is left out.
pub fn instructions(decoder: &mut Decoder, code: &[u8], address: u64) -> Vec<Instruction> {
    let (words, _) = code.as_chunks::<16>();
    let mut out = Vec::with_capacity(words.len());
    let mut at = address;
    for bytes in words {
        let word = Word(u128::from_le_bytes(*bytes));
        let opcode = decoder.decode(word);
        let name = decoder.opcode(opcode).map_or("", |opcode| opcode.name.as_str());
        out.push(Instruction { address: at, word, opcode, flow: flow(decoder.sm(), name, word, at) });
        at = at.wrapping_add(16);
    }
    out
}

impl Instruction {
    /// The guard as printed, `@P0` or `@UP0`; `@…` where the register file is not known, as for an unknown instruction. `None`
    /// when the instruction always runs.
    pub fn guard(&self, name: &str) -> Option<String> {
        let guard = self.word.guard();
        match is_uniform(name, self.word) {
            Some(uniform) => guard.text(uniform),
            None => guard.text(false).map(|_| "@…".to_owned()),
        }
    }

    /// Whether a predicate guards it.
    pub fn is_guarded(&self) -> bool {
        self.word.guard().text(false).is_some()
    }

    /// Operands as printed: the target of a branch, else what a form of the architecture says, else what [`operands`]
    /// knows; empty when nothing is.
    pub fn printed(&self, sm: u32, name: &str) -> String {
        match self.flow {
            Flow::Next | Flow::Indirect | Flow::End => {
                forms::printed(sm, self.word).unwrap_or_else(|| self.operands(name))
            }
            Flow::Branch(_) | Flow::Call(_) | Flow::Reconverge(_) => self.operands(name),
        }
    }

    /// The operands that counting needs: the target of a branch, else what [`operands`] knows.
    pub fn operands(&self, name: &str) -> String {
        match self.flow {
            Flow::Branch(target) => match branch_condition(name, self.word) {
                Some(condition) => format!("{condition}, {target:#x}"),
                None => format!("{target:#x}"),
            },
            Flow::Call(target) => format!("{target:#x}"),
            Flow::Reconverge(target) => format!("B{}, {target:#x}", self.word.bits(16, 4)),
            _ => operands(name, self.word),
        }
    }
}

/// Whether a uniform predicate guards an instruction; `None` for an unknown one.
///
/// Read off `nvdisasm`: of every key of the eleven architectures with pairs in `tests/decode/data`, words and their neighbours by
/// one to three bits were printed with a guard. The guard's file never differed within a key, and but for `SYNCS` not within a
/// first part of a mnemonic.
fn is_uniform(name: &str, word: Word) -> Option<bool> {
    match name.split('.').next().unwrap_or(name) {
        "" => None,
        base if base.starts_with("unknown(") => None,
        "S2UR" | "LDCU" | "LDTM" | "STTM" => Some(true),
        "SYNCS" => Some(word.key() == 0x5b2),
        base => Some(base.starts_with('U')),
    }
}

/// The condition a branch has beside its guard: a predicate, a uniform predicate, or that threads diverge.
fn branch_condition(name: &str, word: Word) -> Option<String> {
    let predicate = |register: u64, negated: u64, file: &str| {
        let bang = if negated == 1 { "!" } else { "" };
        (register != 7 || negated == 1).then(|| format!("{bang}{file}P{register}"))
    };
    if name.contains(".DIV") || name.contains(".CONV") {
        return Some("…".to_owned());
    }
    match word.key() {
        0x547 => predicate(word.bits(24, 3), word.bits(27, 1), "U"),
        _ => predicate(word.bits(87, 3), word.bits(90, 1), ""),
    }
}

/// Lines of address, control codes, guard, mnemonic, known operands and source line (`source` is asked by address).
pub fn disassembly(decoder: &Decoder, code: &[Instruction], source: impl Fn(u64) -> Option<String>) -> String {
    let mut text = String::with_capacity(code.len() * 64);
    let mut last = None;
    for instruction in code {
        let name = decoder.opcode(instruction.opcode).map_or("", |opcode| opcode.name.as_str());
        let guard = instruction.guard(name).map_or_else(String::new, |guard| format!("{guard} "));
        let control = instruction.word.control().text();
        let body = format!("{guard}{name} {}", instruction.printed(decoder.sm(), name));
        let here = source(instruction.address);
        let note = match &here {
            Some(line) if here != last => format!("  // {line}"),
            _ => String::new(),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "/*{:04x}*/ {control}  {}{note}", instruction.address, body.trim_end());
        last = here;
    }
    text
}
