//! What operators do, and what they meet.

use std::{path::Path, process::Command};

use axum::{
    body::Body,
    http::{Method, Request, StatusCode},
};
use lowerline_backend::{db, router::router};
use lowerline_shared::{api::TrendResponse, problem::Code};

use crate::support::{
    Server,
    corpus::{digest, manifest, ptx, ptx_build, sha},
};

/// Runs the binary on the server's own database and data.
fn run(server: &Server, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_lowerline-server"))
        .env("DATABASE_URL", &server.url)
        .arg("--data")
        .arg(server.data.path())
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

async fn with_one_build() -> Server {
    let server = Server::start().await;
    let bytes = ptx(4);
    server.put(&bytes).await;
    server.push(&manifest(&sha("a"), &[], 0, &[ptx_build("k", "sm_90a", &bytes)])).await;
    server
}

fn make_old(path: &Path) {
    let day_before = std::time::SystemTime::now() - std::time::Duration::from_hours(48);
    std::fs::File::options().write(true).open(path).unwrap().set_modified(day_before).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn gc_keeps_everything_referenced_and_everything_young() {
    let server = with_one_build().await;
    let orphan = ptx(9);
    server.put(&orphan).await;
    for file in server.state.blobs.list().unwrap() {
        make_old(&file.path);
    }
    assert!(run(&server, &["gc", "--yes"]).contains("0 blobs"), "the orphan's row is young");
    let path = server.data.path().join("blobs/ab");
    std::fs::create_dir_all(&path).unwrap();
    let stray = path.join(format!("{}.zst", "ab".repeat(32)));
    std::fs::write(&stray, "left by a crash").unwrap();
    run(&server, &["gc", "--yes"]);
    assert!(stray.exists(), "it is young");
    make_old(&stray);
    assert!(run(&server, &["gc"]).contains("would delete"));
    assert!(stray.exists(), "nothing was asked to be deleted");
    run(&server, &["gc", "--yes"]);
    assert!(!stray.exists());
    assert_eq!(server.get(&format!("/api/v1/blobs/{}", digest(&ptx(4)))).await.status, 200);
    run(&server, &["check"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn reparse_gives_the_same_history_again() {
    let server = with_one_build().await;
    let path = "/projects/triton/trends?kernel=k&measure=instructions@ptx";
    let before: TrendResponse = server.read(path).await;
    assert_eq!(run(&server, &["reparse"]), "0 blobs analyzed, 0 lowerings count something else\n");
    assert_eq!(run(&server, &["reparse", "--all"]), "1 blobs analyzed, 0 lowerings count something else\n");
    assert_eq!(server.read::<TrendResponse>(path).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn reparse_mends_what_an_older_analyzer_counted_while_the_server_answers() {
    let path = "/projects/triton/trends?kernel=k&measure=instructions@ptx";
    let right: TrendResponse = with_one_build().await.read(path).await;
    let server = Server::start().await;
    let (bytes, other) = (ptx(4), ptx(9));
    server.put(&bytes).await;
    server.put(&other).await;
    let older = sqlx::query(
        "update report set analyzer = $1, histogram_id = other.histogram_id
         from blob b, report other join blob o on o.id = other.blob_id
         where b.id = report.blob_id and b.digest = $2 and o.digest = $3",
    )
    .bind(i32::try_from(lowerline_analyzer::VERSION - 1).unwrap())
    .bind(digest(&bytes).0)
    .bind(digest(&other).0)
    .execute(&server.state.pool)
    .await
    .unwrap();
    assert_eq!(older.rows_affected(), 1);
    server.push(&manifest(&sha("a"), &[], 0, &[ptx_build("k", "sm_90a", &bytes)])).await;
    let wrong: TrendResponse = server.read(path).await;
    assert_ne!(wrong.series, right.series, "the history is of the older analyzer");
    assert_eq!(run(&server, &["reparse"]), "1 blobs analyzed, 1 lowerings count something else\n");
    assert_eq!(server.read::<TrendResponse>(path).await.series, right.series);
    assert_eq!(run(&server, &["reparse"]), "0 blobs analyzed, 0 lowerings count something else\n");
}

#[tokio::test]
async fn a_database_that_is_away_is_503_everywhere_and_no_500() {
    let server = with_one_build().await;
    let mut state = server.state.clone();
    state.pool = db::pool("postgres://nobody@localhost/none?host=/nonexistent").unwrap();
    let router = router(state);
    for (method, path) in [
        (Method::GET, "/api/v1/projects".to_owned()),
        (Method::GET, "/api/v1/projects/triton".to_owned()),
        (Method::GET, "/api/v1/projects/triton/commits".to_owned()),
        (Method::GET, "/api/v1/projects/triton/trends?kernel=k".to_owned()),
        (Method::GET, format!("/api/v1/blobs/{}", digest(b""))),
        (Method::POST, "/api/v1/projects/triton/pushes".to_owned()),
    ] {
        let request = Request::builder().method(method).uri(&path).body(Body::empty()).unwrap();
        let answer = Server::send_to(&router, request).await;
        assert_eq!(answer.problem(503).code, Code::Unavailable, "{path}");
        assert_eq!(answer.header("retry-after"), "2");
    }
    let get = |path: &str| Request::get(path).body(Body::empty()).unwrap();
    assert_eq!(Server::send_to(&router, get("/healthz")).await.status, StatusCode::OK);
    assert_eq!(Server::send_to(&router, get("/readyz")).await.status, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn a_lost_file_is_asked_for_and_taken_again() {
    let server = with_one_build().await;
    let bytes = ptx(4);
    for file in server.state.blobs.list().unwrap() {
        std::fs::remove_file(&file.path).unwrap();
    }
    let problem = server.get(&format!("/api/v1/blobs/{}", digest(&bytes))).await.problem(410);
    assert!(problem.message.contains("is gone"), "{}", problem.message);
    let question = serde_json::json!({ "digests": [digest(&bytes)] }).to_string();
    let answer = server.write(Method::POST, "/api/v1/projects/triton/blobs/missing", question).await;
    assert!(answer.text().contains(&digest(&bytes).to_string()));
    assert_eq!(server.put(&bytes).await.status, StatusCode::OK);
    assert_eq!(server.get(&format!("/api/v1/blobs/{}", digest(&bytes))).await.body, bytes);
}

#[tokio::test(flavor = "multi_thread")]
async fn gc_spares_a_blob_that_was_said_to_be_held() {
    let server = with_one_build().await;
    let (asked, sent_again, forgotten) = (ptx(20), ptx(21), ptx(22));
    for bytes in [&asked, &sent_again, &forgotten] {
        server.put(bytes).await;
    }
    for file in server.state.blobs.list().unwrap() {
        make_old(&file.path);
    }
    let make_rows_old = "update blob set asked_at = now() - interval '48 hours'";
    sqlx::raw_sql(make_rows_old).execute(&server.state.pool).await.unwrap();
    let question = serde_json::json!({ "digests": [digest(&asked)] }).to_string();
    let answer = server.write(Method::POST, "/api/v1/projects/triton/blobs/missing", question).await;
    assert!(!answer.text().contains(&digest(&asked).to_string()), "it is held");
    assert_eq!(server.put(&sent_again).await.status, StatusCode::OK);
    assert!(run(&server, &["gc", "--yes"]).starts_with("deleted: 1 blobs"));
    for (bytes, is_kept) in [(&asked, true), (&sent_again, true), (&forgotten, false)] {
        let path = format!("/api/v1/blobs/{}", digest(bytes));
        assert_eq!(server.get(&path).await.status == StatusCode::OK, is_kept);
    }
    let builds = [ptx_build("a", "sm_90a", &asked), ptx_build("b", "sm_90a", &sent_again)];
    assert_eq!(server.push(&manifest(&sha("b"), &[], 1, &builds)).await.status, StatusCode::OK);
}
