//! Distinct mnemonics of one artifact, found by hash without allocating.

use std::{num::NonZeroUsize, sync::Arc};

use lowerline_shared::family::Family;

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
    key: Key,
    traits: Traits,
    offset: usize,
    class: Arc<Class>,
}

/// What finding an opcode needs, together in one cache line.
#[derive(Clone, Copy)]
struct Slot {
    key: Key,
    index: u32,
    needs_operands: bool,
    /// Whether the key is the whole text.
    exact: bool,
}

const FREE: Slot = Slot { key: Key { head: 0, rest: 0 }, index: EMPTY, needs_operands: false, exact: true };

/// A mnemonic that the text has had before. Fits two registers: what is stored in parts and read as a whole waits for memory.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    /// The opcode, and above its 32 bits whether operands are looked at.
    code: u64,
    end: NonZeroUsize,
}

impl Known {
    #[inline]
    pub(super) const fn opcode(self) -> u32 {
        (self.code & 0xffff_ffff) as u32
    }

    #[inline]
    pub(super) const fn needs_operands(self) -> bool {
        self.code >> 32 != 0
    }

    /// One past its last byte.
    #[inline]
    pub const fn end(self) -> usize {
        self.end.get()
    }
}

/// Open addressing over a power of two, at most half full.
pub(crate) struct Opcodes<'a> {
    isa: Isa,
    /// Whether operands are read for notes too.
    notes: bool,
    slots: Vec<Slot>,
    all: Vec<Opcode<'a>>,
    /// By opcode, for passes over all instructions.
    families: Vec<Family>,
}

impl<'a> Opcodes<'a> {
    pub(super) fn new(isa: Isa, notes: bool) -> Self {
        Self { isa, notes, slots: vec![FREE; 512], all: Vec::with_capacity(128), families: Vec::with_capacity(128) }
    }

    /// The opcode whose text begins at `at` and ends before a space, a control character or `;`. `None` where there is
    /// none yet, or where finding it takes more than a look: [`Self::intern`] is the way that always works.
    #[inline]
    pub(super) fn known(&self, bytes: &[u8], at: usize) -> Option<Known> {
        let (key, end) = Key::read(bytes, at)?;
        let mask = self.slots.len() - 1;
        let home = key.hash() as usize;
        for step in 0..NEAR {
            let slot = &self.slots[(home + step) & mask];
            if slot.index == EMPTY {
                return None;
            }
            // Only a text made to do so folds into a shorter one's key.
            if slot.key == key
                && slot.exact == (end - at <= EXACT)
                && (slot.exact || self.all[slot.index as usize].text.as_bytes() == &bytes[at..end])
            {
                let code = u64::from(slot.index) | u64::from(slot.needs_operands) << 32;
                return Some(Known { code, end: NonZeroUsize::new(end)? });
            }
        }
        None
    }

