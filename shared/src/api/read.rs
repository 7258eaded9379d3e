//! What the pages and other readers are told.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ArtifactRef, BuildStatus, Toolchain};
use crate::{
    agreement::Difference,
    decision_measure::{DecisionMeasure, DecisionValue},
    display,
    explain::Explanation,
    family::Family,
    ids::{CommitSha, KernelName, ProjectSlug, Rev, TargetName},
    measure::Measure,
    plot,
    report::Resource,
    sieve::Sieved,
    stage::{Scope, Stage},
    strip::Strip,
};

/// A project in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectSummary {
    /// Slug.
    pub slug: ProjectSlug,
    /// Repository, when known.
    pub repository: Option<String>,
    /// Commits held.
    pub commits: u64,
    /// Kernels.
    pub kernels: u64,
    /// Targets, sorted.
    pub targets: Vec<TargetName>,
    /// The newest commit.
    pub newest: Option<CommitSummary>,
}

/// A commit in lists and heads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitSummary {
    /// Full hash.
    pub sha: CommitSha,
    /// Tag.
    pub tag: Option<Rev>,
    /// Position along the first-parent line, from 0. Moves when an older commit comes late.
    pub position: u32,
    /// First line of the message.
    pub subject: String,
    /// Author's name.
    pub author: Option<String>,
    /// Seconds since 1970.
    pub committed_at: i64,
    /// Branch.
    pub branch: String,
    /// Nearest earlier commit on the line that is held.
    pub parent: Option<CommitSha>,
    /// What compiled it.
    pub toolchain: Toolchain,
}

impl CommitSummary {
    /// Tag, or the first 10 digits.
    pub fn name(&self) -> &str {
        self.tag.as_ref().map_or_else(|| self.sha.as_str().get(..10).unwrap_or(self.sha.as_str()), Rev::as_str)
    }
}

/// What changed against the parent, per target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetChange {
    /// Target.
    pub target: TargetName,
    /// Builds at this commit.
    pub builds: u64,
    /// Failed ones.
    pub failed: u64,
    /// Builds whose machine histogram, resources or status differ from the parent's.
    pub changed: u64,
    /// Builds with no counterpart at the parent.
    pub added: u64,
    /// Of the build whose machine instructions moved most: Σ |now − before| over the families, padding left out, in thousandths
    /// of its instructions at the parent. 0 when no count by family moved; may pass 1,000.
    #[serde(default)]
    pub moved_permille: u64,
}

/// A commit with its changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitRow {
    /// The commit.
    pub commit: CommitSummary,
    /// By target.
    pub targets: Vec<TargetChange>,
}

/// A kernel in lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelSummary {
    /// The name.
    pub name: KernelName,
    /// What URLs call it: the name, or a hash of it when it is long.
    pub key: String,
    /// Targets it was built for, sorted.
    pub targets: Vec<TargetName>,
    /// Configs: of a project and of trends the one with the longest history first; of an answer about builds, which measures no
    /// histories, the one pushed first.
    pub configs: Vec<String>,
}

/// A project with what is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectDetail {
    /// Head.
    pub project: ProjectSummary,
    /// Kernels by name.
    pub kernels: Vec<KernelSummary>,
    /// Branches.
    pub branches: Vec<String>,
}

/// One build in a commit's matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BuildCell {
    /// Kernel key.
    pub kernel: String,
    /// Target.
    pub target: TargetName,
    /// Config label.
    pub config: String,
    /// How it ended.
    pub status: BuildStatus,
    /// The compiler's words, when it failed.
    pub message: Option<String>,
    /// Families whose machine count differs from the parent: (family, before, now).
    pub moved: Vec<(Family, i64, i64)>,
    /// Resources that differ: (resource, before, now).
    pub resources: Vec<(Resource, i64, i64)>,
    /// Decisions that differ: (decision, before, now).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<(DecisionMeasure, DecisionValue, DecisionValue)>,
    /// Whether machine histogram, resources or status differ from the parent's, as [`TargetChange::changed`] counts. A
    /// histogram may differ with no family moved: opcodes of one family changed places, or went into a loop.
    #[serde(default)]
    pub changed: bool,
    /// Whether the parent's build failed and this one did not, or the other way.
    #[serde(default)]
    pub status_changed: bool,
    /// `added` when the parent has no such build.
    pub added: bool,
}

