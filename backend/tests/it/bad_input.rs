//! What hostile or broken clients send.

use axum::{body::Body, http::Method};
use lowerline_shared::{
    api::{BlobStored, CommitRow, ProjectDetail, TrendResponse},
    limits,
    permalink::TrendsQuery,
    problem::Code,
};
use serde_json::{Value, json};

use crate::support::{
    Answer, Server, authorized,
    corpus::{digest, manifest, ptx, ptx_build, release, sha},
};

async fn put_zstd(server: &Server, compressed: Vec<u8>, of: &[u8]) -> Answer {
    let path = format!("/api/v1/projects/triton/blobs/{}", digest(of));
    let request = authorized(&server.token, Method::PUT, &path).header("content-encoding", "zstd");
    server.send(request.body(compressed.into()).unwrap()).await
}

#[tokio::test]
async fn upload_of_exactly_the_limit_is_accepted_and_one_byte_over_is_413() {
    let server = Server::start().await;
    let limit = usize::try_from(limits::BLOB_BYTES).unwrap();
    let mut bytes = vec![b'x'; limit];
    let answer = server.put(&bytes).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    bytes.push(b'x');
    assert_eq!(server.put(&bytes).await.problem(413).code, Code::TooLarge);
    assert_eq!(server.files(), 1);
}

#[tokio::test]
async fn chunked_upload_over_the_limit_is_413() {
    let server = Server::start().await;
    let chunks = (0..40).map(|_| Ok::<_, std::io::Error>(vec![b'x'; 1024 * 1024]));
    let path = format!("/api/v1/projects/triton/blobs/{}", "0".repeat(64));
    let body = Body::from_stream(futures_util::stream::iter(chunks));
    assert_eq!(server.write(Method::PUT, &path, body).await.problem(413).code, Code::TooLarge);
    assert_eq!(server.files(), 0);
}

#[tokio::test]
async fn bomb_is_refused_and_leaves_nothing_behind() {
    let server = Server::start().await;
    let bomb = zstd::encode_all(std::io::Read::take(std::io::repeat(0), 1 << 30), 3).unwrap();
    assert!(bomb.len() < 200_000);
    assert_eq!(put_zstd(&server, bomb, b"").await.problem(422).code, Code::BadCompression);
    assert_eq!(server.files(), 0);
}

#[tokio::test]
async fn bytes_that_are_no_zstd_or_end_early_are_refused() {
    let server = Server::start().await;
    let bytes = ptx(50);
    assert_eq!(put_zstd(&server, bytes.clone(), &bytes).await.problem(422).code, Code::BadCompression);
    let mut cut = zstd::encode_all(&bytes[..], 3).unwrap();
    cut.truncate(cut.len() / 2);
    assert_eq!(put_zstd(&server, cut, &bytes).await.problem(422).code, Code::BadCompression);
    assert_eq!(server.files(), 0);
}

#[tokio::test]
async fn wrong_digest_is_422_and_leaves_nothing() {
    let server = Server::start().await;
    let path = format!("/api/v1/projects/triton/blobs/{}", digest(b"something else"));
    let answer = server.write(Method::PUT, &path, ptx(1)).await;
    assert_eq!(answer.problem(422).code, Code::DigestMismatch);
    assert_eq!(server.files(), 0);
    let shout = path.to_uppercase().replace("/API/V1/PROJECTS/TRITON/BLOBS", "/api/v1/projects/triton/blobs");
    assert_eq!(server.write(Method::PUT, &shout, ptx(1)).await.problem(422).field.as_deref(), Some("digest"));
}

#[tokio::test]
async fn client_that_hangs_up_mid_body_leaves_nothing() {
    let server = Server::start().await;
    let bytes = ptx(1);
    let chunks = [Ok(bytes[..10].to_vec()), Err(std::io::Error::other("hung up"))];
    let path = format!("/api/v1/projects/triton/blobs/{}", digest(&bytes));
    let answer = server.write(Method::PUT, &path, Body::from_stream(futures_util::stream::iter(chunks))).await;
    answer.problem(400);
    assert_eq!(server.files(), 0);
}

#[tokio::test]
async fn bytes_of_no_stage_are_kept_with_a_warning() {
    let server = Server::start().await;
    for bytes in [&b"shopping list"[..], b"", b"\x7fELF and then nothing", &[0xff; 100]] {
        let stored: BlobStored = server.put(bytes).await.json();
        assert_eq!(stored.stage, None);
        assert_eq!(stored.warnings.len(), 1, "{stored:?}");
    }
}

#[tokio::test]
async fn truncated_ptx_is_kept_and_shown() {
    let server = Server::start().await;
    let whole = ptx(20);
    let cut = &whole[..whole.len() / 2];
    let stored = server.put(cut).await;
    assert_eq!(stored.status, 200, "{}", stored.text());
    let answer = server.push(&manifest(&sha("a"), &[], 0, &[ptx_build("k", "sm_90a", cut)])).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
}

