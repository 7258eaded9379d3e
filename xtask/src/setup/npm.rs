//! The packages of a folder with a `package-lock.json`.

use std::{fs, process::Command};

use anyhow::{Result, bail};

use crate::{repository::Repository, setup::debian, task};

/// Installs exactly what the lock file says. Its entries name no registry, so the machine's own is asked.
pub fn packages(repository: &Repository, folder: &str) -> Result<()> {
    let home = repository.path(folder);
    let lock = home.join("package-lock.json");
    if !lock.is_file() {
        return Ok(());
    }
    let wanted = fs::read_to_string(&lock)?;
    let stamp = home.join("node_modules/.lowerline-lock");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        task::skip(format_args!("npm packages of {folder}/"));
        return Ok(());
    }
    if !task::exists("npm") && debian::is_possible() {
        debian::install("npm")?;
    }
    if !task::exists("npm") {
        bail!("npm is needed for the packages of {folder}/; install Node.js 20 or newer");
    }
    task::timed(&format!("npm packages of {folder}/"), || {
        let mut npm = Command::new("npm");
        npm.args(["ci", "--no-audit", "--no-fund", "--omit-lockfile-registry-resolved"]).current_dir(&home);
        // The tests drive the browser of the machine.
        task::run(npm.env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"))
    })?;
    fs::write(stamp, wanted)?;
    Ok(())
}
