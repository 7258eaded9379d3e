//! Where things lie in this repository and its target folder.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};
use serde::Deserialize;

use crate::task;

/// The repository that this program was built from.
#[derive(Clone, Debug)]
pub struct Repository {
    /// Where the root `Cargo.toml` lies.
    pub root: PathBuf,
    /// Cargo's target folder, wherever it was put.
    pub target: PathBuf,
}

#[derive(Deserialize)]
struct Metadata {
    workspace_root: PathBuf,
    target_directory: PathBuf,
}

impl Repository {
    /// Asks cargo, which knows about `CARGO_TARGET_DIR` and its configuration files.
    pub fn find() -> Result<Self> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let mut command = cargo();
        command.args(["metadata", "--format-version=1", "--no-deps", "--manifest-path"]).arg(&manifest);
        let text = task::output(&mut command)?;
        let found: Metadata = serde_json::from_str(&text).context("cargo metadata wrote something else")?;
        Ok(Self { root: found.workspace_root, target: found.target_directory })
    }

    /// A path below the root.
    pub fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    /// Cargo in the root, with its target folder said aloud.
    pub fn cargo(&self) -> Command {
        let mut command = cargo();
        command.current_dir(&self.root).env("CARGO_TARGET_DIR", &self.target);
        command
    }

    /// A program that cargo built: `profile` is `debug` or `release`.
    pub fn binary(&self, profile: &str, name: &str) -> PathBuf {
        self.target.join(profile).join(name)
    }
}

/// The cargo that runs this program. Variables that `cargo run` sets for it would make every build script think that
/// its surroundings changed.
fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}
