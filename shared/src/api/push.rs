//! What a push asks, sends and is told.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Toolchain;
use crate::{
    ids::{CommitSha, ConfigLabel, Digest, KernelName, Rev, TargetName},
    report::Resource,
    stage::Stage,
};

/// Which of these does the server lack?
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DigestsRequest {
    /// At most [`crate::limits::DIGESTS_PER_QUESTION`].
    pub digests: Vec<Digest>,
}

/// The digests the server lacks, in the order asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingResponse {
    /// To be sent.
    pub missing: Vec<Digest>,
}

/// Answer to one blob.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlobStored {
    /// As asked.
    pub digest: Digest,
    /// Bytes after inflation.
    pub size_bytes: u64,
    /// What it is by content; `None` when no stage was recognised (kept, and shown as such).
    pub stage: Option<Stage>,
    /// Warnings of its report, and why it could not be analyzed.
    pub warnings: Vec<String>,
}

/// A commit as the pusher knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommitMeta {
    /// Full hash.
    pub sha: CommitSha,
    /// Full hashes, first parent first; empty for a root or when unknown.
    #[serde(default)]
    pub parents: Vec<CommitSha>,
    /// Tag such as `3.5.0`, unique in the project.
    #[serde(default)]
    pub tag: Option<Rev>,
    /// Branch the commit was built on.
    #[serde(default = "main_branch")]
    pub branch: String,
    /// Name only; mail addresses are not kept.
    #[serde(default)]
    pub author: Option<String>,
    /// Seconds since 1970, UTC.
    #[serde(default)]
    pub authored_at: Option<i64>,
    /// Seconds since 1970, UTC: decides the order of commits whose parents do not.
    pub committed_at: i64,
    /// First line of the message.
    pub subject: String,
    /// Number of the pull request that brought it.
    #[serde(default)]
    pub pull_request: Option<u32>,
}

fn main_branch() -> String {
    "main".to_owned()
}

/// Everything that makes two builds of one kernel and target differ by intent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Short label, unique among the configs of one kernel and target; the identity of a variant across commits.
    pub label: ConfigLabel,
    /// `num_warps`, `num_stages`, …
    #[serde(default)]
    pub options: BTreeMap<String, serde_json::Value>,
    /// Compile-time constants.
    #[serde(default)]
    pub constexprs: BTreeMap<String, serde_json::Value>,
    /// Argument attributes and specialisations (`divisibility`, `equal_to_1`, signature).
    #[serde(default)]
    pub attributes: BTreeMap<String, serde_json::Value>,
    /// Set when this is no compiler's own output for the source, with what was done to it. Shown wherever it shows.
    #[serde(default)]
    pub reconstruction: Option<String>,
}

/// One stage of one build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArtifactRef {
    /// Stage, as claimed by the pusher; checked against the content.
    pub stage: Stage,
    /// Which text form, when a stage comes in several (`hex`, `cuobjdump`, `lines`, `plr`, `triton`); `""` is the main one.
    #[serde(default)]
    pub form: String,
    /// The bytes.
    pub digest: Digest,
}

/// How a compile ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BuildStatus {
    /// It produced what it was asked for.
    Ok,
    /// The compiler refused.
    Error,
    /// The compiler died.
    Crash,
}

/// One variant at the commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildManifest {
    /// Kernel.
    pub kernel: KernelName,
    /// Name of the compiled function, when it is another.
    #[serde(default)]
    pub function: Option<KernelName>,
    /// Target.
    pub target: TargetName,
    /// Config.
    pub config: Config,
    /// How it ended.
    pub status: BuildStatus,
    /// The compiler's words; required for a failed build.
    #[serde(default)]
    pub message: Option<String>,
    /// What differs from the push's toolchain.
    #[serde(default)]
    pub toolchain: Toolchain,
    /// At most one per stage and form; may be empty for a failed build.
    #[serde(default)]
    pub artifacts: Vec<ArtifactRef>,
    /// Resources from the compiler's metadata.
    #[serde(default)]
    pub resources: BTreeMap<Resource, i64>,
    /// Numbers from outside (`tflops`, `compile_seconds`).
    #[serde(default)]
    pub metrics: BTreeMap<String, f64>,
}

/// One commit's builds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PushRequest {
    /// The commit.
    pub commit: CommitMeta,
    /// What compiled it.
    #[serde(default)]
    pub toolchain: Toolchain,
    /// At most [`crate::limits::BUILDS_PER_PUSH`].
    pub builds: Vec<BuildManifest>,
}

/// Answer to a push: the same for the same push, however often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushResponse {
    /// The commit.
    pub commit: CommitSha,
    /// Builds of this manifest.
    pub builds: u64,
    /// Of these, failed ones.
    pub failed: u64,
    /// Builds of this manifest with another artifact set than at the parent; all when there is no parent.
    pub changed: u64,
    /// Path of the page to open.
    pub permalink: String,
    /// Builds whose SASS text and cubin count differently, a sentence each with both values, and how many were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
