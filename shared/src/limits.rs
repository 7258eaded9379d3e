//! Bounds that more than one room must agree on, each with its reason.

/// One blob as sent. A kernel with every SASS format stays under 8 MB; registries allow 10 to 100 MiB.
pub const BLOB_BYTES: u64 = 32 * 1024 * 1024;
/// One blob after inflation. Debug LLVM IR of the largest kernels is below 3 MB; this leaves room for whole modules.
pub const INFLATED_BYTES: u64 = 256 * 1024 * 1024;
/// One manifest. 31,693 builds (the largest replay published, triton pull request 11161) need about 40 MiB as JSON.
pub const MANIFEST_BYTES: u64 = 64 * 1024 * 1024;
/// Any other JSON body.
pub const JSON_BYTES: u64 = 4 * 1024 * 1024;
/// Builds in one manifest.
pub const BUILDS_PER_PUSH: usize = 65_536;
/// Digests in one question for missing blobs.
pub const DIGESTS_PER_QUESTION: usize = 16_384;
/// Bytes of a kernel name. C++ mangled names reach a few thousand; longer ones are refused, not cut. 5,000 characters of
/// four bytes fit.
pub const KERNEL_NAME_BYTES: usize = 20_480;
/// Characters of a foreign name shown before "…".
pub const SHOWN_NAME_CHARS: usize = 256;
/// Bytes of a commit subject; longer ones are cut with a mark by the sender.
pub const SUBJECT_BYTES: usize = 1_024;
/// Bytes of a failed build's message that are kept.
pub const MESSAGE_BYTES: usize = 16_384;
/// Largest value of a resource: whole numbers above it are not exact in JSON readers that know doubles only (2^53 - 1).
pub const RESOURCE_VALUE: i64 = 9_007_199_254_740_991;
/// Latest time of a commit, in seconds since 1970: the end of the year 9999. The earliest is 1970, as in git.
pub const COMMIT_SECONDS: i64 = 253_402_300_799;
/// States side by side.
pub const STATES_PER_COMPARISON: usize = 6;
/// Commits in one answer about trends.
pub const COMMITS_PER_TREND: usize = 20_000;
/// Series in one answer about trends.
pub const SERIES_PER_TREND: usize = 512;
/// Configs in one answer about a config space; autotuning spaces published have a few hundred.
pub const CONFIGS_PER_SPACE: usize = 2_000;
/// One dossier. The hundred assertions of two articles take 40 kB.
pub const DOSSIER_BYTES: u64 = 1024 * 1024;
/// Builds that one dossier may speak of.
pub const BUILDS_PER_DOSSIER: usize = 1_024;
