//! What happens on the wire, against a scripted listener: order of requests, retries, refusals.
//!
//! Pushes to the real server are tested in `backend/` and `e2e/`; a real server cannot be asked to drop a connection.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::Command,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use lowerline_shared::api::{DigestsRequest, PushRequest};
use serde_json::{Value, json};
use sha2::Digest as _;

use crate::world::{COMMIT, Run, lowerline, release, run};

/// One request as it came.
#[derive(Clone, Debug)]
struct Request {
    line: String,
    headers: Vec<String>,
    body: Vec<u8>,
}

impl Request {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

/// What the listener does with a request.
enum Reply {
    Json(u16, Value),
    Later(u16),
    Redirect,
    HangUp,
}

fn receive(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let mut lines = head.lines().map(str::to_owned);
    let mut request =
        Request { line: lines.next()?, headers: lines.filter(|line| !line.is_empty()).collect(), body: Vec::new() };
    let length = request.header("content-length").map_or(Ok(0), str::parse).ok()?;
    request.body = vec![0; length];
    reader.read_exact(&mut request.body).ok()?;
    Some(request)
}

fn answer(mut stream: &TcpStream, reply: &Reply) {
    let (status, extra, body) = match reply {
        Reply::Json(status, value) => (*status, String::new(), value.to_string()),
        Reply::Later(status) => (*status, "retry-after: 0\r\n".to_owned(), String::new()),
        Reply::Redirect => (308, "location: http://elsewhere.example/\r\n".to_owned(), String::new()),
        Reply::HangUp => return,
    };
    let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n{extra}\r\n", body.len());
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
}

/// A listener that asks `script` what to do with the n-th request, and keeps them all.
fn listen(script: impl Fn(usize, &Request) -> Reply + Send + 'static) -> (String, Arc<Mutex<Vec<Request>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("it is bound"));
    let log = Arc::new(Mutex::new(Vec::new()));
    let requests = Arc::clone(&log);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let Some(request) = receive(&stream) else { continue };
            let mut requests = requests.lock().unwrap_or_else(PoisonError::into_inner);
            answer(&stream, &script(requests.len(), &request));
            requests.push(request);
        }
    });
    (address, log)
}

/// What a server without any blob says.
fn lacks_all(request: &Request) -> Reply {
    if request.line.contains("/blobs/missing") {
        let asked: DigestsRequest = serde_json::from_slice(&request.body).expect("the question");
        Reply::Json(200, json!({ "missing": asked.digests }))
    } else if request.line.starts_with("PUT ") {
        let digest = request.line.rsplit('/').nth(1).and_then(|part| part.split(' ').next()).expect("a digest");
        Reply::Json(201, json!({ "digest": digest, "size_bytes": 1, "stage": "ptx", "warnings": [] }))
    } else {
        let commit = COMMIT[1];
        Reply::Json(
            200,
            json!({ "commit": commit, "builds": 1, "failed": 0, "changed": 1, "permalink": format!("/p/p/commits/{commit}") }),
        )
    }
}

fn push_to(server: &str) -> Command {
    let mut command = lowerline();
    command
        .arg("push")
        .arg(release("3.5.0").join("softmax/sm_80"))
        .args(["--server", server, "--project", "p"])
        .args(COMMIT)
        .env("LOWERLINE_TOKEN", "llt_secret");
    command
}

fn done(log: &Arc<Mutex<Vec<Request>>>) -> Vec<Request> {
    log.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn succeeded(run: &Run, server: &str) {
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.stdout, format!("{server}/p/p/commits/{}\n", COMMIT[1]));
}

#[test]
fn a_push_asks_then_sends_then_records() {
    let (server, log) = listen(|_, request| lacks_all(request));
    let run = run(&mut push_to(&server));
    succeeded(&run, &server);
    assert!(run.stderr.contains("7 blobs sent"), "{}", run.stderr);
    let requests = done(&log);
    assert_eq!(requests.len(), 1 + 7 + 1);
    assert!(requests.iter().all(|request| request.header("authorization") == Some("Bearer llt_secret")));
    let mut sent: Vec<String> = Vec::new();
    for request in &requests[1..8] {
        assert_eq!(request.header("content-encoding"), Some("zstd"));
        let bytes = zstd::decode_all(request.body.as_slice()).expect("zstd");
        let digest = lowerline_shared::ids::Digest(sha2::Sha256::digest(bytes).into()).to_string();
        assert_eq!(request.line, format!("PUT /api/v1/projects/p/blobs/{digest} HTTP/1.1"));
        sent.push(digest);
    }
    assert_eq!(requests[8].line, "POST /api/v1/projects/p/pushes HTTP/1.1");
    let manifest: PushRequest = serde_json::from_slice(&requests[8].body).expect("a manifest");
    let mut named: Vec<String> = manifest
        .builds
        .iter()
        .flat_map(|build| build.artifacts.iter().map(|artifact| artifact.digest.to_string()))
        .collect();
    named.sort();
    sent.sort();
    assert_eq!(named, sent);
}

