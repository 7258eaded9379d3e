//! The layout algebra against libtriton 3.7.1: `tables/layouts/cases.jsonl.zst`, made by the script beside it.

#![expect(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a test stops at the first surprise")]

mod cases;
mod corpus;
mod hostile;
mod libtriton;
mod tile;
