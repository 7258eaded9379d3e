//! What the analyzer found in one blob.
//!
//! The JSON form is public (`lowerline inspect --json`): fields are added, never renamed. [`SCHEMA`] moves only when a
//! reader of the older form would be wrong.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    decision::Decision,
    display,
    family::Family,
    ids::Digest,
    stage::{Scope, Stage},
};

/// Version of the JSON form.
pub const SCHEMA: u32 = 1;

/// A quantity of the hardware that a build takes. All are per thread, per block or plain counts as said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// Vector registers per thread (VGPR on AMD).
    Registers,
    /// Accumulation registers per thread (AGPR, CDNA).
    AccumulatorRegisters,
    /// Scalar registers per wave (SGPR, AMD).
    ScalarRegisters,
    /// Vector registers spilled, per thread (AMD metadata).
    VectorSpills,
    /// Scalar registers spilled (AMD metadata).
    ScalarSpills,
    /// Stack bytes per thread (private segment on AMD).
    StackBytes,
    /// Static shared memory or LDS bytes per block, as the binary says.
    StaticSharedBytes,
    /// Shared memory or LDS bytes per block at launch, as the compiler's metadata says.
    SharedBytes,
    /// Tensor memory columns.
    TmemColumns,
    /// Named barriers.
    Barriers,
    /// Threads per block required (`.reqntid`).
    Threads,
    /// Warps (waves) per block.
    Warps,
    /// Blocks per cluster.
    Ctas,
    /// Pipeline stages asked for.
    Stages,
    /// Bytes of machine code.
    CodeBytes,
    /// Blocks that fit one SM or CU at once; 0 when not launchable.
    BlocksPerSm,
    /// Occupancy in per mille of the warps an SM or CU can hold.
    OccupancyPermille,
}

impl Resource {
    /// All of them, in the order tables show them.
    pub const ALL: [Self; 17] = [
        Self::Registers,
        Self::AccumulatorRegisters,
        Self::ScalarRegisters,
        Self::VectorSpills,
        Self::ScalarSpills,
        Self::StackBytes,
        Self::StaticSharedBytes,
        Self::SharedBytes,
        Self::TmemColumns,
        Self::Barriers,
        Self::Threads,
        Self::Warps,
        Self::Ctas,
        Self::Stages,
        Self::CodeBytes,
        Self::BlocksPerSm,
        Self::OccupancyPermille,
    ];

    /// Stable id.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Registers => "registers",
            Self::AccumulatorRegisters => "accumulator_registers",
            Self::ScalarRegisters => "scalar_registers",
            Self::VectorSpills => "vector_spills",
            Self::ScalarSpills => "scalar_spills",
            Self::StackBytes => "stack_bytes",
            Self::StaticSharedBytes => "static_shared_bytes",
            Self::SharedBytes => "shared_bytes",
            Self::TmemColumns => "tmem_columns",
            Self::Barriers => "barriers",
            Self::Threads => "threads",
            Self::Warps => "warps",
            Self::Ctas => "ctas",
            Self::Stages => "stages",
            Self::CodeBytes => "code_bytes",
            Self::BlocksPerSm => "blocks_per_sm",
            Self::OccupancyPermille => "occupancy_permille",
        }
    }

    /// Name on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Registers => "Registers",
            Self::AccumulatorRegisters => "AGPRs",
            Self::ScalarRegisters => "SGPRs",
            Self::VectorSpills => "VGPR spills",
            Self::ScalarSpills => "SGPR spills",
            Self::StackBytes => "Stack bytes",
            Self::StaticSharedBytes => "Static shared bytes",
            Self::SharedBytes => "Shared bytes",
            Self::TmemColumns => "TMEM columns",
            Self::Barriers => "Barriers reserved",
            Self::Threads => "Threads per block",
            Self::Warps => "Warps per block",
            Self::Ctas => "Blocks per cluster",
            Self::Stages => "Stages asked for",
            Self::CodeBytes => "Code bytes",
            Self::BlocksPerSm => "Blocks per SM",
            Self::OccupancyPermille => "Occupancy %",
        }
    }

    /// A value in the unit of the label: occupancy is kept in thousandths and read in percent.
    pub fn read(self, value: i64) -> f64 {
        let value = value as f64;
        if self == Self::OccupancyPermille { value / 10.0 } else { value }
    }

    /// The same as text.
    pub fn text(self, value: i64) -> String {
        display::number(self.read(value))
    }

    /// The same as a difference, with its direction.
    pub fn delta(self, before: i64, now: i64) -> String {
        display::delta_number(self.read(before), self.read(now))
    }

    /// The resource of an id; `None` for any other word.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|resource| resource.id() == id)
    }
}

