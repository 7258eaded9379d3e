//! Laws of the aligned diff, on generated texts, on every pair of releases of the corpus, and on hostile input.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its fixtures has failed")]

#[path = "../it/corpus.rs"]
#[expect(dead_code, reason = "other tests use more of it")]
mod corpus;
mod generated;
mod hostile;
mod laws;
mod real;