    #[inline]
    pub(super) fn intern(&mut self, text: &'a str, offset: usize, budget: &mut Budget) -> Result<u32, AnalyzeError> {
        let key = Key::of(text.as_bytes());
        let mask = self.slots.len() - 1;
        let mut slot = key.hash() as usize & mask;
        loop {
            let known = &self.slots[slot];
            if known.index == EMPTY {
                return self.insert(text, key, slot, offset, budget);
            }
            if known.key == key && self.all[known.index as usize].text == text {
                return Ok(known.index);
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
        key: Key,
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
        let traits = class.traits(self.notes);
        self.all.push(Opcode { text, key, traits, offset, class });
        self.families.push(traits.family);
        self.slots[slot] = Slot { key, index, needs_operands: traits.needs_operands, exact: text.len() <= EXACT };
        if self.all.len() * 2 > self.slots.len() {
            self.grow();
        }
        Ok(index)
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        self.slots = vec![FREE; mask + 1];
        for (index, opcode) in (0_u32..).zip(&self.all) {
            let mut slot = opcode.key.hash() as usize & mask;
            while self.slots[slot].index != EMPTY {
                slot = (slot + 1) & mask;
            }
            let needs_operands = opcode.traits.needs_operands;
            self.slots[slot] = Slot { key: opcode.key, index, needs_operands, exact: opcode.text.len() <= EXACT };
        }
    }

    /// What its class says.
    #[inline]
    pub fn traits(&self, opcode: u32) -> Traits {
        self.all[opcode as usize].traits
    }

    /// Its family, where no operand decides otherwise.
    #[inline]
    pub fn family(&self, opcode: u32) -> Family {
        self.families[opcode as usize]
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

/// Slots looked at by [`Opcodes::known`], which pays for none.
const NEAR: usize = 4;
/// Bytes that are looked at for the end of a mnemonic; the longest of PTX 9.0, `mma` with block scales, have about 120.
const LONGEST: usize = 160;
/// Bytes up to which a key is the whole text.
const EXACT: usize = 16;

/// A mnemonic as numbers: its first eight bytes, and the next eight with what follows folded in. Text holds no NUL, so
/// filling up with zeros makes no two texts alike. Not keyed, see the probe budget of [`Opcodes::intern`].
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    head: u64,
    rest: u64,
}

const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;

impl Key {
    fn of(text: &[u8]) -> Self {
        let mut words = text.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        });
        let head = words.next().unwrap_or(0);
        let rest = words.next().unwrap_or(0);
        Self { head, rest: words.fold(rest, Self::fold) }
    }

    /// The key of the text at `at`, and one past its end. `None` where the input ends within the next two words, and for more than
    /// [`LONGEST`] bytes.
    ///
    /// Lengths follow no pattern, so up to 16 bytes nothing branches on them.
    #[inline]
    fn read(bytes: &[u8], at: usize) -> Option<(Self, usize)> {
        let (head, length) = word(bytes, at)?;
        let (next, more) = word(bytes, at + 8)?;
        let whole = u64::from(length == 8).wrapping_neg();
        let rest = next & whole;
        let length = length + (more & usize::try_from(whole).ok()?);
        if length < EXACT {
            return Some((Self { head, rest }, at + length));
        }
        Self::read_long(bytes, at, Self { head, rest })
    }

    /// [`Self::read`] behind [`EXACT`] bytes that are `begun`.
    fn read_long(bytes: &[u8], start: usize, begun: Self) -> Option<(Self, usize)> {
        let Self { head, mut rest } = begun;
        let mut at = start + EXACT;
        loop {
            let (next, length) = word(bytes, at)?;
            if length > 0 {
                rest = Self::fold(rest, next);
            }
            at += length;
            if length < 8 {
                return Some((Self { head, rest }, at));
            }
            // A line of nothing but labels, `a:a:a:…`, would be read to its end from each of them.
            if at - start > LONGEST {
                return None;
            }
        }
    }

    #[inline]
    const fn fold(rest: u64, word: u64) -> u64 {
        (rest.rotate_left(23) ^ word).wrapping_mul(PRIME)
    }

    #[inline]
    const fn hash(self) -> u32 {
        let mixed = self.head ^ self.rest.rotate_left(29);
        ((mixed ^ mixed >> 32).wrapping_mul(PRIME) >> 32) as u32
    }
}

/// Up to eight bytes before a space, a control character or `;`, and how many; zeros above them.
#[inline]
fn word(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
    let semicolons = word ^ (ONES * 0x3b);
    // The lowest flag is right; those above it may come from a borrow.
    let spaces = word.wrapping_sub(ONES * 0x21) & !word;
    let ends = (spaces | semicolons.wrapping_sub(ONES) & !semicolons) & (ONES * 0x80);
    let lowest = ends & ends.wrapping_neg();
    // Without an end all bits stay: nothing is taken from zero.
    let before = (lowest >> 7).wrapping_sub(1);
    Some((word & before, (ends.trailing_zeros() / 8) as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn a_thousand_names_are_found_again() {
        let names: Vec<String> = (0..1_000).map(|n| format!("op{n}.x{}", n * 7)).collect();
        let mut budget = Budget::new(&Limits::default());
        let mut opcodes = Opcodes::new(Isa::Ptx, true);
        for _ in 0..2 {
            for (expected, name) in (0_u32..).zip(&names) {
                assert_eq!(opcodes.intern(name, 0, &mut budget), Ok(expected));
            }
        }
    }

    #[test]
    fn what_is_known_is_the_same_mnemonic_to_its_last_byte() {
        let names = ["MOV", "IMAD.MOV", "IMAD.MOV.U32.X24", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"];
        let mut budget = Budget::new(&Limits::default());
        let mut opcodes = Opcodes::new(Isa::Sass, true);
        for name in names {
            opcodes.intern(name, 0, &mut budget).expect("room");
        }
        for (expected, name) in (0_u32..).zip(names) {
            for end in [" ", ";", "\t", "\n"] {
                let text = format!("@{name}{end}R1, R2, R3, R4, R5;");
                let known = opcodes.known(text.as_bytes(), 1).expect("it was interned");
                assert_eq!((known.opcode(), known.end()), (expected, 1 + name.len()), "{text}");
            }
            for other in
                [format!("{name}.X"), format!("{name}é"), name[..name.len() - 1].to_owned(), name.replace('M', "m")]
            {
                if !names.contains(&other.as_str()) {
                    assert!(opcodes.known(format!("{other} R1, R2, R3;").as_bytes(), 0).is_none(), "{other}");
                }
            }
            assert!(opcodes.known(name.as_bytes(), 0).is_none(), "no end is in sight: {name}");
        }
    }
}
