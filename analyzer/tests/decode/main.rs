//! Tests of the decoder against what `nvdisasm` printed. No expected value comes from the decoder itself.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its fixtures has failed")]

#[expect(dead_code, reason = "counts of the oracle are not needed here")]
#[path = "../it/corpus.rs"]
mod corpus;

mod broken;
mod cubins;
mod fatbin;
mod operands;
mod pairs;
