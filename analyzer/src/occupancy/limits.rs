//! What each target has. One table, every column with its source.
//!
//! NVIDIA: the table of technical specifications per compute capability in the CUDA C++ Programming Guide, and NVIDIA's
//! occupancy header (`cuda_occupancy.h` 12.1 of CUDA 13.5), against which the tests hold [`super::occupancy`]. Tensor
//! memory: PTX ISA, `tcgen05`, 512 columns per SM. AMD: LLVM's AMDGPU usage guide and subtarget definitions (register
//! file, granules, waves per SIMD, LDS granule) and the CDNA 2, CDNA 3, CDNA 4 and RDNA 3, RDNA 4 ISA manuals (LDS).

use lowerline_shared::{ids::TargetName, target::Vendor};

/// Limits of one target. A unit is what blocks are placed on: an SM, a CU, on RDNA a work-group processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetLimits {
    /// Name without suffix: `sm_90`, `gfx942`.
    pub name: &'static str,
    /// Whose.
    pub vendor: Vendor,
    /// Threads of a warp (wave).
    pub warp_threads: u32,
    /// SIMDs (sub-partitions) of a unit; each has its own registers and warps.
    pub simds: u32,
    /// Warps of one SIMD.
    pub simd_warps: u32,
    /// Blocks of a unit.
    pub blocks: u32,
    /// Threads of a block.
    pub block_threads: u32,
    /// Vector registers of one SIMD, per lane.
    pub simd_registers: u32,
    /// Registers are given to a warp in steps of this many per lane.
    pub register_step: u32,
    /// Registers a thread may have.
    pub thread_registers: u32,
    /// Shared memory (LDS) bytes of a unit.
    pub shared_bytes: u32,
    /// Shared memory bytes a block may ask for, opt-in included.
    pub block_shared_bytes: u32,
    /// Shared memory bytes the system takes of every block.
    pub reserved_shared_bytes: u32,
    /// Shared memory is given in steps of this many bytes.
    pub shared_step: u32,
    /// Tensor memory columns of a unit; 0 when it has none.
    pub tmem_columns: u32,
    /// Named barriers of a block; 0 when there is no such thing.
    pub block_barriers: u32,
}

const fn nvidia(name: &'static str, warps: u32, blocks: u32, shared_kib: u32, tmem_columns: u32) -> TargetLimits {
    let shared_bytes = shared_kib * 1_024;
    // From compute capability 8.0 on the system takes 1 KiB of every block.
    let reserved_shared_bytes = if shared_kib == 64 { 0 } else { 1_024 };
    TargetLimits {
        name,
        vendor: Vendor::Nvidia,
        warp_threads: 32,
        simds: 4,
        simd_warps: warps / 4,
        blocks,
        block_threads: 1_024,
        simd_registers: 65_536 / 4 / 32,
        register_step: 256 / 32,
        thread_registers: 255,
        shared_bytes,
        block_shared_bytes: shared_bytes - reserved_shared_bytes,
        reserved_shared_bytes,
        shared_step: if shared_kib == 64 { 256 } else { 128 },
        tmem_columns,
        block_barriers: 16,
    }
}

const fn cdna(name: &'static str, lds_kib: u32, lds_step: u32) -> TargetLimits {
    TargetLimits {
        name,
        vendor: Vendor::Amd,
        warp_threads: 64,
        simds: 4,
        simd_warps: 8,
        blocks: 16,
        block_threads: 1_024,
        // One file for vector and accumulation registers.
        simd_registers: 512,
        register_step: 8,
        thread_registers: 512,
        shared_bytes: lds_kib * 1_024,
        block_shared_bytes: lds_kib * 1_024,
        reserved_shared_bytes: 0,
        shared_step: lds_step,
        tmem_columns: 0,
        block_barriers: 0,
    }
}

/// In wave32 and work-group-processor mode, the defaults of the compiler.
const fn rdna(name: &'static str, simd_registers: u32) -> TargetLimits {
    TargetLimits {
        name,
        vendor: Vendor::Amd,
        warp_threads: 32,
        simds: 4,
        simd_warps: 16,
        blocks: 32,
        block_threads: 1_024,
        simd_registers,
        // LLVM, `Feature1_5xVGPRs`: half as many registers again come in steps half as large again.
        register_step: if simd_registers == 1_536 { 24 } else { 16 },
        thread_registers: 256,
        shared_bytes: 128 * 1_024,
        block_shared_bytes: 64 * 1_024,
        reserved_shared_bytes: 0,
        shared_step: 1_024,
        tmem_columns: 0,
        block_barriers: 0,
    }
}

/// Every target known, NVIDIA by number, then AMD.
pub const TARGETS: [TargetLimits; 23] = [
    nvidia("sm_75", 32, 16, 64, 0),
    nvidia("sm_80", 64, 32, 164, 0),
    nvidia("sm_86", 48, 16, 100, 0),
    nvidia("sm_87", 48, 16, 164, 0),
    nvidia("sm_89", 48, 24, 100, 0),
    nvidia("sm_90", 64, 32, 228, 0),
    nvidia("sm_100", 64, 32, 228, 512),
    nvidia("sm_101", 48, 24, 228, 512),
    nvidia("sm_103", 64, 32, 228, 512),
    nvidia("sm_110", 48, 24, 228, 512),
    nvidia("sm_120", 48, 24, 100, 0),
    nvidia("sm_121", 48, 24, 100, 0),
    cdna("gfx90a", 64, 512),
    cdna("gfx942", 64, 512),
    cdna("gfx950", 160, 1_280),
    rdna("gfx1100", 1_536),
    rdna("gfx1101", 1_536),
    rdna("gfx1102", 1_024),
    rdna("gfx1103", 1_024),
    rdna("gfx1150", 1_024),
    rdna("gfx1151", 1_536),
    rdna("gfx1200", 1_536),
    rdna("gfx1201", 1_536),
];

/// The limits of a target; `None` when it is not in the table. NVIDIA's suffixes (`a`, `f`) change no limit.
pub fn limits(target: &TargetName) -> Option<&'static TargetLimits> {
    let name = target.as_str();
    let plain = if name.starts_with("sm_") { name.trim_end_matches(['a', 'f']) } else { name };
    TARGETS.iter().find(|limits| limits.name == plain)
}
