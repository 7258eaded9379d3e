//! Scheduling fields of one instruction.
//!
//! Bits 105 to 125 of the 128-bit word of sm_70 and later: stall 4, yield 1 (0 yields), write scoreboard 3, read
//! scoreboard 3 (7 sets none), wait mask 6, reuse 4. Source: Jia et al., "Dissecting the NVIDIA Volta GPU Architecture
//! via Microbenchmarking" (2018), section 2.1; Triton's `tools/disasm.py` prints the same fields.

/// Set in every word that was read, since all fields may be 0.
const PRESENT: u32 = 1 << 31;
/// No scoreboard.
const NO_BARRIER: u32 = 7;

/// The fields from the upper half of an encoding.
pub(crate) fn from_encoding(upper: u64) -> u32 {
    u32::try_from(upper >> 41 & 0x1f_ffff).unwrap_or(0) | PRESENT
}

/// The fields from `02:-:-:Y:d`: wait mask, read scoreboard, write scoreboard, yield, stall.
pub(crate) fn from_text(text: &[u8]) -> Option<u32> {
    let [wait_high, wait_low, b':', read, b':', write, b':', yields, b':', stall] = *text else { return None };
    let hex = |byte: u8| char::from(byte).to_digit(16);
    let scoreboard = |byte: u8| if byte == b'-' { Some(NO_BARRIER) } else { hex(byte) };
    // The mask is decimal: six scoreboards make at most 63.
    let wait = if wait_low == b'-' { 0 } else { hex(wait_high)? * 10 + hex(wait_low)? };
    let yields = u32::from(yields != b'Y');
    Some(hex(stall)? | yields << 4 | scoreboard(write)? << 5 | scoreboard(read)? << 8 | wait << 11 | PRESENT)
}

/// What one word adds: stall cycles, yields, waits, scoreboards set. `None` when there is no word.
pub(crate) fn fields(word: u32) -> Option<[(&'static str, u64); 4]> {
    let sets = u64::from(word >> 5 & 7 != NO_BARRIER) + u64::from(word >> 8 & 7 != NO_BARRIER);
    (word & PRESENT != 0).then(|| {
        [
            ("stall_cycles", u64::from(word & 15)),
            ("yields", u64::from(word >> 4 & 1 == 0)),
            ("barrier_waits", u64::from(word >> 11 & 63 != 0)),
            ("barrier_sets", sets),
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodings by `nvdisasm -hex`, fields by Triton, of one cubin of the corpus.
    #[test]
    fn both_spellings_agree() {
        let reuse_aside = 0x1f_ffff & !(0xf << 17);
        for (upper, text) in [
            (0x000f_e200_0000_0000, &b"--:-:-:-:1"[..]),
            (0x002f_da00_03f2_6070, b"02:-:-:Y:d"),
            (0x000e_6400_0000_2100, b"--:-:1:-:2"),
            (0x000f_ea00_0380_0000, b"--:-:-:-:5"),
        ] {
            let word = from_text(text);
            assert_eq!(word.map(|word| word & reuse_aside), Some(from_encoding(upper) & reuse_aside));
        }
    }
}
