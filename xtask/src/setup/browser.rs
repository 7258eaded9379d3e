//! A Chromium for the tests of the pages.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::{setup::debian, task};

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// What `CHROMIUM` names, else the first known name in `PATH`, else Debian's package.
pub fn find_or_install() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        let path = PathBuf::from(named);
        if !path.is_file() {
            bail!("CHROMIUM names {}, which is no file", path.display());
        }
        return Ok(path);
    }
    if let Some(found) = find() {
        return Ok(found);
    }
    if debian::is_possible() {
        debian::install("chromium")?;
        if let Some(found) = find() {
            return Ok(found);
        }
    }
    bail!("no Chromium here; install one or name it in CHROMIUM ({} were looked for in PATH)", NAMES.join(", "))
}

fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let name = NAMES.into_iter().find(|name| folders.iter().any(|folder| folder.join(name).is_file()))?;
    task::exists(name).then(|| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file()))?
}
