//! The layout algebra against libtriton 3.7.1: `tables/layouts/cases.jsonl.zst`, made by the script beside it;
//! and the decisions that rest on layouts against the PTX and metadata beside the TTGIR.

#![expect(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a test stops at the first surprise")]

mod cases;
mod corpus;
mod decisions;
mod hostile;
mod libtriton;
mod tile;
