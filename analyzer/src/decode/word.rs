//! One 128-bit instruction word and the fields that sit in one place in every word of `sm_70` and later.
//!
//! Positions were read off pairs of words and printed text: the guard predicate and the 12-bit key from any
//! instruction, the control codes from Triton's own `asm["sass"]`, which prints them.

#![expect(clippy::cast_possible_truncation, reason = "fields are cut to their width before they are narrowed")]

/// One instruction as it lies in memory, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Word(pub u128);

/// Scheduling codes the assembler put beside the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// Cycles until the next instruction may issue.
    pub stall: u8,
    /// Whether the scheduler may switch to another warp here.
    pub yields: bool,
    /// Scoreboard set when the result is written.
    pub write_barrier: Option<u8>,
    /// Scoreboard set when the sources were read.
    pub read_barrier: Option<u8>,
    /// Scoreboards waited for, one bit each.
    pub wait_mask: u8,
    /// Operand caches kept, one bit each.
    pub reuse: u8,
}

/// The predicate that guards an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Predicate register; 7 is always true.
    pub register: u8,
    /// Executed when the predicate is false.
    pub negated: bool,
}

impl Word {
    /// The word that starts at `at`; `None` past the end.
    pub fn read(code: &[u8], at: usize) -> Option<Self> {
        let bytes = code.get(at..at.checked_add(16)?)?;
        Some(Self(u128::from_le_bytes(bytes.try_into().ok()?)))
    }

    /// `width` (at most 64) bits from bit `at`.
    pub const fn bits(self, at: u32, width: u32) -> u64 {
        (self.0 >> at) as u64 & (u64::MAX >> (64 - width))
    }

    /// Bits 0 to 11: what the tables are indexed by.
    pub const fn key(self) -> u16 {
        (self.0 & 0xFFF) as u16
    }

    /// Bits 12 to 15.
    pub const fn guard(self) -> Guard {
        Guard { register: self.bits(12, 3) as u8, negated: self.bits(15, 1) == 1 }
    }

    /// The 8-bit register field at bit `at`.
    pub const fn register(self, at: u32) -> u8 {
        self.bits(at, 8) as u8
    }

    /// Bits 105 to 125.
    pub const fn control(self) -> Control {
        const fn barrier(code: u64) -> Option<u8> {
            if code == 7 { None } else { Some(code as u8) }
        }
        Control {
            stall: self.bits(105, 4) as u8,
            // The bit is set where the warp is kept.
            yields: self.bits(109, 1) == 0,
            write_barrier: barrier(self.bits(110, 3)),
            read_barrier: barrier(self.bits(113, 3)),
            wait_mask: self.bits(116, 6) as u8,
            reuse: self.bits(122, 4) as u8,
        }
    }
}

impl Control {
    /// As Triton prints them: wait mask, read barrier, write barrier, yield, stall (`02:-:-:Y:d`).
    pub fn text(self) -> String {
        let barrier = |code: Option<u8>| code.map_or_else(|| "-".to_owned(), |code| code.to_string());
        let wait = if self.wait_mask == 0 { "--".to_owned() } else { format!("{:02}", self.wait_mask) };
        let yields = if self.yields { 'Y' } else { '-' };
        format!("{wait}:{}:{}:{yields}:{:x}", barrier(self.read_barrier), barrier(self.write_barrier), self.stall)
    }
}

impl Guard {
    /// `@P0`, `@!P3`, `@!PT`; `None` where the instruction always runs. `uniform` names the register file (`@UP0`, `@!UPT`).
    pub fn text(self, uniform: bool) -> Option<String> {
        if self.register == 7 && !self.negated {
            return None;
        }
        let (bang, file) = (if self.negated { "!" } else { "" }, if uniform { "U" } else { "" });
        let register = if self.register == 7 { "T".to_owned() } else { self.register.to_string() };
        Some(format!("@{bang}{file}P{register}"))
    }
}
