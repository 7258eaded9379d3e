//! The standard library for `wasm32-unknown-unknown`.

use std::{path::PathBuf, process::Command};

use anyhow::Result;

use crate::{repository::Repository, task};

const TARGET: &str = "wasm32-unknown-unknown";

/// Leaves it to a script, because most of the work is done by rustup, apt and cargo. The script tries whether what is
/// there links; here only its absence is noticed.
pub fn standard_library(repository: &Repository) -> Result<()> {
    let mut rustc = Command::new("rustc");
    rustc.current_dir(&repository.root).args(["--print", "target-libdir", "--target", TARGET]);
    let libraries = PathBuf::from(task::output(&mut rustc)?.trim());
    let is_there = libraries.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    let stamp = repository.target.join("xtask/wasm-std");
    let version = task::output(Command::new("rustc").current_dir(&repository.root).arg("--version"))?;
    if is_there && std::fs::read_to_string(&stamp).is_ok_and(|seen| seen == version) {
        task::skip(format_args!("std for {TARGET}"));
        return Ok(());
    }
    task::timed(&format!("std for {TARGET}"), || {
        let mut script = Command::new("bash");
        script.arg(repository.path("xtask/wasm-target.sh")).current_dir(&repository.root);
        // The script builds std with the compiler that is here, whatever this build was told.
        script.env_remove("RUSTFLAGS").env_remove("CARGO_TARGET_DIR");
        task::run(&mut script)
    })?;
    std::fs::create_dir_all(repository.target.join("xtask"))?;
    std::fs::write(stamp, version)?;
    Ok(())
}