/// Resource values; a missing key means "not known from this blob", never 0.
pub type Resources = BTreeMap<Resource, i64>;

/// A count in each scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeCounts {
    /// The whole function.
    pub function: u64,
    /// Inside any loop.
    pub r#loop: u64,
    /// In the hot loop; 0 when the function has no loop.
    pub hot: u64,
}

impl ScopeCounts {
    /// The count of one scope.
    pub const fn get(self, scope: Scope) -> u64 {
        match scope {
            Scope::Function => self.function,
            Scope::Loop => self.r#loop,
            Scope::Hot => self.hot,
        }
    }

    /// Adds another count to this one.
    pub const fn add(&mut self, other: Self) {
        self.function += other.function;
        self.r#loop += other.r#loop;
        self.hot += other.hot;
    }

    /// This count so many times.
    #[must_use]
    pub const fn times(self, factor: u64) -> Self {
        Self { function: self.function * factor, r#loop: self.r#loop * factor, hot: self.hot * factor }
    }
}

/// One canonical opcode of a function. One opcode can hold several rows when operand rules put it into several families.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpcodeCount {
    /// Canonical spelling: the key of trends.
    pub opcode: String,
    /// Its family.
    pub family: Family,
    /// How many, by scope.
    pub counts: ScopeCounts,
}

/// One natural loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopReport {
    /// Label or address of the header block, as the text has it.
    pub header: String,
    /// Nesting depth; 1 is outermost.
    pub depth: u32,
    /// Instructions in its body, those of inner loops included.
    pub instructions: u64,
    /// First and last source line of its instructions (`attention.py:64`), when the text says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Whether this is the hot loop.
    #[serde(default)]
    pub hot: bool,
}

/// Instructions that come from one place in source by one way of calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcePlace {
    /// `standard.py:43:17`: file without folder, line, and column where the text has one. Columns are as written: Triton
    /// counts them from 0 until 3.7 and from 1 after it.
    pub place: String,
    /// The calls it was inlined at, the innermost first; empty outside inlined code and where the text does not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inlined_at: Vec<String>,
    /// Instructions; operations in MLIR.
    pub instructions: u64,
}

/// One function of a text or binary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionReport {
    /// Name as the text has it.
    pub name: String,
    /// A kernel entry; helper functions (the tensor-memory guard rails of sm_100a, say) are `false` and are kept apart.
    pub kernel: bool,
    /// Instructions, padding included, as a line counter would see them.
    pub instructions: u64,
    /// NOPs behind the last real instruction.
    #[serde(default)]
    pub trailing_padding: u64,
    /// Mnemonic as written → count.
    pub opcodes: BTreeMap<String, u64>,
    /// Family → count in the whole function.
    pub families: BTreeMap<Family, u64>,
    /// Family → count by scope.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub families_by_scope: BTreeMap<Family, ScopeCounts>,
    /// Canonical opcodes with family and scopes: what is stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub canonical: Vec<OpcodeCount>,
    /// Loops, by position of their header.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<LoopReport>,
    /// Place of a loop (`attention.py:64`, or its header where the text has none) → MLIR operation → how many stand in
    /// that loop and in no loop inside it. Loops of one place are one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ops_by_loop: BTreeMap<String, BTreeMap<String, u64>>,
    /// `file:line` → instructions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub source_lines: BTreeMap<String, u64>,
    /// Places with the calls around them, by number of instructions; the 1,000 largest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source_places: Vec<SourcePlace>,
    /// Places beyond those.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub source_places_cut: u64,
    /// Widths and arguments that decisions need (`cp.async bytes=16`, `cp.async.wait_group n=0`) → count by scope.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub operands: BTreeMap<String, ScopeCounts>,
    /// Scheduling fields of SASS where the text has them, summed by scope: `stall_cycles`, `yields`, `barrier_waits`
    /// (instructions that wait for a scoreboard) and `barrier_sets` (scoreboards set).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub control: BTreeMap<String, ScopeCounts>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes references; only where a pointer has 64 bits is it a complaint"
)]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// An opcode that no family claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unknown {
    /// How often.
    pub count: u64,
    /// One line that has it.
    pub example: String,
}

