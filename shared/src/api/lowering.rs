//! One kernel on every target at one commit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{CommitSummary, KernelSummary, StateBuild};
use crate::{
    decision::Decision,
    decision_measure::DecisionValues,
    family::Family,
    ids::TargetName,
    report::Resources,
    sieve::Sieved,
    stage::{Scope, Stage},
    tensor::MatrixInstruction,
};

/// A config group: builds of one label on several targets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigCoverage {
    /// Config label.
    pub config: String,
    /// On how many targets it was tried at the commit.
    pub targets: u64,
}

/// Family counts of one stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageCounts {
    /// Which stage.
    pub stage: Stage,
    /// `decoded`, or what wrote the text.
    pub source: Option<String>,
    /// All instructions but padding, in the scope asked for.
    pub instructions: i64,
    /// Families with any count, in the order of the taxonomy.
    pub families: Vec<(Family, i64)>,
}

/// A matrix opcode in use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixUse {
    /// Where it was counted: PTX or AMDGCN, SASS where there is neither.
    pub stage: Stage,
    /// Canonical spelling.
    pub opcode: String,
    /// How many, in the scope asked for.
    pub count: i64,
    /// Its shape; `None` where neither the opcode nor TTGIR says it.
    pub instruction: Option<MatrixInstruction>,
}

/// One target of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetLowering {
    /// Target.
    pub target: TargetName,
    /// The build.
    pub build: StateBuild,
    /// PTX, then the machine level.
    pub levels: Vec<StageCounts>,
    /// Matrix opcodes, most used first.
    pub matrix: Vec<MatrixUse>,
    /// Multiply-adds of one pass over the text by all warps of a block: count · m·n·k · issuers, summed. `None` where a shape or the
    /// number of warps is not known, or warps do different work.
    pub matrix_work: Option<i64>,
    /// Registers, shared memory, occupancy, …
    pub resources: Resources,
    /// What TTGIR shows, with evidence; empty without TTGIR.
    pub decisions: Vec<Decision>,
    /// The same and what the instructions show, as measures.
    pub values: DecisionValues,
    /// Layout kind → different layouts that TTGIR defines or writes out, memory spaces and tensor-memory types left out.
    pub layout_kinds: BTreeMap<String, u64>,
    /// Lines of the TTIR text as it was pushed, locations included.
    pub ttir_lines: Option<u64>,
    /// Index into [`LoweringResponse::ttir_groups`].
    pub ttir_group: Option<u32>,
    /// Shared memory bytes a block may ask for; `None` for an unknown target.
    pub shared_limit: Option<i64>,
    /// Registers a thread may have.
    pub register_limit: Option<i64>,
    /// Why it cannot be launched; `None` when it can or when that is not known.
    pub unlaunchable: Option<String>,
    /// Whether warps and registers are known, so that launchability is.
    pub launch_known: bool,
}

/// Targets whose TTIR means the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TtirGroup {
    /// `A`, `B`, …
    pub letter: String,
    /// Which.
    pub targets: Vec<TargetName>,
}

/// The first difference of two TTIR texts that do not mean the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TtirDifference {
    /// Letters of the two groups.
    pub groups: (String, String),
    /// Line of the first text, from 1; `None` when only the second has it.
    pub line: (Option<u32>, Option<u32>),
    /// The lines, cut.
    pub text: (String, String),
    /// Rows of the aligned diff that differ.
    pub rows: u64,
}

/// One kernel × config on every target at one commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoweringResponse {
    /// The kernel.
    pub kernel: KernelSummary,
    /// The commit.
    pub commit: CommitSummary,
    /// The commit it is compared with, when one was asked for.
    pub base: Option<CommitSummary>,
    /// Config taken.
    pub config: String,
    /// Where counts are taken.
    pub scope: Scope,
    /// Configs at this commit, those on most targets first.
    pub configs: Vec<ConfigCoverage>,
    /// One per target, NVIDIA by number, then AMD.
    pub targets: Vec<TargetLowering>,
    /// The same config at the base, by target as far as it was built there.
    pub base_targets: Vec<TargetLowering>,
    /// Groups of equal TTIR at the commit.
    pub ttir_groups: Vec<TtirGroup>,
    /// For each pair of groups the first difference.
    pub ttir_differences: Vec<TtirDifference>,
    /// Which targets of the config filters of decisions left out.
    #[serde(default)]
    pub sieved: Sieved,
}
