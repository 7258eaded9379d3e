//! What a conversion between two register layouts costs.
//!
//! The rule is that of Triton's own lowering (`minimalCvtLayout`, `cvtReordersRegisters`, `cvtNeedsWarpShuffle` and
//! `cvtNeedsSharedMemory` in `lib/Analysis/Utility.cpp`, release 3.7): the map from destination to source indices is
//! stripped of blocks, then warps, then lanes, then registers, as long as it leaves them where they are. What remains says
//! how far values travel. Values that stay in their warp are shuffled when at most one register bit changes places with a
//! lane bit; otherwise the warp writes to shared memory too. Releases before 3.5 send more of these through shared memory.

use super::{
    axis::{Axis, field},
    error::LayoutError,
    linear::LinearLayout,
};

/// Register bits that may move to a lane bit in a conversion by shuffles.
const MIXED_BITS: usize = 1;

/// How far values travel, nearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConversionClass {
    /// Nothing moves: the conversion is free.
    None,
    /// Values change registers within their thread; no instruction is needed.
    Register,
    /// Values change threads within their warp by shuffles.
    Shuffle,
    /// Values are written to shared memory and read back, with a barrier between.
    Shared,
    /// Values change blocks of the cluster.
    Distributed,
}

impl ConversionClass {
    /// All of them, nearest first.
    pub const ALL: [Self; 5] = [Self::None, Self::Register, Self::Shuffle, Self::Shared, Self::Distributed];

    /// Stable id.
    pub const fn id(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Register => "register",
            Self::Shuffle => "shuffle",
            Self::Shared => "shared",
            Self::Distributed => "distributed",
        }
    }

    /// Name on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::None => "no-op",
            Self::Register => "in-thread",
            Self::Shuffle => "warp shuffle",
            Self::Shared => "through shared memory",
            Self::Distributed => "between blocks",
        }
    }
}

/// The class of a conversion. Both layouts must map register, lane, warp and block to tensors of one shape.
pub fn classify(from: &LinearLayout, to: &LinearLayout) -> Result<ConversionClass, LayoutError> {
    let moved = to.invert_and_compose(from)?;
    let farthest = [Axis::Block, Axis::Warp, Axis::Lane, Axis::Register].into_iter().find(|&axis| !stays(&moved, axis));
    Ok(match farthest {
        None => ConversionClass::None,
        Some(Axis::Register) => ConversionClass::Register,
        Some(Axis::Lane) if shuffles(from, to) => ConversionClass::Shuffle,
        Some(Axis::Lane | Axis::Warp) => ConversionClass::Shared,
        Some(_) => ConversionClass::Distributed,
    })
}

/// Whether a consumer of `to` finds every value where `from` has it: no instruction is needed between them.
pub fn satisfies(from: &LinearLayout, to: &LinearLayout) -> Result<bool, LayoutError> {
    Ok(classify(from, to)? == ConversionClass::None)
}

/// Whether a map leaves one dimension where it is and no other dimension reads or writes it.
fn stays(moved: &LinearLayout, axis: Axis) -> bool {
    let (Some(input), Some(output)) = (field(moved.inputs(), axis), field(moved.outputs(), axis)) else {
        return field(moved.inputs(), axis).is_none() && field(moved.outputs(), axis).is_none();
    };
    input.bits == output.bits
        && moved.columns.iter().zip(0..).all(|(&column, bit)| {
            let is_own = (input.shift..input.shift + input.bits).contains(&bit);
            if is_own { column == 1 << (output.shift + bit - input.shift) } else { output.of(column) == 0 }
        })
}

/// A place within a warp.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Register(usize),
    Lane(usize),
}

/// Whether values that stay in their warp are moved by shuffles: few enough register bits become lane bits.
fn shuffles(from: &LinearLayout, to: &LinearLayout) -> bool {
    // Registers that only repeat others are never moved.
    let registers = |layout: &LinearLayout| {
        layout.columns_of(Axis::Register).iter().copied().filter(|&column| column != 0).collect::<Vec<_>>()
    };
    let (from_registers, to_registers) = (registers(from), registers(to));
    let (from_lanes, to_lanes) = (from.columns_of(Axis::Lane), to.columns_of(Axis::Lane));
    let places = |registers: &[u64], lanes: &[u64]| -> Vec<(Place, u64)> {
        let register_bits = from_registers.len().max(to_registers.len());
        let lane_bits = from_lanes.len().max(to_lanes.len());
        let at = |columns: &[u64], bit: usize| columns.get(bit).copied().unwrap_or(0);
        (0..register_bits)
            .map(|bit| (Place::Register(bit), at(registers, bit)))
            .chain((0..lane_bits).map(|bit| (Place::Lane(bit), at(lanes, bit))))
            .collect()
    };
    let sources = places(&from_registers, from_lanes);
    let targets = places(&to_registers, to_lanes);
    let is_free =
        |(place, column): &(Place, u64), others: &[(Place, u64)]| *column == 0 && !others.contains(&(*place, 0));
    let mut free = targets.iter().filter(|target| is_free(target, &sources)).map(|(place, _)| *place);
    let mut mixed = 0;
    for source in &sources {
        let target = if source.1 != 0 {
            match targets.iter().find(|(_, column)| *column == source.1) {
                Some((place, _)) => Some(*place),
                // The bits are no permutation of each other, which shuffles need.
                None => return false,
            }
        } else if is_free(source, &targets) {
            free.next()
        } else {
            Some(source.0)
        };
        if matches!((source.0, target), (Place::Register(_), Some(Place::Lane(_)))) {
            mixed += 1;
        }
    }
    mixed <= MIXED_BITS
}
