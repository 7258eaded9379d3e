//! All configs of a kernel at one commit on one target.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{BuildStatus, CommitSummary, KernelSummary};
use crate::{
    decision_measure::DecisionValues,
    ids::{Digest, TargetName},
    report::Resources,
    sieve::Sieved,
    stage::Stage,
};

/// One config.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpaceConfig {
    /// Label.
    pub config: String,
    /// Compile-time constants.
    pub constexprs: BTreeMap<String, serde_json::Value>,
    /// `num_warps`, `num_stages`, …
    pub options: BTreeMap<String, serde_json::Value>,
    /// Argument attributes and specialisations.
    pub attributes: BTreeMap<String, serde_json::Value>,
    /// How the compile ended; `None` only in tests of arithmetic.
    pub status: Option<BuildStatus>,
    /// The compiler's words, when it failed.
    pub message: Option<String>,
    /// Set when it is no compiler's own output.
    pub reconstruction: Option<String>,
    /// Registers, shared memory, occupancy, …
    pub resources: Resources,
    /// What the compiler decided.
    pub values: DecisionValues,
    /// All machine instructions but padding.
    pub instructions: Option<i64>,
    /// Tensor compute at the machine level.
    pub tensor_compute: Option<i64>,
    /// Numbers from outside.
    pub metrics: BTreeMap<String, f64>,
    /// Digest of the meaning of PTX or AMDGCN, of machine code where there is neither: equal for equal kernels.
    pub kernel_digest: Option<Digest>,
    /// Why it cannot be launched; `None` when it can or that is not known.
    pub unlaunchable: Option<String>,
    /// The first config that gave the same kernel; `None` for the first itself and for one of its own.
    #[serde(default)]
    pub same_as: Option<String>,
    /// The stage from which on it is equal to that one; `None` when no stage is known of both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_from: Option<Stage>,
    /// Digests of meaning of TTIR, TTGIR, LLVM IR and PTX or AMDGCN, from which that is found; they do not travel.
    #[serde(skip)]
    pub meanings: BTreeMap<Stage, Digest>,
    /// Whether it spills or keeps values in local memory.
    #[serde(default)]
    pub spills: bool,
    /// Whether its registers stand at the limit of a thread.
    #[serde(default)]
    pub at_ceiling: bool,
}

/// Configs that gave one kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SameKernel {
    /// Labels, first one first.
    pub configs: Vec<String>,
    /// Knobs in which they differ, and which therefore change nothing between them.
    pub inert: Vec<String>,
}

/// What the space costs and how much of it is of no use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpaceSummary {
    /// Configs.
    pub configs: u64,
    /// That did not compile.
    pub failed: u64,
    /// That compiled and cannot be launched.
    pub dead: u64,
    /// That can be launched and are the same kernel as an earlier one.
    pub duplicates: u64,
    /// That spill.
    pub spilling: u64,
    /// Whose registers stand at the limit.
    pub at_ceiling: u64,
    /// Configs whose compile time is known.
    pub timed: u64,
    /// Seconds to compile those, one after the other.
    pub seconds: f64,
    /// Of these, seconds for failed, dead and duplicate ones.
    pub wasted_seconds: f64,
    /// Kernels that several configs gave.
    pub same: Vec<SameKernel>,
    /// The whole in one sentence.
    pub sentence: String,
}

/// All configs of a kernel at one commit on one target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpaceResponse {
    /// The kernel.
    pub kernel: KernelSummary,
    /// The commit.
    pub commit: CommitSummary,
    /// The target taken.
    pub target: TargetName,
    /// Targets with builds of the kernel at the commit, with their number of configs.
    pub targets: Vec<(TargetName, u64)>,
    /// Shared memory bytes a block may ask for; `None` for an unknown target.
    pub shared_limit: Option<i64>,
    /// Registers a thread may have.
    pub register_limit: Option<i64>,
    /// By label.
    pub configs: Vec<SpaceConfig>,
    /// Sums.
    pub summary: SpaceSummary,
    /// Configs beyond the limit of the answer.
    pub left_out: u64,
    /// What filters of decisions left out.
    #[serde(default)]
    pub sieved: Sieved,
}
