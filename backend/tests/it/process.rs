//! The binary itself: started, killed, restarted.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
};

use crate::support::corpus::{digest, manifest, ptx, ptx_build, sha};

/// A running `lowerline-server` on its own Postgres; killed when dropped.
struct Process {
    child: Child,
    address: String,
}

fn command(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lowerline-server"));
    command.env_remove("DATABASE_URL").arg("--data").arg(data).stdin(Stdio::null());
    command
}

impl Process {
    fn start(data: &Path) -> Self {
        let mut child = command(data)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening at http://").unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { child, address }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}/api/v1{path}", self.address)
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn terminate(mut self) -> std::process::ExitStatus {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        self.child.wait().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).build().into()
}

fn make_token(data: &Path) -> String {
    let output = command(data).args(["token", "create", "--project", "triton"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn put(server: &Process, token: &str, bytes: &[u8]) -> u16 {
    let url = server.url(&format!("/projects/triton/blobs/{}", digest(bytes)));
    agent()
        .put(url)
        .header("authorization", format!("Bearer {token}"))
        .send(bytes)
        .map_or(0, |answer| answer.status().as_u16())
}

fn push(server: &Process, token: &str, body: &str) -> u16 {
    let url = server.url("/projects/triton/pushes");
    agent()
        .post(url)
        .header("authorization", format!("Bearer {token}"))
        .send(body)
        .map_or(0, |answer| answer.status().as_u16())
}

fn check(data: &Path) -> (bool, String) {
    let output = command(data).arg("check").output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_token_is_made_beside_a_running_server_and_it_stops_cleanly() {
    let data = tempfile::tempdir().unwrap();
    let server = Process::start(data.path());
    let token = make_token(data.path());
    assert!(token.starts_with("llt_") && token.len() == 36 && !token.contains('\n'));
    assert_eq!(put(&server, &token, &ptx(1)), 200);
    assert!(server.terminate().success());
    assert!(!data.path().join("database-url").exists());
}

#[test]
fn slow_headers_do_not_keep_a_stopping_server() {
    let data = tempfile::tempdir().unwrap();
    let server = Process::start(data.path());
    let mut stuck = TcpStream::connect(&server.address).unwrap();
    stuck.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n").unwrap();
    assert!(server.terminate().success());
}

#[test]
fn kill_nine_during_uploads_keeps_every_acknowledged_blob_and_no_half_push() {
    let data = tempfile::tempdir().unwrap();
    let mut server = Process::start(data.path());
    let token = make_token(data.path());
    let mut acknowledged = Vec::new();
    for round in 0..6_usize {
        let contents: Vec<Vec<u8>> = (1..30).map(|n| ptx(round * 100 + n)).collect();
        let kill_after = round * 5;
        let killer = std::thread::scope(|scope| {
            let (sender, receiver) = std::sync::mpsc::channel();
            let (server, token, contents) = (&server, &token, &contents);
            let uploads = scope.spawn(move || {
                let mut kept = Vec::new();
                for bytes in contents {
                    let status = put(server, token, bytes);
                    if status == 200 {
                        kept.push(digest(bytes));
                    }
                    sender.send(()).ok();
                }
                kept
            });
            for _ in 0..kill_after {
                receiver.recv().ok();
            }
            let pid = server.child.id().to_string();
            assert!(Command::new("kill").args(["-KILL", &pid]).status().unwrap().success());
            uploads.join().unwrap()
        });
        acknowledged.extend(killer);
        server.kill();
        server = Process::start(data.path());
        for digest in &acknowledged {
            let status = agent().get(server.url(&format!("/blobs/{digest}"))).call().unwrap().status();
            assert_eq!(status.as_u16(), 200, "blob {digest} was acknowledged");
        }
        let builds: Vec<_> =
            contents.iter().enumerate().map(|(n, bytes)| ptx_build(&format!("k{n}"), "sm_90a", bytes)).collect();
        for bytes in &contents {
            assert_eq!(put(&server, &token, bytes), 200);
        }
        let manifest = manifest(&sha(&round.to_string()), &[], i64::try_from(round).unwrap(), &builds).to_string();
        assert_eq!(push(&server, &token, &manifest), 200);
    }
    assert!(server.terminate().success());
    let (ok, text) = check(data.path());
    assert!(ok, "{text}");
}

#[test]
fn check_finds_a_deleted_blob_and_a_changed_byte() {
    let data = tempfile::tempdir().unwrap();
    let server = Process::start(data.path());
    let token = make_token(data.path());
    let (deleted, changed, kept) = (ptx(1), ptx(2), ptx(3));
    for bytes in [&deleted, &changed, &kept] {
        assert_eq!(put(&server, &token, bytes), 200);
    }
    assert!(server.terminate().success());
    assert!(check(data.path()).0);
    let path = |bytes: &[u8]| {
        let name = digest(bytes).to_string();
        data.path().join("blobs").join(&name[..2]).join(format!("{name}.zst"))
    };
    fs::remove_file(path(&deleted)).unwrap();
    fs::write(path(&changed), zstd::encode_all(&b"something else"[..], 3).unwrap()).unwrap();
    let (ok, text) = check(data.path());
    assert!(!ok);
    for (bytes, is_named) in [(&deleted, true), (&changed, true), (&kept, false)] {
        assert_eq!(text.contains(&digest(bytes).to_string()), is_named, "{text}");
    }
}

#[test]
fn what_a_killed_server_was_receiving_is_gone_after_the_next_start() {
    let data = tempfile::tempdir().unwrap();
    let server = Process::start(data.path());
    let incoming = || fs::read_dir(data.path().join("blobs/incoming")).unwrap().count();
    let mut upload = TcpStream::connect(&server.address).unwrap();
    let token = make_token(data.path());
    let head = format!(
        "PUT /api/v1/projects/triton/blobs/{} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\ncontent-length: 9\r\n\r\n",
        digest(b"123456789")
    );
    upload.write_all(head.as_bytes()).unwrap();
    upload.write_all(b"1234").unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while incoming() == 0 {
        assert!(std::time::Instant::now() < deadline, "the upload begins");
        std::thread::yield_now();
    }
    server.kill();
    assert_eq!(incoming(), 1, "nobody cleaned up");
    let server = Process::start(data.path());
    assert_eq!(incoming(), 0);
    assert!(server.terminate().success());
}
