//! Words to opcodes, with a memory of what was decoded before.

use std::collections::BTreeMap;

use super::{
    table::{Architecture, Tables, tables},
    word::Word,
};

/// What is known of one word's mnemonic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// The whole mnemonic is known.
    Full,
    /// Only the first part is; the name ends in `.?`.
    Base,
    /// No table entry: the name is `unknown(0x…)` with the decisive bits.
    Unknown,
}

/// One distinct opcode met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opcode {
    /// Spelled as `nvdisasm -c` does.
    pub name: String,
    /// How sure the name is.
    pub certainty: Certainty,
}

/// Index of an [`Opcode`] in its [`Decoder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpcodeId(u32);

/// Slots of the direct-mapped memory; real kernels have a few hundred distinct decisive values.
const SLOTS: usize = 4096;
/// Distinct opcodes kept apart; a hostile file can have a new one in every word. Beyond it unknown words go by key alone.
const MAX_OPCODES: usize = 3_072;

/// Decodes the words of one architecture.
pub struct Decoder {
    sm: u32,
    source: Option<(&'static Tables, &'static Architecture)>,
    opcodes: Vec<Opcode>,
    by_name: BTreeMap<String, OpcodeId>,
    memory: Vec<(u128, OpcodeId)>,
}

impl Decoder {
    /// A decoder for `sm` (`90` for `sm_90a`). With no table for it every word is unknown.
    pub fn new(sm: u32) -> Self {
        let source = tables().and_then(|tables| Some((tables, tables.architecture(sm)?)));
        // Key 0 with nothing else is no instruction of any architecture: a slot holding it is empty.
        Self { sm, source, opcodes: Vec::new(), by_name: BTreeMap::new(), memory: vec![(0, OpcodeId(0)); SLOTS] }
    }

    /// The architecture number it was made for.
    pub const fn sm(&self) -> u32 {
        self.sm
    }

    /// Whether there is a table for the architecture.
    pub const fn has_table(&self) -> bool {
        self.source.is_some()
    }

    /// The opcode of one word.
    #[inline]
    pub fn decode(&mut self, word: Word) -> OpcodeId {
        let decisive = self.source.map_or(word.0 & 0xFFF, |(_, architecture)| architecture.decisive(word));
        let slot = slot(decisive);
        match self.memory.get(slot) {
            Some(&(known, id)) if known == decisive && decisive != 0 => id,
            _ => {
                let id = self.look_up(word, decisive);
                if let Some(place) = self.memory.get_mut(slot) {
                    *place = (decisive, id);
                }
                id
            }
        }
    }

    #[cold]
    fn look_up(&mut self, word: Word, decisive: u128) -> OpcodeId {
        let found = self.source.and_then(|(tables, architecture)| tables.mnemonic(architecture, word));
        let (name, certainty) = match found {
            Some((name, true)) => (name, Certainty::Full),
            Some((name, false)) => (name, Certainty::Base),
            None if self.opcodes.len() < MAX_OPCODES => (format!("unknown({decisive:#x})"), Certainty::Unknown),
            None => (format!("unknown({:#x})", word.key()), Certainty::Unknown),
        };
        if let Some(&id) = self.by_name.get(&name) {
            return id;
        }
        let id = OpcodeId(u32::try_from(self.opcodes.len()).unwrap_or(u32::MAX));
        self.by_name.insert(name.clone(), id);
        self.opcodes.push(Opcode { name, certainty });
        id
    }

    /// The opcode of an id this decoder gave out.
    pub fn opcode(&self, id: OpcodeId) -> Option<&Opcode> {
        self.opcodes.get(id.0 as usize)
    }

    /// Counts the opcodes of a run of code: whole words only.
    pub fn histogram(&mut self, code: &[u8]) -> BTreeMap<&str, u64> {
        let mut counts: Vec<u64> = Vec::new();
        let (words, _) = code.as_chunks::<16>();
        for bytes in words {
            let id = self.decode(Word(u128::from_le_bytes(*bytes))).0 as usize;
            if id >= counts.len() {
                counts.resize(id + 1, 0);
            }
            if let Some(count) = counts.get_mut(id) {
                *count += 1;
            }
        }
        let named = self.opcodes.iter().zip(counts).filter(|(_, count)| *count > 0);
        named.map(|(opcode, count)| (opcode.name.as_str(), count)).collect()
    }
}

/// A slot of the memory for a decisive value.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "folding 128 bits to 64 and 64 to 12 is the point")]
const fn slot(decisive: u128) -> usize {
    let folded = (decisive as u64) ^ ((decisive >> 64) as u64).rotate_left(29);
    (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52) as usize
}
