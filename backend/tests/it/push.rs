//! The push protocol: everything once, nothing by half.

use axum::http::Method;
use lowerline_shared::{
    api::{BlobStored, CommitRow, MissingResponse, PushResponse, TrendResponse},
    problem::Code,
};
use serde_json::json;

use crate::support::{
    Answer, Server,
    corpus::{digest, failed_build, manifest, ptx, ptx_build, release, sha},
};

#[tokio::test]
async fn only_what_is_missing_is_asked_for() {
    let server = Server::start().await;
    let (held, lacking) = (ptx(1), ptx(2));
    assert_eq!(server.put(&held).await.status, 200);
    let question = json!({ "digests": [digest(&lacking), digest(&held)] }).to_string();
    let answer = server.write(Method::POST, "/api/v1/projects/triton/blobs/missing", question).await;
    assert_eq!(answer.json::<MissingResponse>().missing, [digest(&lacking)]);
}

#[tokio::test]
async fn same_push_twice_is_one_push_with_one_answer() {
    let server = Server::start().await;
    let release = release("3.5.0", None, 0, &["softmax"]);
    release.send(&server).await;
    let first = server.push(&release.manifest).await;
    let second = server.push(&release.manifest).await;
    assert_eq!(first.text(), second.text());
    let answer: PushResponse = first.json();
    assert_eq!((answer.builds, answer.changed), (7, 7));
    assert_eq!(answer.permalink, format!("/p/triton/commits/{}", sha("3.5.0")));
    let rows: Vec<CommitRow> = server.read("/projects/triton/commits").await;
    assert_eq!(rows.len(), 1);
}

#[tokio::test]
async fn sixteen_pushes_at_once_make_one_commit() {
    let server = Server::start().await;
    let bytes = ptx(3);
    let manifest = manifest(&sha("a"), &[], 0, &[ptx_build("k", "sm_90a", &bytes)]);
    let puts = futures_util::future::join_all((0..16).map(|_| server.put(&bytes))).await;
    assert!(puts.iter().all(|answer| answer.status == 200), "{}", puts[0].text());
    assert_eq!(server.files(), 1);
    let answers = futures_util::future::join_all((0..16).map(|_| server.push(&manifest))).await;
    let texts: std::collections::BTreeSet<String> = answers.iter().map(Answer::text).collect();
    assert_eq!(texts.len(), 1, "{texts:?}");
    let rows: Vec<CommitRow> = server.read("/projects/triton/commits").await;
    assert_eq!(rows[0].targets[0].builds, 1);
}

#[tokio::test]
async fn parts_of_a_commit_come_in_several_pushes() {
    let server = Server::start().await;
    let bytes = ptx(3);
    server.put(&bytes).await;
    for target in ["sm_90a", "sm_100a"] {
        let answer = server.push(&manifest(&sha("a"), &[], 0, &[ptx_build("k", target, &bytes)])).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    let rows: Vec<CommitRow> = server.read("/projects/triton/commits").await;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].targets.len(), 2);
}

#[tokio::test]
async fn another_artifact_for_the_same_build_is_409_and_named() {
    let server = Server::start().await;
    let (one, two) = (ptx(1), ptx(2));
    server.put(&one).await;
    server.put(&two).await;
    let push = |bytes: &[u8]| {
        manifest(&sha("a"), &[], 0, &[ptx_build("other", "sm_90a", &one), ptx_build("k", "sm_90a", bytes)])
    };
    assert_eq!(server.push(&push(&one)).await.status, 200);
    let problem = server.push(&push(&two)).await.problem(409);
    assert_eq!(problem.code, Code::DifferentContent);
    assert_eq!(problem.field.as_deref(), Some("builds[1].artifacts[0].digest"));
    for part in ["k on sm_90a (c)", &digest(&one).to_string(), &digest(&two).to_string()] {
        assert!(problem.message.contains(part), "{}", problem.message);
    }
    let failed = manifest(&sha("a"), &[], 0, &[failed_build("k", "sm_90a", "no")]);
    assert_eq!(server.push(&failed).await.problem(409).field.as_deref(), Some("builds[0].status"));
}

#[tokio::test]
async fn a_failed_build_that_fails_again_in_other_words_is_no_conflict() {
    let server = Server::start().await;
    for message in ["at 0x1234", "at 0x5678"] {
        let answer = server.push(&manifest(&sha("a"), &[], 0, &[failed_build("k", "sm_90a", message)])).await;
        assert_eq!(answer.json::<PushResponse>().failed, 1);
    }
}

