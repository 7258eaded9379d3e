//! Entries of `.nv.info` and `.nv.info.<kernel>`.
//!
//! An entry is {format u8, attribute u8} and, by format, two bytes of value (1: none, 2: u8, 3: u16) or {size u16,
//! payload} (4). Attribute numbers are those `cuobjdump -elf` prints as `EIATTR_…`; every number used here was held
//! against `cuobjdump -res-usage` and the PTX of the demo data.

use super::{ElfError, ElfErrorKind};

/// `EIATTR_REQNTID` in the section of a kernel: three u32.
pub const REQUIRED_THREADS: u8 = 0x10;
/// `EIATTR_FRAME_SIZE`: symbol, bytes.
pub const FRAME_SIZE: u8 = 0x11;
/// `EIATTR_MIN_STACK_SIZE`: symbol, bytes; callees included.
pub const MIN_STACK_SIZE: u8 = 0x12;
/// `EIATTR_REGCOUNT`: symbol, registers.
pub const REGISTERS: u8 = 0x2f;
/// `EIATTR_INDIRECT_BRANCH_TARGETS` in the section of a function: for each `BRX` its offset in the code, a zero, the number of
/// targets, and their offsets. `nvdisasm` prints them behind the instruction as `BRANCH_TARGETS`.
pub const INDIRECT_BRANCH_TARGETS: u8 = 0x34;
/// The [`MIN_STACK_SIZE`] that `cuobjdump -res-usage` prints as `STACK:UNKNOWN`.
pub const NO_BOUND: u32 = u32::MAX;
/// `EIATTR_NUM_BARRIERS` in the section of a kernel: u8 (ABI 8; ABI 7 has it in the section flags).
pub const BARRIERS: u8 = 0x4c;

/// One entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// Which.
    pub id: u8,
    /// The 16 bits behind the number, for entries without payload.
    pub small: u16,
    /// Payload; empty for small entries.
    pub payload: &'a [u8],
}

impl Attribute<'_> {
    /// The payload's nth u32.
    pub fn word(&self, n: usize) -> Option<u32> {
        let bytes = self.payload.get(n.checked_mul(4)?..)?.get(..4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }
}

/// Branches of an [`INDIRECT_BRANCH_TARGETS`] payload: offset and targets. Ends where a count says more than there is.
pub fn indirect_branches(payload: &[u8]) -> impl Iterator<Item = (u64, Vec<u64>)> {
    let mut words =
        payload.chunks_exact(4).map(|word| u64::from(u32::from_le_bytes([word[0], word[1], word[2], word[3]])));
    std::iter::from_fn(move || {
        let (at, _, count) = (words.next()?, words.next()?, usize::try_from(words.next()?).ok()?);
        // Taken from the words that are there, so the count allocates nothing.
        let targets: Vec<u64> = words.by_ref().take(count).collect();
        (targets.len() == count).then_some((at, targets))
    })
}

/// Reads all entries; the offset is that of the section, for errors.
pub fn attributes(mut data: &[u8], offset: u64) -> impl Iterator<Item = Result<Attribute<'_>, ElfError>> {
    std::iter::from_fn(move || {
        if data.is_empty() {
            return None;
        }
        let entry = split(&mut data);
        if entry.is_none() {
            data = &[];
        }
        Some(entry.ok_or(ElfErrorKind::Attribute.at(offset)))
    })
}

fn split<'a>(data: &mut &'a [u8]) -> Option<Attribute<'a>> {
    let (head, rest) = data.split_first_chunk::<4>()?;
    let [format, id, low, high] = *head;
    let small = u16::from_le_bytes([low, high]);
    let (payload, rest) = match format {
        1..=3 => (&[][..], rest),
        4 => rest.split_at_checked(usize::from(small))?,
        _ => return None,
    };
    *data = rest;
    Some(Attribute { id, small, payload })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_sized_entries_are_told_apart() {
        let bytes = [2, 0x4c, 1, 0, 4, 0x2f, 8, 0, 0x11, 0, 0, 0, 98, 0, 0, 0];
        let entries: Vec<Attribute<'_>> = attributes(&bytes, 0).collect::<Result<_, _>>().expect("two entries");
        assert_eq!((entries[0].id, entries[0].small), (BARRIERS, 1));
        assert_eq!((entries[1].word(0), entries[1].word(1), entries[1].word(2)), (Some(17), Some(98), None));
    }

    #[test]
    fn branches_end_where_a_count_lies() {
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let read = |list: &[u32]| indirect_branches(&words(list)).collect::<Vec<_>>();
        assert_eq!(
            read(&[0x190, 0, 2, 0x360, 0x1a0, 0x3d0, 0, 1, 0x410]),
            [(0x190, vec![0x360, 0x1a0]), (0x3d0, vec![0x410])]
        );
        assert_eq!(read(&[0x190, 0, u32::MAX, 0x360]), []);
    }

    #[test]
    fn a_cut_entry_is_an_error_once() {
        let entries: Vec<_> = attributes(&[4, 0x2f, 8, 0, 1], 7).collect();
        assert_eq!(entries, [Err(ElfErrorKind::Attribute.at(7))]);
    }
}
