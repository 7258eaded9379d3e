//! Debian packages, where we are root on a Debian.

use std::process::Command;

use anyhow::Result;

use crate::task;

/// Whether packages can be installed at all.
pub fn is_possible() -> bool {
    let is_root = task::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    is_root && task::exists("apt-get")
}

/// Installs one package and what it cannot do without.
pub fn install(package: &str) -> Result<()> {
    task::timed(&format!("Debian package {package}"), || {
        task::run(Command::new("apt-get").args(["-qq", "update"]))?;
        let mut command = Command::new("apt-get");
        command.args(["-qq", "-y", "--no-install-recommends", "install", package]);
        task::run(command.env("DEBIAN_FRONTEND", "noninteractive"))
    })
}