#[tokio::test]
async fn a_refused_manifest_leaves_nothing_behind() {
    let server = Server::start().await;
    let bytes = ptx(1);
    server.put(&bytes).await;
    let never_sent = ptx(9);
    let builds = [ptx_build("k", "sm_90a", &bytes), ptx_build("k", "sm_100a", &never_sent)];
    let problem = server.push(&manifest(&sha("a"), &[], 0, &builds)).await.problem(422);
    assert_eq!(problem.code, Code::UnknownDigest);
    assert_eq!(problem.field.as_deref(), Some("builds[1].artifacts[0].digest"));
    assert!(server.read::<Vec<CommitRow>>("/projects/triton/commits").await.is_empty());
    assert!(server.get("/api/v1/projects/triton/trends?kernel=k").await.status == 404);
}

#[tokio::test]
async fn a_tag_belongs_to_one_commit() {
    let server = Server::start().await;
    let mut first = manifest(&sha("a"), &[], 0, &[]);
    first["commit"]["tag"] = json!("3.5.0");
    assert_eq!(server.push(&first).await.status, 200);
    let mut second = manifest(&sha("b"), &[], 1, &[]);
    second["commit"]["tag"] = json!("3.5.0");
    assert_eq!(server.push(&second).await.problem(409).field.as_deref(), Some("commit.tag"));
}

#[tokio::test]
async fn compressed_and_plain_bytes_are_one_blob() {
    let server = Server::start().await;
    let bytes = ptx(5);
    let path = format!("/api/v1/projects/triton/blobs/{}", digest(&bytes));
    let request = crate::support::authorized(&server.token, Method::PUT, &path)
        .header("content-encoding", "zstd")
        .body(zstd::encode_all(&bytes[..], 3).unwrap().into())
        .unwrap();
    let compressed = server.send(request).await;
    assert_eq!(compressed.status, 200, "{}", compressed.text());
    let plain = server.put(&bytes).await;
    assert_eq!(compressed.json::<BlobStored>(), plain.json::<BlobStored>());
    assert_eq!(server.files(), 1);
}

#[tokio::test]
async fn metrics_pushed_again_win_whatever_came_between() {
    let server = Server::start().await;
    let bytes = ptx(1);
    server.put(&bytes).await;
    let push = |tflops: f64| {
        let mut build = ptx_build("k", "sm_90a", &bytes);
        build["metrics"] = json!({ "tflops": tflops });
        manifest(&sha("a"), &[], 0, &[build])
    };
    for tflops in [1.0, 2.0, 1.0] {
        assert_eq!(server.push(&push(tflops)).await.status, 200);
        let trend: TrendResponse = server.read("/projects/triton/trends?kernel=k&measure=metric:tflops").await;
        assert_eq!(trend.series[0].steps.iter().map(|step| step.value).collect::<Vec<_>>(), [Some(tflops)]);
    }
}

#[tokio::test]
async fn another_config_under_the_same_label_is_409_with_both_values() {
    let server = Server::start().await;
    let bytes = ptx(1);
    server.put(&bytes).await;
    let push = |config: serde_json::Value| {
        let mut build = ptx_build("k", "sm_90a", &bytes);
        build["config"] = config;
        manifest(&sha("a"), &[], 0, &[ptx_build("other", "sm_90a", &bytes), build])
    };
    let first = json!({ "label": "c", "options": { "num_warps": 4, "num_stages": 3 } });
    assert_eq!(server.push(&push(first.clone())).await.status, 200);
    assert_eq!(server.push(&push(first)).await.status, 200);
    for (config, field, parts) in [
        (
            json!({ "label": "c", "options": { "num_warps": 8, "num_stages": 3 } }),
            "builds[1].config.options",
            ["`num_warps` is held as 4, 8 was sent", "k on sm_90a (c)"],
        ),
        (
            json!({ "label": "c", "options": { "num_warps": 4, "num_stages": 3 }, "reconstruction": "by hand" }),
            "builds[1].config.reconstruction",
            ["nothing is held", "\"by hand\" was sent"],
        ),
        (
            json!({ "label": "c", "options": { "num_warps": 4 } }),
            "builds[1].config.options",
            ["`num_stages` is held as 3", "nothing was sent"],
        ),
    ] {
        let problem = server.push(&push(config)).await.problem(409);
        assert_eq!((problem.code, problem.field.as_deref()), (Code::DifferentContent, Some(field)));
        assert!(parts.iter().all(|part| problem.message.contains(part)), "{}", problem.message);
    }
}
