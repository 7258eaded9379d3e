//! What a table may ask about a word.
//!
//! Single bits, and whether an operand field holds a special value: the disassembler prints aliases, so that a
//! multiply-add whose factor is 1 and whose other operand is RZ reads `IMAD.MOV`.

use super::word::Word;

/// One question with a yes-or-no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// The bit is set.
    Bit(u8),
    /// All bits of the field are set (RZ, URZ, PT).
    Ones {
        /// First bit.
        at: u8,
        /// Bits.
        width: u8,
    },
    /// The 32-bit immediate has this value.
    Immediate(u32),
    /// The 32-bit immediate is a power of two that prints as a shift.
    Shift,
}

const IMMEDIATE: u32 = 32;

impl Feature {
    /// The feature of a code of the table format.
    pub const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0..=127 => Self::Bit(code),
            128 => Self::Ones { at: 16, width: 8 },
            129 => Self::Ones { at: 24, width: 8 },
            130 => Self::Ones { at: 32, width: 8 },
            131 => Self::Ones { at: 64, width: 8 },
            132 => Self::Ones { at: 16, width: 6 },
            133 => Self::Ones { at: 24, width: 6 },
            134 => Self::Ones { at: 32, width: 6 },
            135 => Self::Ones { at: 64, width: 6 },
            136 => Self::Ones { at: 68, width: 3 },
            137 => Self::Ones { at: 77, width: 3 },
            138 => Self::Ones { at: 81, width: 3 },
            139 => Self::Ones { at: 84, width: 3 },
            140 => Self::Ones { at: 87, width: 3 },
            144 => Self::Immediate(0),
            145 => Self::Immediate(1),
            146 => Self::Shift,
            _ => return None,
        })
    }

    /// The bits it looks at.
    pub const fn mask(self) -> u128 {
        match self {
            Self::Bit(at) => 1 << at,
            Self::Ones { at, width } => ((1 << width) - 1) << at,
            Self::Immediate(_) | Self::Shift => 0xFFFF_FFFF << IMMEDIATE,
        }
    }

    /// The answer for a word.
    #[inline]
    pub const fn holds(self, word: Word) -> bool {
        let mask = self.mask();
        match self {
            Self::Bit(_) | Self::Ones { .. } => word.0 & mask == mask,
            Self::Immediate(value) => word.bits(IMMEDIATE, 32) == value as u64,
            Self::Shift => {
                let value = word.bits(IMMEDIATE, 32);
                // 2^16 and 2^31 print as plain multiplications.
                value.is_power_of_two() && !matches!(value, 1 | 0x1_0000 | 0x8000_0000)
            }
        }
    }
}
