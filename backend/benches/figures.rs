//! The server's figures, each printed on one line: `cargo bench -p lowerline-backend`.
//!
//! Synthetic histories of real shapes (small PTX texts as contents) on a private Postgres of its own, through the whole
//! router but without a socket. `FIGURES_COMMITS` shortens the history.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read as _,
    path::Path,
    time::{Duration, Instant},
};

use axum::{
    Router,
    body::Body,
    http::{Method, Request, StatusCode},
};
use http_body_util::BodyExt as _;
use lowerline_backend::{blobs::BlobStore, db, router::router, state::AppState, token::Secret};
use lowerline_postgres::{Binaries, Cluster};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tower::ServiceExt as _;

const TARGETS: [&str; 7] = ["sm_80", "sm_90a", "sm_100a", "sm_120a", "gfx90a", "gfx942", "gfx950"];
/// Builds of the largest replay that was published (triton pull request 11161).
const REPLAY: usize = 31_693;
/// Distinct contents of that replay here.
const CONTENTS: usize = 300;

struct Server {
    router: Router,
    pool: db::Pool,
    token: String,
}

impl Server {
    async fn send(&self, method: Method, path: &str, body: Vec<u8>) -> (usize, Vec<u8>) {
        let request = Request::builder()
            .method(method)
            .uri(format!("/api/v1{path}"))
            .header("authorization", format!("Bearer {}", self.token))
            .header("accept-encoding", "gzip");
        let response = self.router.clone().oneshot(request.body(Body::from(body)).expect("a request")).await;
        let response = response.expect("infallible");
        let status = response.status();
        let bytes = response.into_body().collect().await.expect("a body").to_bytes().to_vec();
        assert_eq!(status, StatusCode::OK, "{path}: {}", String::from_utf8_lossy(&bytes));
        (bytes.len(), bytes)
    }

    async fn push(&self, manifest: &Value) -> Duration {
        let body = manifest.to_string().into_bytes();
        let started = Instant::now();
        self.send(Method::POST, "/projects/p/pushes", body).await;
        started.elapsed()
    }

    /// 50 reads: 95th percentile, and bytes on the wire.
    async fn p95(&self, path: &str) -> (Duration, usize) {
        let mut times = Vec::new();
        let mut size = 0;
        for _ in 0..50 {
            let started = Instant::now();
            (size, _) = self.send(Method::GET, path, Vec::new()).await;
            times.push(started.elapsed());
        }
        times.sort();
        (times[47], size)
    }
}

fn digest(bytes: &[u8]) -> String {
    lowerline_shared::ids::Digest(Sha256::digest(bytes).into()).to_string()
}

fn sha(n: usize) -> String {
    digest(&n.to_le_bytes())[..40].to_owned()
}

/// A text of eight families whose counts follow `n`.
fn ptx(n: usize) -> Vec<u8> {
    let lines = [
        "add.s32 %r1, %r1, 1;",
        "ld.global.b32 %r1, [%rd1];",
        "st.global.b32 [%rd1], %r1;",
        "bar.sync 0;",
        "mul.f32 %f1, %f1, %f1;",
        "ld.shared.b32 %r1, [%r2];",
        "st.shared.b32 [%r2], %r1;",
        "cvt.rn.f16.f32 %h1, %f1;",
    ];
    let body: String =
        lines.iter().enumerate().map(|(k, line)| format!("    {line}\n").repeat(1 + (n >> k) % 7)).collect();
    format!(".version 8.7\n.target sm_90a\n.address_size 64\n\n.visible .entry k{n}()\n{{\n{body}    ret;\n}}\n")
        .into_bytes()
}

fn build(kernel: usize, target: &str, content: &str) -> Value {
    json!({
        "kernel": format!("kernel_{kernel}"), "target": target, "config": { "label": "128x64_w8_s2" }, "status": "ok",
        "artifacts": [{ "stage": "ptx", "digest": content }],
    })
}

fn manifest(n: usize, first: usize, builds: &[Value]) -> Value {
    let parents: Vec<String> = if n > first { vec![sha(n - 1)] } else { Vec::new() };
    json!({
        "commit": { "sha": sha(n), "parents": parents, "committed_at": n, "subject": format!("Change {n}"),
                    "branch": "main" },
        "toolchain": { "triton": "3.5.0" },
        "builds": builds,
    })
}