/// A commit with every build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommitDetail {
    /// The commit.
    pub commit: CommitSummary,
    /// Its parent on the line, when held.
    pub parent: Option<CommitSummary>,
    /// Builds by kernel, target, config.
    pub builds: Vec<BuildCell>,
    /// What filters of decisions left out.
    #[serde(default)]
    pub sieved: Sieved,
}

/// A measure offered by search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeasureHit {
    /// What goes into the URL.
    pub measure: Measure,
    /// Name on screen.
    pub label: String,
    /// How many variants have it other than 0.
    pub variants: u64,
}

/// Whether a variant was built over a run of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coverage {
    /// Built.
    Built,
    /// Tried and failed.
    Failed,
    /// Not tried.
    NotBuilt,
}

/// A run of positions with one coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageRun {
    /// First position.
    pub from: u32,
    /// Last position, inclusive.
    pub to: u32,
    /// Which.
    pub state: Coverage,
}

/// A value that differs from the one before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Position of the commit.
    pub at: u32,
    /// Value from there on. `None` when the measure does not exist there (the stage was not pushed).
    pub value: Option<f64>,
}

/// One line of a chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Target.
    pub target: TargetName,
    /// Config label.
    pub config: String,
    /// What is counted.
    pub measure: Measure,
    /// At which stage; `None` for resources and metrics.
    pub stage: Option<Stage>,
    /// `decoded` or the disassembler of the text, for SASS; `None` elsewhere.
    pub source: Option<String>,
    /// Steps: the value holds until the next step.
    pub steps: Vec<Step>,
    /// Names of the values of a decision that is a named state: value 0 is the first. Empty where values are numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Where the variant was built at all, without gaps from the first to the last position.
    pub coverage: Vec<CoverageRun>,
    /// Messages of failed builds by position.
    pub failures: BTreeMap<u32, String>,
}

impl Series {
    /// A value as text: the name of a state, or a number.
    pub fn value_text(&self, value: f64) -> String {
        plot::value_text(&self.names, value)
    }

    /// How a value moved; states have no distance.
    pub fn delta_text(&self, before: f64, now: f64) -> String {
        if self.names.is_empty() { display::delta_number(before, now) } else { String::new() }
    }
}

/// Lines over commits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrendResponse {
    /// The kernel.
    pub kernel: KernelSummary,
    /// The config taken.
    pub config: String,
    /// Where counts are taken.
    pub scope: Scope,
    /// First and last position of the axis.
    pub positions: (u32, u32),
    /// All commits of the axis when there are few, else those that a step or a coverage edge names.
    pub commits: Vec<CommitSummary>,
    /// One per target and measure, in the order asked.
    pub series: Vec<Series>,
    /// How many series were cut by the limit.
    pub left_out: u64,
}

/// One state of a comparison, as resolved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateInfo {
    /// The commit.
    pub commit: CommitSummary,
    /// As asked.
    pub rev: Rev,
    /// Config of its own, as asked.
    pub config: Option<String>,
    /// Target of its own, as asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetName>,
    /// Key of a kernel of its own, as asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Set when the state is no compiler's own output.
    pub reconstruction: Option<String>,
}

/// What one state has of one build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum StateBuild {
    /// Built.
    Built {
        /// What compiled it.
        toolchain: Toolchain,
        /// Blobs by stage and form.
        artifacts: Vec<ArtifactRef>,
        /// Config label taken.
        config: String,
        /// Set when it is no compiler's own output.
        reconstruction: Option<String>,
        /// Numbers from outside (`tflops`); filled for one build, empty in lists.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        metrics: BTreeMap<String, f64>,
    },
    /// Tried and failed.
    Failed {
        /// How.
        status: BuildStatus,
        /// The compiler's words.
        message: String,
    },
    /// No such build at this commit.
    Missing,
}