/// One argument of an MLIR function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    /// Name without `%`.
    pub name: String,
    /// Type as written.
    pub r#type: String,
    /// Attributes (`tt.divisibility` → `16 : i32`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
}

/// Rows of one opcode and family made one, in order of spelling.
pub fn sum_opcodes<'a>(rows: impl Iterator<Item = &'a OpcodeCount>) -> Vec<OpcodeCount> {
    let mut sums: BTreeMap<(&str, Family), ScopeCounts> = BTreeMap::new();
    for row in rows {
        sums.entry((&row.opcode, row.family)).or_default().add(row.counts);
    }
    sums.into_iter()
        .map(|((opcode, family), counts)| OpcodeCount { opcode: opcode.to_owned(), family, counts })
        .collect()
}

/// What one blob holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Version of the analyzer that made it.
    pub analyzer: u32,
    /// What the bytes are, by content.
    pub stage: Stage,
    /// Where instruction counts come from: `text`, or `decoded` for a cubin read by our own decoder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Target as the bytes say (`sm_100a`); `None` when they do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Functions in file order.
    pub functions: Vec<FunctionReport>,
    /// Resources known from these bytes.
    pub resources: Resources,
    /// Tool → version, as the bytes say (`ptxas` → `13.1.80`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub toolchain: BTreeMap<String, String>,
    /// Identity of meaning: equal when only names, paths, locations or numbering differ. `None` when the stage has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normal_digest: Option<Digest>,
    /// MLIR and LLVM operation → count.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ops: BTreeMap<String, u64>,
    /// MLIR operations inside a loop → count.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ops_in_loop: BTreeMap<String, u64>,
    /// LLVM intrinsic (`llvm.nvvm.barrier0`) → calls; all of them are `call` in `ops`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub intrinsics: BTreeMap<String, u64>,
    /// Inline assembly in LLVM IR, as written and shortened → calls; all of them are `call` in `ops`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inline_asm: BTreeMap<String, u64>,
    /// MLIR layout kind (`ttg.blocked`) → occurrences, as `expected/*.json` counts them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub layout_kinds: BTreeMap<String, u64>,
    /// MLIR layout alias → kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub layout_aliases: BTreeMap<String, String>,
    /// MLIR layout alias → body.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub layouts: BTreeMap<String, String>,
    /// MLIR module attributes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub module_attributes: BTreeMap<String, String>,
    /// Arguments of the first public MLIR function.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<Argument>,
    /// What the compiler chose for the author (TTGIR).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
    /// Opcodes no family claims, by canonical spelling.
    pub unknown: BTreeMap<String, Unknown>,
    /// What was cut, skipped or not understood, a sentence each.
    pub warnings: Vec<String>,
}

impl Report {
    /// An empty report of a stage.
    pub fn new(analyzer: u32, stage: Stage) -> Self {
        Self {
            schema: SCHEMA,
            analyzer,
            stage,
            source: None,
            target: None,
            functions: Vec::new(),
            resources: Resources::new(),
            toolchain: BTreeMap::new(),
            normal_digest: None,
            ops: BTreeMap::new(),
            ops_in_loop: BTreeMap::new(),
            intrinsics: BTreeMap::new(),
            inline_asm: BTreeMap::new(),
            layout_kinds: BTreeMap::new(),
            layout_aliases: BTreeMap::new(),
            layouts: BTreeMap::new(),
            module_attributes: BTreeMap::new(),
            arguments: Vec::new(),
            decisions: Vec::new(),
            unknown: BTreeMap::new(),
            warnings: Vec::new(),
        }
    }

    /// Canonical opcodes of all functions of the file, helpers included, in order of spelling: the histogram that is
    /// stored. Corpus counts and every line counter include helpers, so the sum does too.
    pub fn histogram(&self) -> Vec<OpcodeCount> {
        sum_opcodes(self.functions.iter().flat_map(|function| &function.canonical))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occupancy_reads_in_percent_and_the_rest_as_it_is() {
        assert_eq!(Resource::OccupancyPermille.text(375), "37.5");
        assert_eq!(Resource::OccupancyPermille.delta(312, 250), "▼ −6.2");
        assert_eq!(Resource::SharedBytes.text(98_848), "98,848");
        assert_eq!(Resource::Registers.delta(128, 168), "▲ +40");
    }
}
