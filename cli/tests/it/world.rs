//! What the tests share: the demo data unpacked once, the program, and its answer.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
};

use serde_json::Value;
use tempfile::TempDir;

/// The releases in the demo data.
pub const RELEASES: [&str; 7] = ["3.2.0", "3.3.1", "3.4.0", "3.5.0", "3.5.1", "3.7.1", "3.9.0"];

/// Flags that say everything about a commit, so that no repository is asked.
pub const COMMIT: [&str; 6] = [
    "--commit",
    "0123456789abcdef0123456789abcdef01234567",
    "--committed-at",
    "2025-10-21T18:09:33Z",
    "--subject",
    "Release",
];

static UNPACKED: Mutex<BTreeMap<String, TempDir>> = Mutex::new(BTreeMap::new());

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace").to_owned()
}

/// Unpacks an archive below `demo/` into a temporary folder.
pub fn unpack(archive: &str) -> TempDir {
    let file = std::fs::File::open(repository().join("demo").join(archive)).expect("the archive is in the repository");
    let dir = tempfile::tempdir().expect("a temporary folder");
    tar::Archive::new(zstd::Decoder::new(file).expect("zstd")).unpack(dir.path()).expect("a sound archive");
    dir
}

/// The folder of one release, unpacked once a process; read only by agreement.
pub fn release(version: &str) -> PathBuf {
    let mut unpacked = UNPACKED.lock().unwrap_or_else(PoisonError::into_inner);
    let dir = unpacked.entry(version.to_owned()).or_insert_with(|| unpack(&format!("data/{version}.tar.zst")));
    dir.path().join(version)
}

/// What the program did.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// stdout as one JSON value.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// The program without the surroundings of the test.
pub fn lowerline() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lowerline"));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let prefixes =
            ["LOWERLINE_", "GIT_", "GITHUB_", "CI", "BUILDKITE_", "http_", "https_", "HTTP_", "HTTPS_", "ALL_PROXY"];
        if prefixes.iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
    command.stdin(Stdio::null()).current_dir(std::env::temp_dir());
    command
}

/// Runs it to the end.
pub fn run(command: &mut Command) -> Run {
    let output = command.output().expect("the program starts");
    Run {
        code: output.status.code().expect("it ends by itself"),
        stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
    }
}

/// `push --dry-run` of a folder at a commit given by flags.
pub fn dry_run(path: &Path) -> Run {
    run(lowerline().arg("push").arg(path).args(["--project", "p", "--dry-run"]).args(COMMIT))
}

/// Copies a folder of regular files.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).expect("a copy");
        }
    }
}
