//! The operands that are known: those the family rules ask for, and those of local-memory accesses.
//!
//! Everything else is left out rather than guessed; an empty text means "not known".

use super::word::Word;

const ZERO: u8 = 0xFF;

/// Operands as a disassembler would print them, where known.
pub fn operands(name: &str, word: Word) -> String {
    let base = name.split('.').next().unwrap_or(name);
    let uniform = word.bits(91, 1) == 1;
    match (base, word.key()) {
        ("CS2R", 0x805) if word.bits(72, 8) == 0xFF => format!("{}, SRZ", register(word, 16)),
        ("HFMA2", 0x431 | 0x435) if is_constant_move(word) => format!("{}, -RZ, RZ, …", register(word, 16)),
        ("SHFL", 0x389) if [16, 24, 32, 64].iter().all(|&at| word.register(at) == ZERO) => {
            "PT, RZ, RZ, RZ, RZ".to_owned()
        }
        ("STL", 0x387) if !uniform => format!("{}, {}", local(word), register(word, 32)),
        ("LDL", 0x983) if !uniform => format!("{}, {}", register(word, 16), local(word)),
        _ => String::new(),
    }
}

/// `HFMA2 Rn, -RZ, RZ, a, b`: minus zero times zero plus a constant, with no half selected.
const fn is_constant_move(word: Word) -> bool {
    let plain_halves = word.bits(73, 4) == 0;
    word.register(16) != ZERO
        && word.register(24) == ZERO
        && word.register(64) == ZERO
        && word.bits(72, 1) == 1
        && plain_halves
}

fn register(word: Word, at: u32) -> String {
    match word.register(at) {
        ZERO => "RZ".to_owned(),
        number => format!("R{number}"),
    }
}

/// `[R1+0x10]`, `[R1+-0x10]`: base register at bit 24, 24-bit offset at bit 40, which has a sign only beside a register.
fn local(word: Word) -> String {
    let unsigned = word.bits(40, 24);
    let offset = (unsigned << 40).cast_signed() >> 40;
    let sign = if offset < 0 { "-" } else { "" };
    let magnitude = offset.unsigned_abs();
    match (word.register(24), offset) {
        (_, 0) => format!("[{}]", register(word, 24)),
        (ZERO, _) => format!("[{unsigned:#x}]"),
        _ => format!("[{}+{sign}{magnitude:#x}]", register(word, 24)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_operands_are_those_printed() {
        for (name, word, text) in [
            ("STL", 0x000f_e200_0010_0800_0003_b85d_0100_7387, "[R1+0x3b8], R93"),
            ("STL", 0x0005_e800_0010_0800_0001_6cff_0100_7387, "[R1+0x16c], RZ"),
            ("STL.64", 0x000f_e800_0010_0a00_0001_586e_0100_7387, "[R1+0x158], R110"),
            ("STL", 0x0005_e800_0010_0800_ffff_8805_1700_7387, "[R23+-0x78], R5"),
            ("STL", 0x0005_e800_0010_0800_ffff_8805_ff00_7387, "[0xffff88], R5"),
            ("LDL.LU", 0x000e_a200_0030_0800_0000_0000_ff54_7983, "R84, [RZ]"),
            ("LDL.LU", 0x000e_a200_0030_0800_0002_dc00_0154_7983, "R84, [R1+0x2dc]"),
            ("CS2R", 0x000f_e200_0001_ff00_0000_0000_0020_7805, "R32, SRZ"),
            ("HFMA2", 0x010f_e200_0000_01ff_0000_000f_ff03_7431, "R3, -RZ, RZ, …"),
            ("IADD", 0x000f_c800_078e_0000_0000_0001_0303_9835, ""),
        ] {
            assert_eq!(operands(name, Word(word)), text, "{name}");
        }
    }
}
