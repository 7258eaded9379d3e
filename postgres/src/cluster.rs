//! Starts and stops the cluster of one data directory.

use std::{
    ffi::OsString,
    fmt::Write as _,
    fs::{self, File},
    io::Write as _,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use nix::sys::signal::Signal;
use percent_encoding::{NON_ALPHANUMERIC, percent_encode};

use crate::{
    Binaries, Error,
    guard::Guarded,
    place::{self, Place, as_list_entry},
    state,
};

/// The database a new cluster holds.
pub const DATABASE: &str = "lowerline";

/// The one role, a superuser: whoever can enter the socket's folder is trusted.
const ROLE: &str = "lowerline";

/// How long a start may be refused by what is left of a Postgres that is still dying.
const RETRY: Duration = Duration::from_secs(10);

/// How long recovery after a crash may take before it is called an error. A checkpoint is at most five minutes of
/// writing ago, and replay is faster than writing.
const READY: Duration = Duration::from_mins(2);

/// A fast shutdown writes one checkpoint; a disk that needs longer than this loses nothing by the immediate one.
const STOP: Duration = Duration::from_secs(20);

/// A running private Postgres. Dropping it stops it.
#[derive(Debug)]
pub struct Cluster {
    postgres: Guarded,
    place: Place,
    data_dir: PathBuf,
    // Held, not read: the kernel frees the lock with the file.
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
        let postgres = run(&place, binaries)?;
        Ok(Self { postgres, place, data_dir, _lock: lock })
    }

    /// An address that both libpq and sqlx understand. [`DATABASE`] exists, and so does `postgres`.
    pub fn url(&self, database: &str) -> String {
        let folder = percent_encode(self.place.socket_folder.as_os_str().as_bytes(), NON_ALPHANUMERIC);
        let database = percent_encode(database.as_bytes(), NON_ALPHANUMERIC);
        let mut url = String::new();
        // The host before the query is only there because an address with a user needs one; the folder overrides it.
        write!(url, "postgres://{ROLE}@localhost/{database}?host={folder}&sslmode=disable")
            .expect("writing to a string cannot fail");
        url
    }

    /// The absolute data directory.
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// Process id of Postgres.
    pub fn pid(&self) -> u32 {
        self.postgres.pid()
    }

    /// Where Postgres writes what it has to say.
    pub fn log(&self) -> &Path {
        &self.place.log
    }

    /// `false` once Postgres has ended by itself; start again after dropping this.
    pub fn is_running(&mut self) -> bool {
        matches!(self.postgres.ended(), Ok(None))
    }

    /// Stops Postgres and returns when it is gone. Open connections are cut.
    ///
    /// # Errors
    /// [`Error::Io`] when the system cannot tell about the process.
    pub fn stop(mut self) -> Result<(), Error> {
        self.end()
    }

    fn end(&mut self) -> Result<(), Error> {
        let started = Instant::now();
        self.postgres.release();
        let mut signals = [(STOP, Signal::SIGQUIT), (STOP + Duration::from_secs(5), Signal::SIGKILL)].into_iter();
        let mut next = signals.next();
        while self.postgres.ended().map_err(Error::io("wait for the Postgres of", &self.data_dir))?.is_none() {
            if let Some((after, signal)) = next
                && started.elapsed() > after
            {
                // Gone in between is what is wanted.
                state::signal_postgres(self.postgres.pid(), signal).ok();
                next = signals.next();
            }
            std::thread::sleep(state::POLL);
        }
        Ok(())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Nobody is left to tell; the next start recovers.
        self.end().ok();
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

/// Starts Postgres until it stays up: what is left of a killed one (its backends, its lock file) goes away by itself.
fn run(place: &Place, binaries: &Binaries) -> Result<Guarded, Error> {
    let started = Instant::now();
    loop {
        let log = File::create(&place.log).map_err(Error::io("create", &place.log))?;
        let mut postgres = Guarded::spawn(&place.account, &binaries.program("postgres"), &arguments(place), log)
            .map_err(Error::io("run", binaries.folder()))?;
        let status = loop {
            if state::is_ready(&place.cluster, postgres.pid()) {
                return Ok(postgres);
            }
            if let Some(status) = postgres.ended().map_err(Error::io("wait for", binaries.folder()))? {
                break status;
            }
            if started.elapsed() > READY {
                let output = last_lines(&fs::read_to_string(&place.log).unwrap_or_default());
                return Err(Error::NotReady { seconds: READY.as_secs(), log: place.log.clone(), output });
            }
            std::thread::sleep(state::POLL);
        };
        let said = fs::read_to_string(&place.log).unwrap_or_default();
        if started.elapsed() > RETRY {
            return Err(Error::Program { program: "postgres", status: status.to_string(), output: last_lines(&said) });
        }
        state::stop_orphan(place)?;
        std::thread::sleep(state::POLL * 10);
    }
}

fn arguments(place: &Place) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["-D".into(), place.cluster.clone().into()];
    let mut folder = OsString::from("unix_socket_directories=");
    folder.push(as_list_entry(&place.socket_folder));
    let settings = [
        folder,
        "listen_addresses=".into(),
        "port=5432".into(),
        "unix_socket_permissions=0700".into(),
        "cluster_name=lowerline".into(),
        // No replica and no archive will ever read the log, so bulk loads may skip it.
        "wal_level=minimal".into(),
        "max_wal_senders=0".into(),
        "max_wal_size=2GB".into(),
        // Queries are short; compiling them costs more than running them.
        "jit=off".into(),
    ];
    for setting in settings {
        arguments.push("-c".into());
        arguments.push(setting);
    }
    arguments
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(8)..].join("\n")
}
