//! What the machine needs, each found first and fetched only when it is missing.

pub mod browser;
mod debian;
pub mod npm;
pub mod postgres;
mod wasm;

use anyhow::Result;

use crate::{repository::Repository, task};

/// Everything, for `cargo xtask setup` and before the tests.
pub fn all(repository: &Repository) -> Result<()> {
    for_demo(repository)?;
    let browser = browser::find_or_install()?;
    task::skip(format_args!("a browser for the tests: {}", browser.display()));
    npm::packages(repository, "e2e")
}

/// What the demo needs: no browser.
pub fn for_demo(repository: &Repository) -> Result<()> {
    for_app(repository)?;
    let binaries = postgres::find_or_install(repository)?;
    task::skip(format_args!("PostgreSQL {} in {}", binaries.major(), binaries.folder().display()));
    Ok(())
}

/// What building the WebAssembly app needs.
pub fn for_app(repository: &Repository) -> Result<()> {
    wasm::standard_library(repository)?;
    npm::packages(repository, "frontend")
}
