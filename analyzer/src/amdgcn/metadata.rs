//! Registers, spills and memory from the YAML between `.amdgpu_metadata` and `.end_amdgpu_metadata`.
//!
//! Keys: LLVM AMDGPU usage guide, "Code Object V5 Metadata". The YAML is written by LLVM, one key a line.

use lowerline_shared::report::{Resource, Resources};

/// What the metadata says: of several kernels each resource is the largest one's.
#[derive(Debug, Default)]
pub(crate) struct Metadata {
    pub resources: Resources,
    /// Kernels described; each has one `.symbol`.
    pub kernels: usize,
}

impl Metadata {
    /// Takes one line of the block.
    pub fn line(&mut self, line: &str) {
        let line = line.trim_start();
        let Some((key, value)) = line.strip_prefix("- ").unwrap_or(line).split_once(':') else { return };
        let resource = match key {
            ".vgpr_count" => Resource::Registers,
            ".agpr_count" => Resource::AccumulatorRegisters,
            ".sgpr_count" => Resource::ScalarRegisters,
            ".vgpr_spill_count" => Resource::VectorSpills,
            ".sgpr_spill_count" => Resource::ScalarSpills,
            ".private_segment_fixed_size" => Resource::StackBytes,
            ".group_segment_fixed_size" => Resource::StaticSharedBytes,
            ".symbol" => {
                self.kernels += 1;
                return;
            }
            _ => return,
        };
        if let Ok(value) = value.trim().parse::<i64>() {
            self.resources.entry(resource).and_modify(|known| *known = (*known).max(value)).or_insert(value);
        }
    }
}
