//! Distinct mnemonics of one artifact, found by hash without allocating.

use std::sync::Arc;

use crate::{
    AnalyzeError, Budget,
    families::{Class, Isa, Traits, classify},
};

const EMPTY: u32 = u32::MAX;
/// Bytes of one mnemonic with its modifiers; the longest of the corpus has 76.
const MNEMONIC_BYTES: usize = 256;
/// Steps of one classification: some 90 patterns behind a letter test.
const CLASSIFY_STEPS: u64 = 20_000;

struct Opcode<'a> {
    text: &'a str,
    hash: u32,
    traits: Traits,
    offset: usize,
    class: Arc<Class>,
}

/// Open addressing over a power of two, at most half full.
pub(crate) struct Opcodes<'a> {
    isa: Isa,
    slots: Vec<u32>,
    all: Vec<Opcode<'a>>,
}

impl<'a> Opcodes<'a> {
    pub(super) fn new(isa: Isa) -> Self {
        Self { isa, slots: vec![EMPTY; 512], all: Vec::with_capacity(128) }
    }

    #[inline]
    pub(super) fn intern(&mut self, text: &'a str, offset: usize, budget: &mut Budget) -> Result<u32, AnalyzeError> {
        let hash = hash(text.as_bytes());
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let index = self.slots[slot];
            if index == EMPTY {
                return self.insert(text, hash, slot, offset, budget);
            }
            let known = &self.all[index as usize];
            if known.hash == hash && known.text == text {
                return Ok(index);
            }
            // Names made to collide pay for every step they cause.
            budget.work(4)?;
            slot = (slot + 1) & mask;
        }
    }

    #[cold]
    fn insert(
        &mut self,
        text: &'a str,
        hash: u32,
        slot: usize,
        offset: usize,
        budget: &mut Budget,
    ) -> Result<u32, AnalyzeError> {
        let limit = budget.limits().opcodes;
        if self.all.len() >= limit {
            return Err(AnalyzeError::TooMany { what: "distinct opcodes", limit });
        }
        if text.len() > MNEMONIC_BYTES {
            return Err(AnalyzeError::TooMany { what: "bytes in a mnemonic", limit: MNEMONIC_BYTES });
        }
        budget.work(CLASSIFY_STEPS)?;
        let class = classify(self.isa, text);
        let index = u32::try_from(self.all.len()).unwrap_or(EMPTY);
        self.all.push(Opcode { text, hash, traits: class.traits(), offset, class });
        self.slots[slot] = index;
        if self.all.len() * 2 > self.slots.len() {
            self.grow();
        }
        Ok(index)
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        self.slots = vec![EMPTY; mask + 1];
        for (index, opcode) in (0_u32..).zip(&self.all) {
            let mut slot = opcode.hash as usize & mask;
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = index;
        }
    }

    /// What its class says.
    #[inline]
    pub fn traits(&self, opcode: u32) -> Traits {
        self.all[opcode as usize].traits
    }

    /// How many there are; ids are below it.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn class(&self, opcode: u32) -> &Arc<Class> {
        &self.all[opcode as usize].class
    }

    /// As written.
    pub fn text(&self, opcode: u32) -> &'a str {
        self.all[opcode as usize].text
    }

    /// Where it was seen first.
    pub fn offset(&self, opcode: u32) -> usize {
        self.all[opcode as usize].offset
    }
}

/// Eight bytes at a time; not keyed, see the probe budget above.
#[inline]
fn hash(bytes: &[u8]) -> u32 {
    const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
    let word =
        |at: usize| bytes.get(at..at + 8).map_or(0, |eight| u64::from_le_bytes(eight.try_into().unwrap_or_default()));
    let len = bytes.len();
    let mut state = len as u64;
    if len >= 8 {
        let mut at = 0;
        while at + 8 < len {
            state = (state.rotate_left(23) ^ word(at)).wrapping_mul(PRIME);
            at += 8;
        }
        state = (state.rotate_left(23) ^ word(len - 8)).wrapping_mul(PRIME);
    } else {
        let mut tail = 0_u64;
        for byte in bytes {
            tail = tail << 8 | u64::from(*byte);
        }
        state = (state ^ tail).wrapping_mul(PRIME);
    }
    (state >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn a_thousand_names_are_found_again() {
        let names: Vec<String> = (0..1_000).map(|n| format!("op{n}.x{}", n * 7)).collect();
        let mut budget = Budget::new(&Limits::default());
        let mut opcodes = Opcodes::new(Isa::Ptx);
        for _ in 0..2 {
            for (expected, name) in (0_u32..).zip(&names) {
                assert_eq!(opcodes.intern(name, 0, &mut budget), Ok(expected));
            }
        }
    }
}
