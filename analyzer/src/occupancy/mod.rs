//! Launchability and occupancy from what a kernel takes and what its target has.

mod limits;

pub use limits::{TARGETS, TargetLimits, limits};
use lowerline_shared::{
    ids::TargetName,
    report::{Resource, Resources},
    target::Vendor,
};

/// What one block takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Warps (waves).
    pub warps: u32,
    /// Vector registers per thread, accumulation registers included.
    pub registers: u32,
    /// Scalar registers per wave; AMD only.
    pub scalar_registers: u32,
    /// Shared memory (LDS) bytes, without what the system takes.
    pub shared_bytes: u32,
    /// Tensor memory columns.
    pub tmem_columns: u32,
}

/// What keeps more blocks from a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limiter {
    /// Warps of the unit.
    Warps,
    /// Blocks of the unit.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory (LDS).
    SharedMemory,
    /// Tensor memory.
    TensorMemory,
}

/// Why a kernel cannot be launched at all: what it asks for and what there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unlaunchable {
    /// No warps, or more threads than a block may have.
    #[error("{asked} threads per block, {limit} at most")]
    Threads {
        /// Threads asked for.
        asked: u32,
        /// The limit.
        limit: u32,
    },
    /// More registers than a thread may have.
    #[error("{asked} registers per thread, {limit} at most")]
    RegistersPerThread {
        /// Registers asked for.
        asked: u32,
        /// The limit.
        limit: u32,
    },
    /// All registers of the unit do not hold one block.
    #[error("one block needs registers of {asked} warps, a unit has them for {limit}")]
    Registers {
        /// Warps of a block.
        asked: u32,
        /// Warps that fit.
        limit: u32,
    },
    /// More shared memory than a block may have.
    #[error("{asked} bytes of shared memory per block, {limit} at most")]
    SharedMemory {
        /// Bytes asked for.
        asked: u32,
        /// The limit.
        limit: u32,
    },
    /// More tensor memory than there is.
    #[error("{asked} columns of tensor memory per block, {limit} at most")]
    TensorMemory {
        /// Columns asked for.
        asked: u32,
        /// The limit.
        limit: u32,
    },
}

/// How well a unit is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Blocks that fit a unit at once; at least 1.
    pub blocks: u32,
    /// Their warps.
    pub warps: u32,
    /// Warps in per mille of what a unit can hold.
    pub permille: u32,
    /// What allows no further block; the first of [`Limiter`]'s order when several do.
    pub limiter: Limiter,
}

/// Occupancy of a unit, or why there is none.
pub fn occupancy(limits: &TargetLimits, demand: &Demand) -> Result<Occupancy, Unlaunchable> {
    let threads = demand.warps.saturating_mul(limits.warp_threads);
    if demand.warps == 0 || threads > limits.block_threads {
        return Err(Unlaunchable::Threads { asked: threads, limit: limits.block_threads });
    }
    if demand.registers > limits.thread_registers {
        return Err(Unlaunchable::RegistersPerThread { asked: demand.registers, limit: limits.thread_registers });
    }
    if demand.shared_bytes > limits.block_shared_bytes {
        return Err(Unlaunchable::SharedMemory { asked: demand.shared_bytes, limit: limits.block_shared_bytes });
    }
    if demand.tmem_columns > limits.tmem_columns {
        return Err(Unlaunchable::TensorMemory { asked: demand.tmem_columns, limit: limits.tmem_columns });
    }
    // NVIDIA checks a launch as if the block had the same number of warps on every sub-partition.
    let placed =
        if limits.vendor == Vendor::Nvidia { demand.warps.next_multiple_of(limits.simds) } else { demand.warps };
    let by_registers = register_warps(limits, demand).saturating_mul(limits.simds);
    if by_registers < placed {
        return Err(Unlaunchable::Registers { asked: placed, limit: by_registers });
    }
    let unit_warps = limits.simd_warps * limits.simds;
    let shared = (demand.shared_bytes + limits.reserved_shared_bytes).next_multiple_of(limits.shared_step);
    // On AMD the bound of blocks is that of barriers, which a block of one wave does not need.
    let blocks = if limits.vendor == Vendor::Amd && demand.warps == 1 { unit_warps } else { limits.blocks };
    let bounds = [
        (unit_warps / demand.warps, Limiter::Warps),
        (blocks, Limiter::Blocks),
        (by_registers / demand.warps, Limiter::Registers),
        (limits.shared_bytes.checked_div(shared).unwrap_or(u32::MAX), Limiter::SharedMemory),
        (limits.tmem_columns.checked_div(demand.tmem_columns).unwrap_or(u32::MAX), Limiter::TensorMemory),
    ];
    let (blocks, limiter) = bounds.into_iter().min().unwrap_or((0, Limiter::Warps));
    let warps = blocks * demand.warps;
    Ok(Occupancy { blocks, warps, permille: warps * 1_000 / unit_warps, limiter })
}

/// Warps of one SIMD, bounded by its registers and by its own places.
pub fn simd_warps(limits: &TargetLimits, demand: &Demand) -> u32 {
    register_warps(limits, demand).min(limits.simd_warps)
}

/// Warps that the registers of one SIMD hold.
fn register_warps(limits: &TargetLimits, demand: &Demand) -> u32 {
    let step = demand.registers.max(1).next_multiple_of(limits.register_step);
    // LLVM, GFX9: up to 100 scalar registers leave 8 waves, the 102 of a full wave 7. RDNA gives every wave its own.
    let scalar = if limits.warp_threads == 64 && demand.scalar_registers > 100 { 7 } else { u32::MAX };
    (limits.simd_registers / step).min(scalar)
}

/// What a build's resources ask for; `None` when warps or registers are not known.
pub fn demand(target: &TargetName, resources: &Resources) -> Option<Demand> {
    let limits = limits(target)?;
    let value = |resource| resources.get(&resource).and_then(|value| u32::try_from(*value).ok());
    let warps = value(Resource::Warps)
        .or_else(|| value(Resource::Threads).map(|threads| threads.div_ceil(limits.warp_threads)))?;
    let statically = value(Resource::StaticSharedBytes).unwrap_or(0).saturating_sub(limits.reserved_shared_bytes);
    Some(Demand {
        warps,
        registers: value(Resource::Registers)?,
        scalar_registers: value(Resource::ScalarRegisters).unwrap_or(0),
        shared_bytes: value(Resource::SharedBytes).unwrap_or(0).max(statically),
        tmem_columns: value(Resource::TmemColumns).unwrap_or(0),
    })
}

/// Adds [`Resource::BlocksPerSm`] and [`Resource::OccupancyPermille`] where target and resources allow; both are 0 for a
/// kernel that cannot be launched.
pub fn add(target: &TargetName, resources: &mut Resources) {
    let Some((limits, demand)) = limits(target).zip(demand(target, resources)) else { return };
    let (blocks, permille) =
        occupancy(limits, &demand).map_or((0, 0), |occupancy| (occupancy.blocks, occupancy.permille));
    resources.insert(Resource::BlocksPerSm, i64::from(blocks));
    resources.insert(Resource::OccupancyPermille, i64::from(permille));
}
