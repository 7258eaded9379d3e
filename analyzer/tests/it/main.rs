//! Tests over the whole corpus of compiled kernels.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its fixtures has failed")]

mod amdgcn;
mod annotate;
mod corpus;
mod counts;
mod flow;
mod forms;
mod loops;
#[cfg(target_os = "linux")]
mod memory;
mod mutate;
mod normal;
mod reject;
mod whole;