#[tokio::test]
async fn a_cubin_named_ptx_is_422_and_named() {
    let server = Server::start().await;
    let release = release("3.5.0", None, 0, &["softmax"]);
    let cubin = release
        .blobs
        .values()
        .find(|bytes| {
            bytes.starts_with(b"\x7fELF\x02\x01\x01\x33")
                || bytes.starts_with(b"\x7fELF") && bytes.get(18) == Some(&190)
        })
        .unwrap();
    server.put(cubin).await;
    let problem = server.push(&manifest(&sha("a"), &[], 0, &[ptx_build("k", "sm_90a", cubin)])).await.problem(422);
    assert_eq!(problem.field.as_deref(), Some("builds[0].artifacts[0].stage"));
    assert!(problem.message.contains("cubin"), "{}", problem.message);
}

#[tokio::test]
async fn broken_manifests_are_refused_with_their_field() {
    let server = Server::start().await;
    let bytes = ptx(1);
    server.put(&bytes).await;
    let good = || manifest(&sha("a"), &[], 0, &[ptx_build("k", "sm_90a", &bytes)]);
    let change = |pointer: &str, value: Value| {
        let mut manifest = good();
        *manifest.pointer_mut(pointer).unwrap() = value;
        manifest
    };
    let resource = |value: i64| {
        let mut manifest = good();
        manifest["builds"][0]["resources"] = json!({ "registers": value });
        manifest
    };
    let mut twice = good();
    twice["builds"] = json!([ptx_build("k", "sm_90a", &bytes), ptx_build("k", "sm_90a", &bytes)]);
    let mut extra = good();
    extra["surprise"] = json!(1);
    let cases = [
        (change("/builds/0/artifacts/0/stage", json!("hlsl")), Code::UnknownStage, "builds[0].artifacts[0].stage"),
        (change("/builds/0/artifacts/0/digest", json!("00")), Code::InvalidField, "builds[0].artifacts[0].digest"),
        (change("/commit/sha", json!("HEAD")), Code::InvalidField, "commit.sha"),
        (change("/commit/subject", json!("x".repeat(5_000))), Code::InvalidField, "commit.subject"),
        (change("/commit/subject", json!("a\0b")), Code::InvalidField, "commit.subject"),
        (change("/builds/0/kernel", json!("a\u{0}b")), Code::InvalidField, "builds[0].kernel"),
        (change("/builds/0/kernel", json!("")), Code::InvalidField, "builds[0].kernel"),
        (change("/builds/0/target", json!("SM 90")), Code::InvalidField, "builds[0].target"),
        (change("/builds/0/status", json!("error")), Code::InvalidField, "builds[0].message"),
        (
            change("/builds/0/config", json!({"label": "c", "options": {"a": "\u{0}"}})),
            Code::InvalidField,
            "builds[0].config.options",
        ),
        (change("/commit/parents", json!([sha("a")])), Code::InvalidField, "commit.parents"),
        (change("/builds/0/kernel", json!("..")), Code::InvalidField, "builds[0].kernel"),
        (change("/commit/committed_at", json!(-1)), Code::InvalidField, "commit.committed_at"),
        (change("/commit/committed_at", json!(i64::MAX)), Code::InvalidField, "commit.committed_at"),
        (resource(-1), Code::InvalidField, "builds[0].resources.registers"),
        (resource(i64::MAX), Code::InvalidField, "builds[0].resources.registers"),
        (twice, Code::InvalidField, "builds[1]"),
    ];
    for (manifest, code, field) in cases {
        let problem = server.push(&manifest).await.problem(422);
        assert_eq!((problem.code, problem.field.as_deref()), (code, Some(field)), "{}", problem.message);
    }
    assert_eq!(server.push(&extra).await.problem(422).code, Code::InvalidField);
    for text in ["", "{", "null x", "{\"commit\": \"\\ud800\"}"] {
        let answer = server.write(Method::POST, "/api/v1/projects/triton/pushes", text).await;
        assert!(answer.status.is_client_error(), "{text}: {}", answer.text());
    }
    assert!(server.read::<Vec<CommitRow>>("/projects/triton/commits").await.is_empty());
}

