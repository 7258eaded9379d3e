//! A Lowerline server of our own: built, started on a private Postgres, stopped.

use std::{
    fs,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use lowerline_postgres::Binaries;
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use crate::{repository::Repository, setup, task};

/// How long a start may take: the first one makes the database.
const START: Duration = Duration::from_mins(1);

/// Built programs of one profile.
#[derive(Clone, Debug)]
pub struct Programs {
    pub server: PathBuf,
    pub cli: PathBuf,
}

/// Builds the server and the command line.
pub fn build(repository: &Repository, is_release: bool) -> Result<Programs> {
    task::step("server and command line");
    let mut cargo = repository.cargo();
    cargo.args(["build", "--package", "lowerline-backend", "--package", "lowerline-cli", "--bins"]);
    // The queries are checked against what is committed, whatever database the surroundings name.
    cargo.env("SQLX_OFFLINE", "true").env_remove("DATABASE_URL");
    if is_release {
        cargo.arg("--release");
    }
    task::run(&mut cargo)?;
    Ok(programs(repository, is_release))
}

/// Where [`build`] leaves them.
pub fn programs(repository: &Repository, is_release: bool) -> Programs {
    let profile = if is_release { "release" } else { "debug" };
    Programs { server: repository.binary(profile, "lowerline-server"), cli: repository.binary(profile, "lowerline") }
}

/// A running server.
pub struct Server {
    child: Child,
    program: PathBuf,
    data: PathBuf,
    binaries: Binaries,
    /// Where it listens.
    pub port: u16,
}

impl Server {
    /// Starts it and waits until it answers. `port` 0 takes a free one.
    pub fn start(
        programs: &Programs,
        binaries: &Binaries,
        data: &Path,
        app: &Path,
        port: u16,
        log: &Path,
    ) -> Result<Self> {
        fs::create_dir_all(data)?;
        let port_file = data.join("port");
        if port_file.exists() {
            fs::remove_file(&port_file)?;
        }
        let mut command = ours(&programs.server, binaries);
        command.arg("serve").arg("--data").arg(data).arg("--app").arg(app).arg("--port-file").arg(&port_file);
        command.args(["--listen", &format!("127.0.0.1:{port}")]);
        let out = fs::File::create(log).with_context(|| format!("cannot create {}", log.display()))?;
        // A group of its own: Ctrl-C reaches us, and we ask it once to stop; asked twice it would not drain.
        command.process_group(0).stdout(out.try_clone()?).stderr(out);
        let mut child = command.spawn().with_context(|| format!("cannot run {}", programs.server.display()))?;
        let deadline = Instant::now() + START;
        let port = loop {
            let written = fs::read_to_string(&port_file).ok().and_then(|text| text.trim().parse().ok());
            if let Some(port) = written {
                break port;
            }
            if let Some(status) = child.try_wait()? {
                bail!("the server ended ({status}); it said:\n{}", last_lines(log));
            }
            if Instant::now() > deadline {
                child.kill().ok();
                bail!("the server was not up after {} s; it said:\n{}", START.as_secs(), last_lines(log));
            }
            thread::sleep(Duration::from_millis(20));
        };
        Ok(Self { child, program: programs.server.clone(), data: data.to_owned(), binaries: binaries.clone(), port })
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// A write token for `project`, which is made when it is missing.
    pub fn token(&self, project: &str, repository: &str) -> Result<String> {
        let mut command = ours(&self.program, &self.binaries);
        command.args(["token", "create", "--project", project, "--name", "demo", "--repository", repository]);
        command.arg("--data").arg(&self.data);
        Ok(task::output(&mut command)?.trim().to_owned())
    }

    /// Asks it to stop and waits until it and its Postgres are gone.
    pub fn stop(&mut self) -> Result<ExitStatus> {
        if let Some(status) = self.child.try_wait()? {
            return Ok(status);
        }
        kill(Pid::from_raw(i32::try_from(self.child.id())?), Signal::SIGTERM)?;
        Ok(self.child.wait()?)
    }

    /// `Some` once it has ended.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing is left to do about a server that cannot be stopped.
        self.stop().ok();
    }
}

/// A program that must not see the settings of the person who started us: the demo needs none, and touches nothing of
/// theirs.
pub fn ours(program: &Path, binaries: &Binaries) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("LOWERLINE_") || text == "DATABASE_URL" {
            command.env_remove(&name);
        }
    }
    setup::postgres::tell(&mut command, binaries);
    command
}

/// The end of a log, for an error message.
pub fn last_lines(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}
