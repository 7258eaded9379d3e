//! Headers, pages and raw downloads.

use axum::{
    body::Body,
    http::{Method, Request},
};

use crate::support::{
    Server,
    corpus::{digest, manifest, ptx, ptx_build, release, sha},
    with_app,
};

const HTML: &str = "<!doctype html><html><head>__HEAD__<script nonce=\"__NONCE__\" src=\"/assets/app.js\"></script>\
                    <link nonce=\"__NONCE__\"></head></html>";

async fn with_pages() -> (Server, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::with(|state| with_app(state, folder.path(), HTML)).await;
    (server, folder)
}

#[tokio::test]
async fn every_response_including_errors_has_the_headers() {
    let (server, folder) = with_pages().await;
    std::fs::write(folder.path().join("assets/app.js"), "1").unwrap();
    for (method, path) in [
        (Method::GET, "/"),
        (Method::GET, "/nothing"),
        (Method::POST, "/"),
        (Method::GET, "/assets/app.js"),
        (Method::GET, "/assets/none.js"),
        (Method::GET, "/api/v1/projects"),
        (Method::GET, "/api/v1/projects/none"),
        (Method::GET, "/api/v1/none"),
        (Method::DELETE, "/api/v1/projects"),
        (Method::POST, "/api/v1/projects/triton/pushes"),
        (Method::GET, "/healthz"),
        (Method::GET, "/readyz"),
    ] {
        let request = Request::builder().method(method.clone()).uri(path).body(Body::empty()).unwrap();
        let answer = server.send(request).await;
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), value, "{method} {path}");
        }
        assert!(answer.header("content-security-policy").starts_with("default-src 'none'"), "{path}");
        assert_eq!(answer.header("x-request-id").len(), 16, "{path}");
        assert!(answer.headers.contains_key("permissions-policy"));
    }
}

#[tokio::test]
async fn two_pages_have_two_nonces_everywhere_filled_in() {
    let (server, _folder) = with_pages().await;
    let nonce = |answer: &crate::support::Answer| {
        let csp = answer.header("content-security-policy").to_owned();
        let nonce = csp.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap().to_owned();
        assert_eq!(answer.text().matches(&format!("nonce=\"{nonce}\"")).count(), 2);
        assert!(nonce.len() >= 22);
        nonce
    };
    let (one, two) = (server.get("/").await, server.get("/").await);
    assert_ne!(nonce(&one), nonce(&two));
    assert!(!one.text().contains("__"));
    assert_eq!(one.header("cache-control"), "no-store");
}

#[tokio::test]
async fn unknown_addresses_get_the_shell_with_404() {
    let (server, _folder) = with_pages().await;
    for path in [
        "/nothing",
        "/p/none",
        "/p/none/trends?kernel=k",
        "/p/triton/commits/9.9.9",
        "/p/triton/compare/9.9.8...9.9.9",
        "/p/UPPER",
    ] {
        let answer = server.get(path).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.text().contains("<title>Not found"), "{path}");
    }
    assert_eq!(server.get("/p/triton").await.status, 200);
    assert_eq!(server.get("/local").await.status, 200);
}

#[tokio::test]
async fn a_page_is_described_by_the_numbers_of_its_view() {
    let (server, _folder) = with_pages().await;
    release("3.4.0", None, 0, &["flex_attention"]).send(&server).await;
    release("3.5.0", Some("3.4.0"), 1, &["flex_attention"]).send(&server).await;
    let path = "/p/triton/compare/3.4.0...3.5.0/flex_attention?target=sm_100a&config=128x64_w8_s2";
    let html = server.get(path).await.text();
    assert!(html.contains("<title>flex_attention on sm_100a, 3.4.0 → 3.5.0: "), "{html}");
    assert!(html.contains("0 → 20"), "{html}");
    assert!(html.contains(&format!("<link rel=\"canonical\" href=\"{}\">", path.replace('&', "&amp;"))), "{html}");
    let mixed = "/p/triton/compare/3.5.0;target=sm_100a...3.5.0;target=gfx942/flex_attention?config=128x64_w8_s2";
    let html = server.get(mixed).await.text();
    assert!(html.contains("3.5.0 on gfx942: counts side by side"), "{html}");
    let html =
        server.get("/p/triton/trends?kernel=flex_attention&target=sm_100a&measure=fragment_staging").await.text();
    assert!(html.contains("on sm_100a: 0 → 20."), "{html}");
}

#[tokio::test]
async fn foreign_names_are_text_in_the_head() {
    let (server, _folder) = with_pages().await;
    let bytes = ptx(1);
    server.put(&bytes).await;
    let name = "\"><script>alert(1)</script>__NONCE__";
    server.push(&manifest(&sha("a"), &[], 0, &[ptx_build(name, "sm_90a", &bytes)])).await;
    let query = lowerline_shared::permalink::TrendsQuery { kernel: Some(name.to_owned()), ..Default::default() };
    let answer = server.get(&format!("/p/triton/trends{}", query.query())).await;
    assert_eq!(answer.status, 200);
    let html = answer.text();
    assert_eq!(html.matches("<script").count(), 1, "{html}");
    assert!(html.contains("&lt;script&gt;alert(1)"), "{html}");
    assert!(html.contains("__NONCE__"), "foreign text is put in after the nonces");
}

#[tokio::test]
async fn raw_download_is_sandboxed_and_cached_by_digest() {
    let server = Server::start().await;
    let bytes = b"<script>alert(1)</script>";
    server.put(bytes).await;
    let path = format!("/api/v1/blobs/{}", digest(bytes));
    let answer = server.get(&path).await;
    assert_eq!(answer.body, bytes);
    assert_eq!(answer.header("content-type"), "application/octet-stream");
    assert_eq!(answer.header("content-disposition"), "attachment");
    assert!(answer.header("content-security-policy").contains("sandbox"));
    assert_eq!(answer.header("etag"), format!("\"{}\"", digest(bytes)));
    let request = Request::get(&path).header("if-none-match", answer.header("etag")).body(Body::empty()).unwrap();
    assert_eq!(server.send(request).await.status, 304);
}

#[tokio::test]
async fn assets_are_served_compressed_and_for_ever() {
    let (server, folder) = with_pages().await;
    std::fs::write(folder.path().join("assets/app.js"), "plain").unwrap();
    std::fs::write(folder.path().join("assets/app.js.br"), "brotli").unwrap();
    let request = Request::get("/assets/app.js").header("accept-encoding", "br").body(Body::empty()).unwrap();
    let answer = server.send(request).await;
    assert_eq!((answer.text().as_str(), answer.header("content-encoding")), ("brotli", "br"));
    assert!(answer.header("cache-control").contains("immutable"));
    let missing = server.get("/assets/none.js").await;
    assert_eq!(missing.status, 404);
    assert!(!missing.header("cache-control").contains("immutable"));
    assert_eq!(server.get("/assets/..%2findex.html").await.status, 404);
    for length in [250, 255, 256, 5_000] {
        server.get(&format!("/assets/{}.js", "a".repeat(length))).await.problem(404);
    }
}
