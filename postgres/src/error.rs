//! Everything that can keep a private cluster from running, each with what to try.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Why there is no running cluster.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No folder holds both `postgres` and `initdb`.
    #[error(
        "no Postgres found in {}; install PostgreSQL (Debian: `apt-get install postgresql`), name its folder in \
         LOWERLINE_POSTGRES_BIN, or give a database in DATABASE_URL",
        list(searched)
    )]
    NoBinaries {
        /// Where it was looked for.
        searched: Vec<PathBuf>,
    },
    /// The data was written by another major version than the one found.
    #[error(
        "the data in {} was written by PostgreSQL {data} and this is PostgreSQL {binaries}; install version {data} \
         or name its folder in LOWERLINE_POSTGRES_BIN",
        path.display()
    )]
    OtherMajor {
        /// The cluster.
        path: PathBuf,
        /// Major version that wrote it.
        data: u32,
        /// Major version of the programs at hand.
        binaries: u32,
    },
    /// Another server holds the lock of the data directory.
    #[error("{} is in use by another server{}; stop it or choose another data directory", path.display(), owner(*pid))]
    InUse {
        /// The data directory.
        path: PathBuf,
        /// Process of the other server, where it could be read.
        pid: Option<u32>,
    },
    /// Root, and neither an account `postgres` nor one called `nobody`.
    #[error("Postgres refuses to run as root and there is no account `postgres` or `nobody` to run it as")]
    NoAccount,
    /// No folder the account can enter could be made.
    #[error(
        "no folder for the database can be entered by the account `{account}` (tried {}); choose another data directory",
        list(tried)
    )]
    Unreachable {
        /// Who has to enter.
        account: String,
        /// Folders tried, in order.
        tried: Vec<PathBuf>,
    },
    /// A folder of ours is owned by somebody else, who could read or replace what is in it.
    #[error("{} belongs to another account; remove it or choose another data directory", path.display())]
    ForeignFolder {
        /// The folder.
        path: PathBuf,
    },
    /// A program of Postgres ended with an error.
    #[error("{program} failed ({status}): {output}")]
    Program {
        /// `initdb`, `postgres`.
        program: &'static str,
        /// How it ended.
        status: String,
        /// The last lines it wrote.
        output: String,
    },
    /// Postgres did not say "ready" in time.
    #[error("Postgres was not ready after {seconds} s; its last lines in {}: {output}", log.display())]
    NotReady {
        /// The bound.
        seconds: u64,
        /// Its log.
        log: PathBuf,
        /// The last lines of the log.
        output: String,
    },
    /// A file operation failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl Error {
    /// For `map_err`: `Error::io("create", &path)`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn owner(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (process {pid})")).unwrap_or_default()
}
