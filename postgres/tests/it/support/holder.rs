//! A server in a process of its own, so that a test can kill it: this test program, started again.

use std::{
    env, fs,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use lowerline_postgres::{Binaries, Cluster, DATABASE};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

const DATA: &str = "LOWERLINE_TEST_DATA";

/// The body of the ignored test `hold`: runs a cluster until stdin ends.
pub fn hold() {
    let Some(data) = env::var_os(DATA).map(PathBuf::from) else { return };
    let cluster = Cluster::start(&data, &Binaries::locate().unwrap()).unwrap();
    println!("\nheld {} {}", cluster.pid().unwrap(), cluster.url(DATABASE));
    std::io::stdout().flush().unwrap();
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    cluster.stop().unwrap();
}

/// The process and what it said.
pub struct Holder {
    child: Child,
    pipe: Option<ChildStdin>,
    // Kept open: the test program has more to say when it ends, and fails when nobody reads it.
    output: BufReader<ChildStdout>,
    pub postgres: u32,
    pub url: String,
}

impl Holder {
    pub fn start(data: &Path) -> Self {
        Self::run(Command::new(env::current_exe().unwrap()), data)
    }

    /// `command` runs this test program in its own way.
    pub fn run(mut command: Command, data: &Path) -> Self {
        command.args(["--exact", "hold", "--ignored", "--nocapture"]).env(DATA, data);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let pipe = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let held = output
            .by_ref()
            .lines()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("held ").map(str::to_owned));
        let held = held.expect("the holder started a cluster");
        let (pid, url) = held.split_once(' ').unwrap();
        Self { child, pipe, output, postgres: pid.parse().unwrap(), url: url.to_owned() }
    }

    pub fn kill_server(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn kill_postgres(&self) {
        kill(Pid::from_raw(self.postgres.cast_signed()), Signal::SIGKILL).unwrap();
    }

    /// The shell that watches over Postgres: the other member of its process group.
    pub fn kill_watcher(&self) {
        let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let pids = processes.filter_map(|entry| entry.file_name().into_string().ok()?.parse::<u32>().ok());
        let watcher = pids.filter(|pid| *pid != self.postgres).find(|pid| {
            let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let group = status.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(2)?.parse::<u32>().ok());
            status.contains("(sh)") && group == Some(self.postgres)
        });
        let watcher = watcher.expect("a running Postgres has a watcher");
        kill(Pid::from_raw(watcher.cast_signed()), Signal::SIGKILL).unwrap();
    }

    /// Ends as a server does that was told to stop.
    pub fn stop(mut self) {
        drop(self.pipe.take());
        self.output.read_to_end(&mut Vec::new()).unwrap();
        assert!(self.child.wait().unwrap().success());
    }
}