/// A count in every state; `None` where the state has no such stage.
pub type Counts = Vec<Option<i64>>;

/// One opcode over the states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpcodeRow {
    /// Canonical spelling.
    pub opcode: String,
    /// By state.
    pub counts: Counts,
}

/// One family over the states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FamilyRow {
    /// The family.
    pub family: Family,
    /// By state.
    pub counts: Counts,
    /// Its opcodes, those that moved first; filled for one kernel, target and config, empty in lists.
    pub opcodes: Vec<OpcodeRow>,
}

/// An opcode that the SASS text of a build and our own reading of its cubin count differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disagreement {
    /// Index of the state.
    pub state: usize,
    /// Canonical spelling; the first part alone where the decoder knows no more of some of its words.
    pub opcode: String,
    /// Count in the text: the one that tables and charts take.
    pub text: i64,
    /// Count decoded from the cubin.
    pub decoded: i64,
}

impl Disagreement {
    /// A difference found in one state.
    pub fn in_state(state: usize, found: &Difference) -> Self {
        Self { state, opcode: found.opcode.clone(), text: found.text, decoded: found.decoded }
    }
}

/// One stage of a comparison. Stages are never added up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelTable {
    /// Which stage.
    pub stage: Stage,
    /// `decoded`, or what wrote the text, by state.
    pub sources: Vec<Option<String>>,
    /// All instructions but padding, by state.
    pub instructions: Counts,
    /// Families with any count in any state, in the order of the taxonomy.
    pub families: Vec<FamilyRow>,
    /// Where text and cubin of one build disagree; filled for one kernel, target and config, empty in lists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disagreements: Vec<Disagreement>,
}

/// One resource over the states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceRow {
    /// Which.
    pub resource: Resource,
    /// By state.
    pub values: Counts,
}

/// The build of a state that comes nearest to the one it lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NearestBuild {
    /// The state that lacks the build, from 0.
    pub state: u32,
    /// Label of a config that the state has for the same kernel and target.
    pub config: String,
    /// In what the two configs differ: name, value of the one asked for, value of this one; `None` where it has none.
    pub differs: Vec<(String, Option<String>, Option<String>)>,
}

/// What only one build in depth has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Depth {
    /// Which stages are equal, and what differs at the first that is not.
    pub strip: Strip,
    /// Inputs and decisions side by side.
    pub explanation: Explanation,
    /// Whether all builds are known to be of one source: one kernel at one commit, or equal source stages.
    pub one_source: bool,
    /// For states without the build: the nearest they have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<NearestBuild>,
}

/// One decision of the compiler over the states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionRow {
    /// Which.
    pub measure: DecisionMeasure,
    /// By state; `None` where nothing pushed says it.
    pub values: Vec<Option<DecisionValue>>,
}

/// One kernel, target and config over the states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BuildComparison {
    /// Kernel.
    pub kernel: KernelSummary,
    /// Target.
    pub target: TargetName,
    /// Config label of the row.
    pub config: String,
    /// By state.
    pub states: Vec<StateBuild>,
    /// PTX, then the machine level.
    pub levels: Vec<LevelTable>,
    /// Resources known in any state.
    pub resources: Vec<ResourceRow>,
    /// Decisions known in any state.
    #[serde(default)]
    pub decisions: Vec<DecisionRow>,
    /// Whether any histogram, resource or decision differs between the states, or a state lacks the build.
    pub changed: bool,
    /// Sum of absolute machine-level count differences to the first state: the order of the list.
    pub weight: u64,
    /// Filled when each state names one kernel and target and one build is left, `None` in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<Box<Depth>>,
}

/// States side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareResponse {
    /// The states, in the order asked.
    pub states: Vec<StateInfo>,
    /// Where counts are taken.
    pub scope: Scope,
    /// Changed builds, heaviest first; with a kernel, target and config given just that one, changed or not.
    pub builds: Vec<BuildComparison>,
    /// Builds with no difference, counted and not listed.
    pub unchanged: u64,
    /// Changed builds beyond the limit of the answer.
    pub left_out: u64,
}
