//! What Postgres says about itself in `postmaster.pid`, and what to do about one that outlived its server.

use std::{
    fs,
    os::unix::net::UnixStream,
    path::Path,
    time::{Duration, Instant},
};

use nix::{
    errno::Errno,
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use crate::{Error, place::Place};

/// Between two looks at a state that Postgres offers no way to wait for.
pub const POLL: Duration = Duration::from_millis(10);

/// The lines of `postmaster.pid` that matter here: the first and the eighth (`miscadmin.h`, `LOCK_FILE_LINE_PID` and
/// `LOCK_FILE_LINE_PM_STATUS`).
struct PidFile {
    pid: u32,
    is_ready: bool,
}

impl PidFile {
    fn read(cluster: &Path) -> Option<Self> {
        let text = fs::read_to_string(cluster.join("postmaster.pid")).ok()?;
        let pid = text.lines().next()?.trim().parse().ok()?;
        let is_ready = text.lines().nth(7).is_some_and(|status| status.trim() == "ready");
        Some(Self { pid, is_ready })
    }
}

/// Whether the Postgres with this process id takes connections.
pub fn is_ready(cluster: &Path, pid: u32) -> bool {
    PidFile::read(cluster).is_some_and(|file| file.pid == pid && file.is_ready)
}

/// Stops a Postgres that outlived its server and its watcher. The caller holds the lock of the data directory, so
/// whatever still answers on the socket has no owner.
pub fn stop_orphan(place: &Place) -> Result<(), Error> {
    let deadline = Instant::now() + Duration::from_secs(10);
    let mut signal = Signal::SIGINT;
    while UnixStream::connect(place.socket()).is_ok() {
        let Some(file) = PidFile::read(&place.cluster) else { break };
        let path = place.cluster.join("postmaster.pid");
        match signal_postgres(file.pid, signal) {
            Ok(()) | Err(Errno::ESRCH) => {}
            Err(errno) => return Err(Error::io("stop the Postgres of", &path)(errno.into())),
        }
        if Instant::now() > deadline {
            // A fast shutdown that hangs: recovery at the next start is the cheaper way.
            signal = Signal::SIGQUIT;
        }
        std::thread::sleep(POLL);
    }
    disown_foreign_pid(&place.cluster)
}

/// `SIGINT` is Postgres' fast shutdown, `SIGQUIT` its immediate one.
pub fn signal_postgres(pid: u32, signal: Signal) -> Result<(), Errno> {
    let pid = i32::try_from(pid).map_err(|_| Errno::ESRCH)?;
    kill(Pid::from_raw(pid), signal)
}

/// A process id that was used again by a stranger makes Postgres believe that the cluster is running, and it refuses to
/// start. It takes the id of its own parent for a leftover, so that is written in place of the stranger's. The rest of
/// the file stays: it names the shared memory that tells whether backends are still alive.
fn disown_foreign_pid(cluster: &Path) -> Result<(), Error> {
    let path = cluster.join("postmaster.pid");
    let Some(file) = PidFile::read(cluster) else { return Ok(()) };
    let Ok(name) = fs::read_to_string(format!("/proc/{}/comm", file.pid)) else { return Ok(()) };
    if name.trim() == "postgres" {
        return Ok(());
    }
    let text = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
    let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
    fs::write(&path, format!("{}\n{rest}", std::process::id())).map_err(Error::io("write", &path))
}
