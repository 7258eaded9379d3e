//! IR and ELF analysis against the demo data and its independent counts.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod corpus;
mod elf;
mod elf_file;
mod hostile;
mod llir;
mod memory;
mod mlir;
mod mutate;
mod occupancy;