async fn start(cluster: &Cluster, name: &str, data: &Path) -> Server {
    let admin = db::pool(&cluster.url("postgres")).expect("an address");
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!("create database {name}"))).execute(&admin).await.expect("a database");
    let pool = db::pool(&cluster.url(name)).expect("an address");
    db::migrate::up(&pool).await.expect("migrated");
    let blobs = BlobStore::open(&data.join(name)).expect("a folder");
    let state = AppState::open(pool.clone(), blobs).await.expect("a server");
    let project = db::project::insert_project(&pool, "p", None).await.expect("a project");
    let secret = Secret::generate().expect("randomness");
    db::token::insert_token(&pool, project, "", secret.shown(), &secret.hash(), 1).await.expect("a token");
    Server { router: router(state), pool, token: secret.reveal().to_owned() }
}

async fn contents(server: &Server, count: usize) -> Vec<String> {
    let mut digests = Vec::new();
    for n in 0..count {
        let bytes = ptx(n);
        let digest = digest(&bytes);
        server.send(Method::PUT, &format!("/projects/p/blobs/{digest}"), bytes).await;
        digests.push(digest);
    }
    digests
}

/// 10,000 commits × 4 kernels × 7 targets, of which 2 % change at a commit.
async fn trends(server: &Server) {
    let commits: usize = std::env::var("FIGURES_COMMITS").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let digests = contents(server, 64).await;
    let started = Instant::now();
    for n in 0..commits {
        let builds: Vec<Value> = (0..4 * TARGETS.len())
            .map(|k| build(k / 7, TARGETS[k % 7], &digests[(n + k * 7) / 50 % digests.len()]))
            .collect();
        server.push(&manifest(n, 0, &builds)).await;
    }
    println!("history of {commits} commits x 28 builds: pushed in {:.1} s", started.elapsed().as_secs_f64());
    let families = "int_alu@ptx,global_load@ptx,global_store@ptx,barrier@ptx,fp32@ptx,shared_load@ptx,shared_store@ptx,conversion@ptx";
    let (p95, bytes) = server.p95(&format!("/projects/p/trends?kernel=kernel_0&measure={families}")).await;
    println!("trend, {commits} commits x 7 targets x 8 families: p95 {:.1} ms, {bytes} bytes on the wire", ms(p95));
    let (p95, _) = server.p95("/projects/p/trends?kernel=kernel_0&measure=ptx:add.b32,ptx:ld,ptx:bar.sync").await;
    println!("trend, {commits} commits x 7 targets x 3 opcode prefixes: p95 {:.1} ms", ms(p95));
}

async fn replay(server: &Server) {
    let digests = contents(server, CONTENTS).await;
    let builds = |shift: usize| -> Vec<Value> {
        (0..REPLAY)
            .map(|k| build(k / 7, TARGETS[k % 7], &digests[(k + if k % 25 == 0 { shift } else { 0 }) % CONTENTS]))
            .collect()
    };
    let first = server.push(&manifest(0, 0, &builds(0))).await;
    println!("push of {REPLAY} new builds: {:.1} s", first.as_secs_f64());
    let before = relation_bytes(server).await;
    let unchanged = server.push(&manifest(1, 0, &builds(0))).await;
    let after = relation_bytes(server).await;
    println!("push of {REPLAY} unchanged builds: {:.1} s", unchanged.as_secs_f64());
    println!(
        "bytes a build: {:.1} of table, {:.1} of index",
        (after.0 - before.0) as f64 / REPLAY as f64,
        (after.1 - before.1) as f64 / REPLAY as f64
    );
    let changed = server.push(&manifest(2, 0, &builds(1))).await;
    println!("push of {REPLAY} builds, 4 % changed: {:.1} s", changed.as_secs_f64());
}

async fn relation_bytes(server: &Server) -> (i64, i64) {
    sqlx::query_as("select pg_relation_size('build'), pg_indexes_size('build')")
        .fetch_one(&server.pool)
        .await
        .expect("sizes")
}

/// Two pairs of commits with 1,400 builds each: 4 % and all of them changed.
async fn comparisons(server: &Server) {
    let digests = contents(server, CONTENTS).await;
    let builds = |every: usize, shift: usize| -> Vec<Value> {
        (0..1400)
            .map(|k| build(k / 7, TARGETS[k % 7], &digests[(k + if k % every == 0 { shift } else { 0 }) % CONTENTS]))
            .collect()
    };
    for (n, builds) in [builds(1, 0), builds(25, 1), builds(1, 7)].iter().enumerate() {
        server.push(&manifest(n, 0, builds)).await;
    }
    for (what, a, b) in [("4 % changed", 0, 1), ("all changed", 1, 2)] {
        let (p95, bytes) = server.p95(&format!("/projects/p/compare/{}...{}", sha(a), sha(b))).await;
        println!("comparison of 1,400 builds, {what}: p95 {:.1} ms, {bytes} bytes on the wire", ms(p95));
    }
    let (p95, _) = server.p95(&format!("/projects/p/commits/{}", sha(1))).await;
    println!("page of a commit with 1,400 builds: p95 {:.1} ms", ms(p95));
}

