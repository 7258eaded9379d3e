//! `cargo xtask bench`: the measurements of `BENCHMARKS.md`.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use wasm_bindgen_cli_support::Bindgen;

use crate::{app, repository::Repository, setup, task};

/// Runs the benchmarks of every room that has some, or the one that `--bench NAME` names; what follows goes to them.
pub fn run(repository: &Repository, rest: &[String]) -> Result<()> {
    let (name, rest) = match rest {
        [flag, name, rest @ ..] if flag == "--bench" => (Some(name), rest),
        rest => (None, rest),
    };
    let glue = if name.is_none_or(|name| name == "wasm") { Some(rate(repository)?) } else { None };
    task::step("benchmarks");
    let mut cargo = repository.cargo();
    cargo.args(["bench", "--workspace", "--exclude", "lowerline-frontend", "--exclude", "lowerline-worker"]);
    match name {
        Some(name) => cargo.args(["--bench", name]),
        None => cargo.arg("--benches"),
    };
    if let Some(glue) = glue {
        cargo.env("LOWERLINE_RATE", glue);
    }
    cargo.env("SQLX_OFFLINE", "true").env_remove("DATABASE_URL").arg("--").args(rest);
    task::run(&mut cargo)
}

/// The analyzer as WebAssembly for node, compiled as the pages' worker is; the glue that loads it.
fn rate(repository: &Repository) -> Result<PathBuf> {
    setup::for_app(repository)?;
    task::step("the analyzer as WebAssembly for node");
    let profile = app::Profile::Shipped.worker();
    let mut cargo = repository.cargo();
    cargo.args(["build", "--package", "lowerline-worker", "--bin", "rate", "--features", "rate"]);
    task::run(cargo.args(["--target", app::TARGET, "--profile", profile]))?;
    let module = repository.target.join(app::TARGET).join(profile).join("rate.wasm");
    let folder = repository.target.join("xtask/rate");
    let mut bindgen = Bindgen::new();
    bindgen.input_path(&module).out_name("rate").typescript(false).nodejs(true)?;
    bindgen.generate(&folder).with_context(|| format!("wasm-bindgen cannot work on {}", module.display()))?;
    Ok(folder.join("rate.js"))
}
