//! Who may write.

use axum::{
    body::Body,
    http::{Method, Request},
};
use lowerline_backend::{db, token::Secret};
use lowerline_shared::problem::Code;

use crate::support::{
    Server, authorized,
    corpus::{digest, manifest, ptx, sha},
    make_token,
};

fn writes() -> [(Method, String, Vec<u8>); 3] {
    let bytes = ptx(1);
    [
        (Method::POST, "/api/v1/projects/triton/blobs/missing".to_owned(), br#"{"digests": []}"#.to_vec()),
        (Method::PUT, format!("/api/v1/projects/triton/blobs/{}", digest(&bytes)), bytes),
        (
            Method::POST,
            "/api/v1/projects/triton/pushes".to_owned(),
            manifest(&sha("a"), &[], 0, &[]).to_string().into_bytes(),
        ),
    ]
}

async fn expired(server: &Server) -> String {
    let secret = Secret::generate().unwrap();
    let id = db::project::find_project(&server.state.pool, "triton").await.unwrap().unwrap();
    db::token::insert_token(&server.state.pool, id, "old", secret.shown(), &secret.hash(), -1).await.unwrap();
    secret.reveal().to_owned()
}

async fn revoked(server: &Server) -> String {
    let secret = Secret::generate().unwrap();
    let id = db::project::find_project(&server.state.pool, "triton").await.unwrap().unwrap();
    db::token::insert_token(&server.state.pool, id, "gone", secret.shown(), &secret.hash(), 1).await.unwrap();
    assert_eq!(db::token::revoke_tokens(&server.state.pool, id, secret.shown()).await.unwrap(), 1);
    secret.reveal().to_owned()
}

#[tokio::test]
async fn every_write_route_refuses_no_token_other_project_expired_revoked() {
    let server = Server::start().await;
    let other = make_token(&server.state, "other").await;
    let unknown = Secret::generate().unwrap().reveal().to_owned();
    let bad = [expired(&server).await, revoked(&server).await, unknown, "llt_short".to_owned(), String::new()];
    for (method, path, body) in writes() {
        let bare = Request::builder().method(method.clone()).uri(&path).body(Body::from(body.clone())).unwrap();
        assert_eq!(server.send(bare).await.problem(401).code, Code::Unauthorized);
        for token in &bad {
            let request = authorized(token, method.clone(), &path).body(Body::from(body.clone())).unwrap();
            assert_eq!(server.send(request).await.problem(401).code, Code::Unauthorized, "{path}");
        }
        let request = authorized(&other, method.clone(), &path).body(Body::from(body.clone())).unwrap();
        assert_eq!(server.send(request).await.problem(403).code, Code::Forbidden);
        let answer = server.write(method, &path, body).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
}

#[tokio::test]
async fn cross_site_writes_are_403_and_a_command_line_client_is_not() {
    let server = Server::start().await;
    for (name, value) in [("sec-fetch-site", "cross-site"), ("origin", "https://elsewhere.example")] {
        for (method, path, body) in writes() {
            let request = authorized(&server.token, method, &path).header("host", "lowerline.example");
            let answer = server.send(request.header(name, value).body(body.into()).unwrap()).await;
            assert_eq!(answer.problem(403).code, Code::Forbidden);
        }
    }
}

#[tokio::test]
async fn head_and_options_change_nothing() {
    let server = Server::start().await;
    for (_, path, body) in writes() {
        for method in [Method::HEAD, Method::OPTIONS, Method::GET, Method::DELETE] {
            let answer = server.write(method, &path, body.clone()).await;
            assert_ne!(answer.status, 200, "{path}");
        }
    }
    assert_eq!(server.files(), 0);
}

#[tokio::test]
async fn a_token_is_kept_as_a_hash_only() {
    let server = Server::start().await;
    let id = db::project::find_project(&server.state.pool, "triton").await.unwrap().unwrap();
    let rows = db::token::list_tokens(&server.state.pool, id).await.unwrap();
    assert_eq!(rows.len(), 1);
    assert!(server.token.starts_with(&rows[0].prefix));
    assert!(rows[0].prefix.len() < 16);
    for (_, path, _) in writes() {
        let answer = server.get(&path).await;
        assert!(!answer.text().contains(&server.token[4..]));
    }
}