/// Artifacts of an archive of the demo by folder: stage and bytes.
fn folders(archive: &str) -> BTreeMap<String, Vec<(String, Vec<u8>)>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../demo/data/{archive}.tar.zst"));
    let file = std::fs::File::open(path).expect("the archive is in the repository");
    let mut archive = tar::Archive::new(zstd::Decoder::new(file).expect("zstd"));
    let mut folders: BTreeMap<String, Vec<(String, Vec<u8>)>> = BTreeMap::new();
    for entry in archive.entries().expect("entries") {
        let mut entry = entry.expect("an entry");
        let path = entry.path().expect("a path").to_string_lossy().into_owned();
        let Some((folder, name)) = path.rsplit_once('/') else { continue };
        let stage = name.split_once('.').map_or("", |(_, stage)| stage);
        if ["ttir", "ttgir", "ptx", "cubin", "amdgcn", "hsaco"].contains(&stage) {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("bytes");
            folders.entry(folder.to_owned()).or_default().push((stage.to_owned(), bytes));
        }
    }
    folders
}

/// 500 configs on one target, the first of them on seven, with real artifacts.
async fn kernels(server: &Server) {
    let mut sent = BTreeSet::new();
    let mut builds = Vec::new();
    let space: Vec<_> = folders("matmul-h200").into_values().collect();
    for n in 0..500 {
        let artifacts = artifacts(server, &space[n % space.len()], &mut sent).await;
        builds.push(kernel_build(n, "sm_90a", artifacts));
    }
    for (folder, files) in folders("3.7.1") {
        let Some(rest) = folder.strip_prefix("3.7.1/matmul_census/") else { continue };
        let Some(target) = rest.strip_suffix("/128x128x64_w8_s3").filter(|target| *target != "sm_90a") else {
            continue;
        };
        let artifacts = artifacts(server, &files, &mut sent).await;
        builds.push(kernel_build(0, target, artifacts));
    }
    server.push(&manifest(0, 0, &builds)).await;
    let (p95, bytes) = server.p95("/projects/p/kernels/k/lowering").await;
    println!("lowering of one config on 7 targets, 500 configs: p95 {:.1} ms, {bytes} bytes on the wire", ms(p95));
    let (p95, bytes) = server.p95("/projects/p/kernels/k/space?target=sm_90a").await;
    println!("space of 500 configs: p95 {:.1} ms, {bytes} bytes on the wire", ms(p95));
}

async fn artifacts(server: &Server, files: &[(String, Vec<u8>)], sent: &mut BTreeSet<String>) -> Vec<Value> {
    let mut out = Vec::new();
    for (stage, bytes) in files {
        let digest = digest(bytes);
        if sent.insert(digest.clone()) {
            server.send(Method::PUT, &format!("/projects/p/blobs/{digest}"), bytes.clone()).await;
        }
        out.push(json!({ "stage": stage, "digest": digest }));
    }
    out
}

fn kernel_build(n: usize, target: &str, artifacts: Vec<Value>) -> Value {
    json!({
        "kernel": "k", "target": target, "status": "ok", "artifacts": artifacts,
        "config": { "label": format!("c{n}"), "options": { "num_warps": 8, "num_stages": n % 5 },
                    "constexprs": { "BLOCK_M": n % 7, "BLOCK_N": n % 11, "BLOCK_K": n % 13 } },
        "resources": { "warps": 8, "stages": n % 5, "shared_bytes": 32_768 + n },
        "metrics": { "tflops": n, "compile_seconds": 1.5 },
    })
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn main() {
    let wanted: BTreeSet<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let data = tempfile::tempdir().expect("a folder");
    let cluster = Cluster::start(data.path(), &Binaries::locate().expect("Postgres")).expect("a cluster");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let is_wanted = |name: &str| wanted.is_empty() || wanted.contains(name);
        if is_wanted("comparisons") {
            comparisons(&start(&cluster, "comparisons", data.path()).await).await;
        }
        if is_wanted("kernels") {
            kernels(&start(&cluster, "kernels", data.path()).await).await;
        }
        if is_wanted("replay") {
            replay(&start(&cluster, "replay", data.path()).await).await;
        }
        if is_wanted("trends") {
            trends(&start(&cluster, "trends", data.path()).await).await;
        }
    });
}
