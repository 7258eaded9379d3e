//! Where an instruction can continue.

use super::word::Word;

/// How control leaves an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// To the next instruction.
    Next,
    /// To the target (and to the next instruction when guarded).
    Branch(u64),
    /// To the target and back.
    Call(u64),
    /// Some threads will meet again at the target; no transfer.
    Reconverge(u64),
    /// To addresses that the word does not hold (`BRX`, `RET`, `JMX`).
    Indirect,
    /// Nowhere (`EXIT`, `KILL`).
    End,
}

/// First architecture whose branches hold the low byte of the offset beside the guard.
const SPLIT_OFFSET: u32 = 90;

/// The flow of the instruction named `name` at byte `address` of its section.
pub fn flow(sm: u32, name: &str, word: Word, address: u64) -> Flow {
    let base = name.split('.').next().unwrap_or(name);
    match base {
        "BRA" => Flow::Branch(relative(sm, word, address)),
        "CALL" if name.starts_with("CALL.REL") && word.key() & 0xE00 == 0x800 => {
            Flow::Call(relative(sm, word, address))
        }
        "BSSY" => Flow::Reconverge(next(address).wrapping_add_signed(sign_extend(word.bits(32, 32), 32))),
        "BRX" | "BRXU" | "JMP" | "JMX" | "JMXU" | "RET" | "CALL" => Flow::Indirect,
        "EXIT" | "KILL" => Flow::End,
        _ => Flow::Next,
    }
}

const fn next(address: u64) -> u64 {
    address.wrapping_add(16)
}

/// Offset in units of four bytes from the next instruction.
const fn relative(sm: u32, word: Word, address: u64) -> u64 {
    let high = sign_extend(word.bits(34, 48), 48);
    let units = if sm < SPLIT_OFFSET { high } else { high << 8 | word.bits(16, 8).cast_signed() };
    next(address).wrapping_add_signed(units.wrapping_mul(4))
}

const fn sign_extend(value: u64, width: u32) -> i64 {
    (value << (64 - width)).cast_signed() >> (64 - width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_those_printed() {
        // Pairs of word, address and target as a disassembler printed them.
        for (sm, name, word, address, target) in [
            (80, "BRA", 0x000f_c000_0383_ffff_ffff_fff0_0000_7947, 0x59a0, Flow::Branch(0x59a0)),
            (80, "CALL.REL.NOINC", 0x000f_e200_03c0_0000_0000_0010_0000_2944, 0xeaf0, Flow::Call(0xeb10)),
            (90, "BRA", 0x000f_c000_0383_ffff_ffff_fffc_00fc_7947, 0x167f0, Flow::Branch(0x167f0)),
            (90, "BSSY", 0x000f_e200_0380_0000_0000_00a0_0001_7945, 0x359e0, Flow::Reconverge(0x35a90)),
            (100, "BRA.U", 0x000f_ea00_0b80_0000_0000_0001_000c_7547, 0x529c0, Flow::Branch(0x52a00)),
            (120, "BRA.U", 0x000f_ec00_0b80_0000_0000_0001_0050_7547, 0x1b270, Flow::Branch(0x1b3c0)),
        ] {
            assert_eq!(flow(sm, name, Word(word), address), target, "{name} at {address:#x}");
        }
    }
}
