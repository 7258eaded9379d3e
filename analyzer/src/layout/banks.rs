//! Bank conflicts of an access to shared memory by a warp of 32 lanes.
//!
//! Shared memory of NVIDIA chips has 32 banks of 4 bytes (CUDA programming guide, "Shared memory"). A warp's access is cut
//! into wavefronts of 128 bytes: all lanes when each moves up to 4 bytes, a half when 8, a quarter when 16. Lanes that want
//! one word share it; different words of one bank are served one after the other.

use std::collections::BTreeSet;

use super::{
    axis::{Axis, field},
    encoding::{Encoding, PaddedShared},
    error::LayoutError,
    linear::LinearLayout,
    shape::{Shape, log2},
};

/// Banks of shared memory.
const BANKS: usize = 32;
/// Bits of one bank.
const WORD_BITS: u64 = 32;
/// Bits of one wavefront: a word from each bank.
const WAVEFRONT_BITS: u32 = 1_024;
/// Most bits one lane moves with one instruction.
const VECTOR_BITS: u32 = 128;
/// Lanes of a warp, as a power of two.
const LANE_BITS: u32 = 5;

/// How well one load or store of shared memory is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedAccess {
    /// Bits that one lane moves at once: 8 to 128.
    pub vector_bits: u32,
    /// Lanes served together.
    pub lanes: u32,
    /// Words that the busiest bank serves for the first group of lanes; 1 is free of conflicts.
    pub wavefronts: u32,
}

impl SharedAccess {
    /// Wavefronts beyond the one that is needed.
    pub const fn conflicts(self) -> u32 {
        self.wavefronts.saturating_sub(1)
    }

    /// The same in words: `a 4-way bank conflict`.
    pub fn verdict(self) -> String {
        match self.conflicts() {
            0 => "no bank conflict".to_owned(),
            more => format!("a {}-way bank conflict", more + 1),
        }
    }
}

/// The access that moves a tensor between registers and shared memory, without matrix loads (`ldmatrix`).
pub fn shared_access(
    register: &Encoding,
    shared: &Encoding,
    shape: &Shape,
    element_bits: u32,
) -> Result<SharedAccess, LayoutError> {
    let element = log2(u64::from(element_bits), "the size of an element")?;
    if !(3..=6).contains(&element) {
        return Err(LayoutError::Invalid("elements of shared memory have 8 to 64 bits"));
    }
    let registers = register.to_linear(shape, element_bits)?;
    if registers.input_bits(Axis::Lane) != LANE_BITS {
        return Err(LayoutError::Invalid("bank rules are known for warps of 32 lanes only"));
    }
    let offsets = registers.invert_and_compose(&shared.to_linear(shape, element_bits)?)?;
    let in_block = field(offsets.outputs(), Axis::Offset).ok_or(LayoutError::Mismatch)?;
    let part = |axis| offsets.columns_of(axis).iter().map(|&column| in_block.of(column)).collect::<Vec<_>>();
    let padding = match shared {
        Encoding::PaddedShared(padded) => Some(padded),
        _ => None,
    };
    let vector = vector(&offsets, in_block.of(u64::MAX), element, padding);
    let vector_bits = element_bits << vector;
    let lane_bits = LANE_BITS.min(WAVEFRONT_BITS.ilog2() - vector_bits.max(32).ilog2());
    let lanes = part(Axis::Lane);
    let mut words = BTreeSet::new();
    for lane in 0..1_u64 << lane_bits {
        let start = (0..).zip(&lanes).filter(|(bit, _)| lane >> bit & 1 == 1).fold(0, |sum, (_, offset)| sum ^ offset);
        for element in start..start + (1 << vector) {
            let at = padding.map_or(element, |padded| padded.padded(element)) * u64::from(element_bits);
            words.extend(at / WORD_BITS..=(at + u64::from(element_bits) - 1) / WORD_BITS);
        }
    }
    let mut served = [0_u32; BANKS];
    for word in words {
        let bank = usize::try_from(word % BANKS as u64).unwrap_or(0);
        if let Some(count) = served.get_mut(bank) {
            *count += 1;
        }
    }
    let wavefronts = served.into_iter().max().unwrap_or(0);
    Ok(SharedAccess { vector_bits, lanes: 1 << lane_bits, wavefronts })
}

/// How many neighbours in shared memory one thread holds, as a power of two, within one access.
fn vector(offsets: &LinearLayout, in_block: u64, element: u32, padding: Option<&PaddedShared>) -> u32 {
    // No vector reaches over a gap.
    let longest = padding.map_or(u32::MAX, |padded| {
        padded
            .pads
            .iter()
            .map(|(interval, padding)| interval.trailing_zeros().min(padding.trailing_zeros()))
            .min()
            .unwrap_or(0)
    });
    let is_whole = |bits: u32| {
        let low = (1_u64 << bits) - 1;
        let is_step = |column: u64| column != 0 && column & low == column;
        let registers = offsets.columns_of(Axis::Register);
        let steps: BTreeSet<u64> = registers.iter().copied().filter(|&column| is_step(column)).collect();
        let clean = offsets.columns.iter().all(|&column| is_step(column) || column & low == 0);
        let own = registers.iter().filter(|&&column| is_step(column)).count();
        let others = offsets.columns.iter().filter(|&&column| is_step(column)).count();
        in_block & low == low && (0..bits).all(|bit| steps.contains(&(1 << bit))) && clean && own == others
    };
    let most = (VECTOR_BITS.ilog2() - element).min(longest);
    (0..=most).rev().find(|&bits| is_whole(bits)).unwrap_or(0)
}
