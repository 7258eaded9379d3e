//! `cargo xtask bench`: the measurements of `BENCHMARKS.md`.

use anyhow::Result;

use crate::{repository::Repository, task};

/// Runs the benchmarks of every room that has some; `rest` goes to them.
pub fn run(repository: &Repository, rest: &[String]) -> Result<()> {
    task::step("benchmarks");
    let mut cargo = repository.cargo();
    cargo.args([
        "bench",
        "--workspace",
        "--exclude",
        "lowerline-frontend",
        "--exclude",
        "lowerline-worker",
        "--benches",
    ]);
    cargo.env("SQLX_OFFLINE", "true").env_remove("DATABASE_URL").arg("--").args(rest);
    task::run(&mut cargo)
}
