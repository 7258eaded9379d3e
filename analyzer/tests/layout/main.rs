//! The layout algebra against libtriton 3.7.1: `tables/layouts/cases.jsonl.zst`, made by the script beside it.

mod libtriton;
