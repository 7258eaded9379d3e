//! The server through its real router, on a real Postgres, with real compiler output.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod access;
mod agreement;
mod bad_input;
mod dossier;
mod headers;
mod kernels;
mod locally;
mod migrations;
mod operations;
mod order;
mod process;
mod push;
mod reads;
mod states;
mod support;
