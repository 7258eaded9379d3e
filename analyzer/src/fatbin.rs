//! NVIDIA's container of several cubins and PTX texts, as `nvcc -fatbin` writes it.
//!
//! One or more blocks, each a 16-byte header (magic, version, header size, bytes that follow) and members, each with a
//! header of its own. The layout was read off the members of PyPI's CUDA libraries; all numbers are little-endian.
//!
//! | byte of a member's header | what |
//! | --- | --- |
//! | 0 | kind (u16): 1 is PTX, 2 is a cubin |
//! | 4 | bytes of the header (u32) |
//! | 8 | bytes of the payload, padding included (u64) |
//! | 16 | bytes of the compressed payload (u32) |
//! | 28 | architecture number (u32) |
//! | 40 | flags (u64): 0x2000 is LZ4, 0x8000 is zstd |
//! | 56 | bytes of the inflated payload (u64) |

use crate::AnalyzeError;

/// Magic, version 1, header size 16.
const MAGIC: &[u8] = &[0x50, 0xED, 0x55, 0xBA, 0x01, 0x00, 0x10, 0x00];
const BLOCK: usize = 16;
const HEADER: usize = 64;
/// Members of one file; libraries have hundreds.
pub const MAX_MEMBERS: usize = 4_096;

/// What a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// PTX text.
    Ptx,
    /// A cubin.
    Cubin,
    /// Something else, by its number.
    Other(u16),
}

/// How a member's payload is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// As it is.
    Plain,
    /// One LZ4 block.
    Lz4,
    /// One zstd frame.
    Zstd,
}

/// One member; its payload borrows from the input and is not inflated here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member<'a> {
    /// What it is.
    pub kind: Kind,
    /// Architecture number, 90 of `sm_90`.
    pub sm: u32,
    /// How it is packed.
    pub packing: Packing,
    /// The payload as packed.
    pub payload: &'a [u8],
    /// Bytes after inflating, as the header claims; never to be believed without a limit.
    pub inflated: u64,
}

/// Whether the bytes begin as a fatbin does.
pub fn is_fatbin(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The members in file order.
///
/// # Errors
/// [`AnalyzeError::BadFatbin`] where a block or member leaves the file, [`AnalyzeError::TooMany`] past [`MAX_MEMBERS`].
pub fn members(bytes: &[u8]) -> Result<Vec<Member<'_>>, AnalyzeError> {
    let mut out = Vec::new();
    let mut at = 0;
    while bytes.get(at..).is_some_and(is_fatbin) {
        let bad = AnalyzeError::BadFatbin { offset: at };
        let size = usize::try_from(u64_at(bytes, at + 8).ok_or(bad)?).map_err(|_| bad)?;
        let end = at.checked_add(BLOCK).and_then(|start| start.checked_add(size)).ok_or(bad)?;
        let block = bytes.get(..end).ok_or(bad)?;
        at += BLOCK;
        while at < end {
            let (member, next) = member(block, at).ok_or(AnalyzeError::BadFatbin { offset: at })?;
            if out.len() >= MAX_MEMBERS {
                return Err(AnalyzeError::TooMany { what: "fatbin members", limit: MAX_MEMBERS });
            }
            out.push(member);
            at = next;
        }
        // Blocks stand on multiples of eight.
        at = at.next_multiple_of(8);
    }
    Ok(out)
}

fn member(block: &[u8], at: usize) -> Option<(Member<'_>, usize)> {
    let header = block.get(at..at.checked_add(HEADER)?)?;
    let number = |from: usize| Some(u32::from_le_bytes(header.get(from..from + 4)?.try_into().ok()?));
    let size = usize::try_from(number(4)?).ok()?;
    if size < HEADER {
        return None;
    }
    let start = at.checked_add(size)?;
    let next = start.checked_add(usize::try_from(u64_at(header, 8)?).ok()?)?;
    let whole = block.get(start..next)?;
    let flags = u64_at(header, 40)?;
    let packing = match (flags & 0x2000 != 0, flags & 0x8000 != 0) {
        (false, false) => Packing::Plain,
        (true, _) => Packing::Lz4,
        (false, true) => Packing::Zstd,
    };
    let packed = usize::try_from(number(16)?).ok()?;
    let payload = if packing == Packing::Plain || packed == 0 { whole } else { whole.get(..packed)? };
    let kind = match u16::from_le_bytes([*header.first()?, *header.get(1)?]) {
        1 => Kind::Ptx,
        2 => Kind::Cubin,
        other => Kind::Other(other),
    };
    Some((Member { kind, sm: number(28)?, packing, payload, inflated: u64_at(header, 56)? }, next))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}
