//! The normal digest of machine code: how often each opcode stands in each scope, and what the kernel takes.
//!
//! `ptxas` makes different bodies of one PTX from run to run, with one histogram (`families.toml`, "NOISE"), so the order
//! of instructions, register numbers and constants are no meaning here: what they say stands in the PTX above. Left out
//! as well: names, padding, code size, debug sections and notes. Functions are in any order.

use lowerline_shared::{
    family::Family,
    ids::Digest,
    report::{Report, Resource},
};
use sha2::{Digest as _, Sha256};

use super::unordered;

/// The digest of a report whose functions and resources are filled.
pub(crate) fn digest(report: &Report) -> Digest {
    let mut parts = Vec::with_capacity(report.functions.len() + 1);
    for function in &report.functions {
        let mut hasher = Sha256::new();
        hasher.update([u8::from(function.kernel)]);
        for row in function.canonical.iter().filter(|row| row.family != Family::Padding) {
            hasher.update(row.opcode.as_bytes());
            // No opcode holds NUL, so rows cannot run into each other.
            hasher.update([0]);
            hasher.update(row.family.id().as_bytes());
            hasher.update([0]);
            for count in [row.counts.function, row.counts.r#loop, row.counts.hot] {
                hasher.update(count.to_le_bytes());
            }
        }
        parts.push(Digest(hasher.finalize().into()));
    }
    parts.push(resources(report, &[]));
    unordered(parts)
}

/// The digest of code that is not decoded: its bytes, and what the kernel takes.
pub(crate) fn of_bytes(report: &Report, code: &[u8]) -> Digest {
    unordered(vec![resources(report, code)])
}

fn resources(report: &Report, code: &[u8]) -> Digest {
    let mut hasher = Sha256::new();
    hasher.update(report.target.as_deref().unwrap_or_default().as_bytes());
    for (resource, value) in report.resources.iter().filter(|(resource, _)| **resource != Resource::CodeBytes) {
        hasher.update([0]);
        hasher.update(resource.id().as_bytes());
        hasher.update(value.to_le_bytes());
    }
    hasher.update([0]);
    hasher.update(code);
    Digest(hasher.finalize().into())
}