#[test]
fn a_server_that_has_all_is_sent_the_manifest_only() {
    let (server, log) = listen(|n, request| match n {
        0 => Reply::Json(200, json!({ "missing": [] })),
        _ => lacks_all(request),
    });
    let run = run(&mut push_to(&server));
    succeeded(&run, &server);
    assert!(run.stderr.contains("0 blobs sent") && run.stderr.contains("7 known already"), "{}", run.stderr);
    assert_eq!(done(&log).len(), 2);
}

#[test]
fn trouble_that_passes_is_waited_out() {
    let (server, log) = listen(|n, request| match n {
        0 => Reply::Later(503),
        1 | 7 => Reply::HangUp,
        3 => Reply::Later(429),
        5 => Reply::Later(408),
        _ => lacks_all(request),
    });
    succeeded(&run(push_to(&server).args(["--jobs", "1"])), &server);
    assert_eq!(done(&log).len(), 1 + 7 + 1 + 5);
}

#[test]
fn five_retries_are_all() {
    let (server, log) = listen(|_, _| Reply::Later(503));
    let run = run(&mut push_to(&server));
    assert_eq!((run.code, run.stdout.as_str()), (3, ""));
    assert_eq!(done(&log).len(), 6);
}

#[test]
fn a_refusal_is_final_and_says_what_the_server_said() {
    let (server, log) = listen(|n, request| match n {
        0 => Reply::Json(
            409,
            json!({ "error": { "code": "different_content", "message": "another\u{1b}[31m artifact", "field": "builds[0]", "hint": "push another commit" } }),
        ),
        _ => lacks_all(request),
    });
    let run = run(&mut push_to(&server));
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("another\\u{1b}[31m artifact at builds[0] (different_content)"), "{}", run.stderr);
    assert!(run.stderr.contains("push another commit"), "{}", run.stderr);
    assert_eq!(done(&log).len(), 1);
}

#[test]
fn a_refused_build_is_named_by_its_folder() {
    let (server, _) = listen(|_, request| {
        if request.line.contains("/pushes") {
            let error = json!({ "code": "invalid_field", "message": "too long", "field": "builds[0].config.options" });
            return Reply::Json(422, json!({ "error": error }));
        }
        lacks_all(request)
    });
    let run = run(&mut push_to(&server));
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("it was found in ") && run.stderr.contains("sm_80/b2048_w4_s3"), "{}", run.stderr);
}

#[test]
fn without_a_good_token_the_error_names_the_variable_and_not_the_token() {
    let (server, log) =
        listen(|_, _| Reply::Json(401, json!({ "error": { "code": "unauthorized", "message": "no" } })));
    let run = run(&mut push_to(&server));
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("LOWERLINE_TOKEN") && !run.stderr.contains("llt_secret"), "{}", run.stderr);
    assert_eq!(done(&log).len(), 1);
}

#[test]
fn a_redirect_is_not_followed_with_a_token() {
    let (server, _) = listen(|_, _| Reply::Redirect);
    let run = run(&mut push_to(&server));
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("http://elsewhere.example/"), "{}", run.stderr);
}

#[test]
fn an_answer_of_something_else_is_an_error_not_a_success() {
    let (server, _) = listen(|_, _| Reply::Json(200, json!("hello")));
    let run = run(&mut push_to(&server));
    assert_eq!((run.code, run.stdout.as_str()), (3, ""));
}

#[test]
fn a_server_cannot_ask_for_what_was_not_offered() {
    let (server, log) = listen(|n, request| match n {
        0 => Reply::Json(200, json!({ "missing": ["ab".repeat(32)] })),
        _ => lacks_all(request),
    });
    succeeded(&run(&mut push_to(&server)), &server);
    assert!(!done(&log).iter().any(|request| request.line.starts_with("PUT ")));
}

#[test]
fn nothing_is_sent_when_a_folder_of_nothing_is_pushed() {
    let (server, log) = listen(|_, request| lacks_all(request));
    let empty = tempfile::tempdir().expect("a temporary folder");
    let mut command = lowerline();
    command.arg("push").arg(empty.path()).args(["--server", &server, "--project", "p"]).args(COMMIT);
    assert_eq!(run(&mut command).code, 4);
    assert!(done(&log).is_empty());
}

#[test]
fn a_file_the_server_warns_about_is_named() {
    let (server, _) = listen(|_, request| {
        let mut reply = lacks_all(request);
        if let Reply::Json(201, value) = &mut reply {
            value["warnings"] = json!(["the text ends inside \u{1b}[1m a function"]);
        }
        reply
    });
    let run = run(&mut push_to(&server));
    succeeded(&run, &server);
    let warned: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("warning: ")).collect();
    assert_eq!(warned.len(), 7, "{}", run.stderr);
    let ptx = warned.iter().find(|line| line.contains("softmax_kernel.ptx: ")).expect("the PTX is named");
    assert!(ptx.ends_with("the text ends inside \\u{1b}[1m a function"), "{ptx}");
}
