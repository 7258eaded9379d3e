//! Starts and stops the cluster of one data directory.

use std::{
    fs::{self, File},
    io::Write as _,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};

use crate::{
    Binaries, Error,
    keeper::Keeper,
    launch::last_lines,
    place::{self, Place},
    state,
};

/// The database a new cluster holds.
pub const DATABASE: &str = "lowerline";

/// The one role, a superuser: whoever can enter the socket's folder is trusted.
const ROLE: &str = "lowerline";

/// A running private Postgres, started again whenever it ends by itself. Dropping this stops it.
#[derive(Debug)]
pub struct Cluster {
    keeper: Keeper,
    place: Place,
    data_dir: PathBuf,
    // Held, not read: the kernel frees the lock with the file. Last, for fields are dropped in order.
    _lock: File,
}

impl Cluster {
    /// Makes the cluster if there is none, and starts it. Returns once it takes connections.
    ///
    /// # Errors
    /// [`Error::InUse`] when another server has it; the others as they say.
    pub fn start(data_dir: &Path, binaries: &Binaries) -> Result<Self, Error> {
        let (data_dir, lock) = place::lock(data_dir)?;
        let place = Place::settle(&data_dir)?;
        match place::major_of(&place.cluster) {
            None => initialize(&place, binaries)?,
            Some(data) if data != binaries.major() => {
                return Err(Error::OtherMajor { path: place.cluster, data, binaries: binaries.major() });
            }
            Some(_) => state::stop_orphan(&place)?,
        }
        let keeper = Keeper::start(place.clone(), binaries.clone())?;
        Ok(Self { keeper, place, data_dir, _lock: lock })
    }

    /// An address that both libpq and sqlx understand. [`DATABASE`] exists, and so does `postgres`.
    pub fn url(&self, database: &str) -> String {
        let folder = percent_encode(self.place.socket_folder.as_os_str().as_bytes(), NON_ALPHANUMERIC);
        let database = percent_encode(database.as_bytes(), NON_ALPHANUMERIC);
        // The host before the query is only there because an address with a user needs one; the folder overrides it.
        format!("postgres://{ROLE}@localhost/{database}?host={folder}&sslmode=disable")
    }

    /// The absolute data directory.
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// Process id of Postgres; `None` while it is being started again.
    pub fn pid(&self) -> Option<u32> {
        self.keeper.pid()
    }

    /// Where Postgres writes what it has to say.
    pub fn log(&self) -> &Path {
        &self.place.log
    }

    /// Stops Postgres and returns when it is gone. Open connections are cut.
    ///
    /// # Errors
    /// [`Error::Io`] when the system cannot tell about the process.
    pub fn stop(mut self) -> Result<(), Error> {
        self.keeper.stop()
    }
}

/// Makes the cluster under another name first, so that one that was interrupted is never taken for a whole one.
fn initialize(place: &Place, binaries: &Binaries) -> Result<(), Error> {
    let unfinished = place.cluster.with_extension("unfinished");
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).map_err(Error::io("remove", &unfinished))?;
    }
    place.account.own_folder(&unfinished)?;
    let mut initdb = place.account.command(&binaries.program("initdb"));
    initdb.args(["--username", ROLE, "--auth-local=trust", "--auth-host=reject", "--encoding=UTF8", "--locale=C"]);
    initdb.args(["--data-checksums", "--pgdata"]).arg(&unfinished);
    finish("initdb", initdb, "")?;

    // Single-user mode, because not every installation brings a client.
    let mut single = place.account.command(&binaries.program("postgres"));
    single.args(["--single", "-D"]).arg(&unfinished).arg("postgres");
    finish("postgres --single", single, &format!("create database {DATABASE}\n"))?;
    fs::rename(&unfinished, &place.cluster).map_err(Error::io("rename", &unfinished))
}

fn finish(program: &'static str, mut command: Command, input: &str) -> Result<(), Error> {
    let path = PathBuf::from(command.get_program());
    command.env("LC_ALL", "C").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(Error::io("run", &path))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that ended early says why itself.
        stdin.write_all(input.as_bytes()).ok();
    }
    let output = child.wait_with_output().map_err(Error::io("wait for", &path))?;
    let text = String::from_utf8_lossy(&output.stderr);
    // Single-user mode exits with 0 after a statement that failed.
    if output.status.success() && !text.contains("ERROR:") && !text.contains("FATAL:") {
        return Ok(());
    }
    Err(Error::Program { program, status: output.status.to_string(), output: last_lines(&text) })
}
