//! One start and one stop of Postgres.

use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use nix::sys::signal::Signal;

use crate::{
    Binaries, Error,
    guard::Guarded,
    place::{Place, as_list_entry},
    state,
};

/// How long a start may be refused by what is left of a Postgres that is still dying.
const RETRY: Duration = Duration::from_secs(10);

/// How long recovery after a crash may take before it is called an error. A checkpoint is at most five minutes of
/// writing ago, and replay is faster than writing.
const READY: Duration = Duration::from_mins(2);

/// A fast shutdown writes one checkpoint; a disk that needs longer than this loses nothing by the immediate one.
const STOP: Duration = Duration::from_secs(20);

/// A log longer than this is put aside at the next start; one such is kept.
const LOG_BYTES: u64 = 8 * 1024 * 1024;

/// Starts Postgres until it stays up: what is left of a killed one (its backends, its lock file) goes away by itself.
///
/// `None` when `is_stopping` became true before that.
pub fn launch(place: &Place, binaries: &Binaries, is_stopping: &AtomicBool) -> Result<Option<Guarded>, Error> {
    let started = Instant::now();
    loop {
        let log = open_log(&place.log)?;
        let mut postgres = Guarded::spawn(&place.account, &binaries.program("postgres"), &arguments(place), log)
            .map_err(Error::io("run", binaries.folder()))?;
        let status = loop {
            if state::is_ready(&place.cluster, postgres.pid()) {
                return Ok(Some(postgres));
            }
            if let Some(status) = postgres.ended().map_err(Error::io("wait for", binaries.folder()))? {
                break status;
            }
            if is_stopping.load(Ordering::Relaxed) {
                stop(&mut postgres).map_err(Error::io("wait for", binaries.folder()))?;
                return Ok(None);
            }
            if started.elapsed() > READY {
                let output = last_lines(&fs::read_to_string(&place.log).unwrap_or_default());
                return Err(Error::NotReady { seconds: READY.as_secs(), log: place.log.clone(), output });
            }
            std::thread::sleep(state::POLL);
        };
        let said = fs::read_to_string(&place.log).unwrap_or_default();
        if is_stopping.load(Ordering::Relaxed) {
            return Ok(None);
        }
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

/// What a person wants to see of a log.
pub fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(8)..].join("\n")
}

/// Asks for a fast shutdown, after [`STOP`] for an immediate one, at last for none; returns when Postgres is gone.
pub fn stop(postgres: &mut Guarded) -> io::Result<()> {
    let started = Instant::now();
    postgres.release();
    let mut signals = [(STOP, Signal::SIGQUIT), (STOP + Duration::from_secs(5), Signal::SIGKILL)].into_iter();
    let mut next = signals.next();
    while postgres.ended()?.is_none() {
        if let Some((after, signal)) = next
            && started.elapsed() > after
        {
            // Gone in between is what is wanted.
            state::signal_postgres(postgres.pid(), signal).ok();
            next = signals.next();
        }
        std::thread::sleep(state::POLL);
    }
    Ok(())
}

fn open_log(path: &Path) -> Result<File, Error> {
    if fs::metadata(path).is_ok_and(|found| found.len() > LOG_BYTES) {
        fs::rename(path, path.with_extension("log.old")).map_err(Error::io("rename", path))?;
    }
    File::options().append(true).create(true).open(path).map_err(Error::io("open", path))
}
