//! Finds the programs `postgres` and `initdb`.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::Error;

/// Names a folder of Postgres programs that is looked at before all others.
pub const BIN_VARIABLE: &str = "LOWERLINE_POSTGRES_BIN";

/// Parents of one folder per major version, each with the part below it that holds the programs.
const VERSIONED: [(&str, &str); 4] = [
    ("/usr/lib/postgresql", "bin"),
    ("/usr/libexec/postgresql", ""),
    ("/opt/homebrew/opt", "bin"),
    ("/usr/local/opt", "bin"),
];

/// One installation of Postgres.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binaries {
    folder: PathBuf,
    major: u32,
}

impl Binaries {
    /// The first installation of: `LOWERLINE_POSTGRES_BIN`, `PATH`, the system's versioned folders, newest first.
    pub fn locate() -> Result<Self, Error> {
        Self::locate_where(|_| true)
    }

    /// The installation that can open the cluster in `data_dir`: one of the major version that wrote it, or any for a
    /// directory that holds no cluster yet.
    pub fn locate_for(data_dir: &Path) -> Result<Self, Error> {
        let Some(major) = crate::place::recorded_major(data_dir) else { return Self::locate() };
        match Self::locate_where(|found| found.major == major) {
            Err(Error::NoBinaries { .. }) => match Self::locate() {
                Ok(other) => Err(Error::OtherMajor { path: data_dir.to_owned(), data: major, binaries: other.major }),
                Err(error) => Err(error),
            },
            found => found,
        }
    }

    fn locate_where(wanted: impl Fn(&Self) -> bool) -> Result<Self, Error> {
        let searched = candidates();
        searched.iter().filter_map(|folder| Self::in_folder(folder)).find(wanted).ok_or(Error::NoBinaries { searched })
    }

    /// `None` where `folder` lacks one of the two programs or they do not run here.
    pub fn in_folder(folder: &Path) -> Option<Self> {
        // Links in PATH are followed, so that the programs find their own `share` folder.
        let postgres = fs::canonicalize(folder.join("postgres")).ok()?;
        let folder = postgres.parent()?.to_owned();
        if !folder.join("initdb").is_file() {
            return None;
        }
        let output = Command::new(&postgres).arg("--version").current_dir("/").output().ok()?;
        let major = parse_major(&String::from_utf8_lossy(&output.stdout))?;
        Some(Self { folder, major })
    }

    /// Where the programs lie.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Major version: 15 for PostgreSQL 15.18.
    pub fn major(&self) -> u32 {
        self.major
    }

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

fn candidates() -> Vec<PathBuf> {
    let named = env::var_os(BIN_VARIABLE).map(PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = named.into_iter().chain(env::split_paths(&path)).collect();
    for (parent, below) in VERSIONED {
        let Ok(entries) = fs::read_dir(parent) else { continue };
        let mut versions: Vec<(u32, PathBuf)> = entries
            .filter_map(Result::ok)
            .filter_map(|entry| Some((version_of_folder(&entry.file_name().into_string().ok()?)?, entry.path())))
            .collect();
        versions.sort();
        folders.extend(versions.into_iter().rev().map(|(_, path)| path.join(below)));
    }
    folders.push(PathBuf::from("/usr/local/pgsql/bin"));
    folders
}

/// `15` and `postgresql@15` are version 15; other names are no installation.
fn version_of_folder(name: &str) -> Option<u32> {
    name.strip_prefix("postgresql@").or_else(|| name.strip_prefix("postgresql")).unwrap_or(name).parse().ok()
}

/// From `postgres (PostgreSQL) 15.18 (Debian …)` or `… 18beta1`.
fn parse_major(version: &str) -> Option<u32> {
    let number = version.split("(PostgreSQL) ").nth(1)?;
    let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    number.get(..digits)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_lines_of_releases_and_betas_are_read() {
        assert_eq!(parse_major("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n"), Some(15));
        assert_eq!(parse_major("postgres (PostgreSQL) 18beta1\n"), Some(18));
        assert_eq!(parse_major("something else"), None);
    }

    #[test]
    fn a_folder_without_the_programs_is_no_installation() {
        assert_eq!(Binaries::in_folder(Path::new("/")), None);
    }
}