#[tokio::test]
async fn hostile_and_long_kernel_names_are_found_again() {
    let server = Server::start().await;
    let bytes = ptx(1);
    server.put(&bytes).await;
    let names = [
        "\"><script>alert(1)</script>".to_owned(),
        "é".repeat(5_000),
        "a/../b?c#d%2f".to_owned(),
        "' or 1=1 --".to_owned(),
    ];
    let builds: Vec<Value> = names.iter().map(|name| ptx_build(name, "sm_90a", &bytes)).collect();
    let answer = server.push(&manifest(&sha("a"), &[], 0, &builds)).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let detail: ProjectDetail = server.read("/projects/triton").await;
    assert_eq!(detail.kernels.len(), names.len());
    for kernel in detail.kernels {
        assert!(kernel.key.len() <= 200);
        let query = TrendsQuery { kernel: Some(kernel.key), ..TrendsQuery::default() };
        let trend: TrendResponse = server.read(&format!("/projects/triton/trends{}", query.query())).await;
        assert!(names.contains(&trend.kernel.name.as_str().to_owned()));
    }
}

#[tokio::test]
async fn a_kernel_name_over_the_limit_is_refused() {
    let server = Server::start().await;
    let build = ptx_build(&"k".repeat(limits::KERNEL_NAME_BYTES + 1), "sm_90a", &ptx(1));
    let problem = server.push(&manifest(&sha("a"), &[], 0, &[build])).await.problem(422);
    assert_eq!(problem.field.as_deref(), Some("builds[0].kernel"));
}

#[tokio::test]
async fn sql_meta_characters_in_every_parameter_never_give_500() {
    let server = Server::start().await;
    let bytes = ptx(1);
    server.put(&bytes).await;
    server.push(&manifest(&sha("a"), &[], 0, &[ptx_build("k", "sm_90a", &bytes)])).await;
    for text in ["%27", "%22%3B--", "%25", "_", "%5C", "%00", "%ff", "..%2f..%2fetc", "%E2%80%AE", "\u{2b}", "x...y"] {
        for path in [
            format!("/api/v1/projects/{text}"),
            format!("/api/v1/projects/triton/commits/{text}"),
            format!("/api/v1/projects/triton/commits?before={text}&branch={text}&limit={text}"),
            format!("/api/v1/projects/triton/measures?q={text}&kernel={text}"),
            format!(
                "/api/v1/projects/triton/trends?kernel={text}&config={text}&target={text}&measure={text},sass:{text}"
            ),
            format!("/api/v1/projects/triton/trends?kernel=k&measure=ptx:{text},metric:{text}&config={text}"),
            format!("/api/v1/projects/triton/compare/{text}...{}?kernel={text}&target={text}&config={text}", sha("a")),
            format!("/api/v1/projects/triton/compare/{}:{text}...{}?kernel=k", sha("a"), sha("a")),
            format!("/api/v1/blobs/{text}"),
            format!("/api/v1/blobs/{text}/report"),
        ] {
            let answer = server.get(&path).await;
            assert!(!answer.status.is_server_error(), "{path}: {} {}", answer.status, answer.text());
        }
    }
}

#[tokio::test]
async fn query_values_that_mean_nothing_are_422_with_their_field() {
    let server = Server::start().await;
    let bytes = ptx(1);
    server.put(&bytes).await;
    let mut other_line = manifest(&sha("b"), &[], 1, &[ptx_build("k", "sm_90a", &bytes)]);
    other_line["commit"]["branch"] = json!("release");
    for push in [&manifest(&sha("a"), &[], 0, &[ptx_build("k", "sm_90a", &bytes)]), &other_line] {
        assert_eq!(server.push(push).await.status, 200);
    }
    let (a, b) = (sha("a"), sha("b"));
    for (path, field) in [
        ("commits?limit=many".to_owned(), "limit"),
        ("commits?before=..".to_owned(), "before"),
        (format!("commits?before={b}"), "before"),
        ("trends?kernel=k&measure=no_such".to_owned(), "measure"),
        ("trends?kernel=k&measure=instructions,sass:".to_owned(), "measure"),
        ("trends?kernel=k&target=SM%2090".to_owned(), "target"),
        ("trends?kernel=k&scope=everywhere".to_owned(), "scope"),
        ("trends".to_owned(), "kernel"),
        (format!("compare/{a}...{b}?scope=everywhere"), "scope"),
        (format!("compare/{a}...{b}?target=SM%2090"), "target"),
        (format!("compare/{a}?kernel=k"), "states"),
    ] {
        let problem = server.get(&format!("/api/v1/projects/triton/{path}")).await.problem(422);
        assert_eq!((problem.code, problem.field.as_deref()), (Code::InvalidField, Some(field)), "{path}");
        assert!(problem.hint.is_some(), "{path}: {}", problem.message);
    }
    let unknown = server.get(&format!("/api/v1/projects/triton/compare/{a}...9.9.9")).await.problem(404);
    assert!(unknown.message.contains("9.9.9"), "{}", unknown.message);
    let rows: Vec<CommitRow> = server.read(&format!("/projects/triton/commits?before={b}&branch=release")).await;
    assert!(rows.is_empty(), "nothing is before the first commit of its line");
}
