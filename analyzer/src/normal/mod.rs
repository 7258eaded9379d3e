//! Normal digests: equal when only names, paths, locations, numbering or the order of functions differ.

pub(crate) mod counts;
pub(crate) mod llvm;
pub(crate) mod mlir;
pub(crate) mod text;

use lowerline_shared::ids::Digest;
use sha2::{Digest as _, Sha256};

/// One digest of many, whatever their order.
pub(crate) fn unordered(mut parts: Vec<Digest>) -> Digest {
    parts.sort_unstable();
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.0);
    }
    Digest(hasher.finalize().into())
}
