//! A server per test, a database per test, a Postgres per process.

pub mod corpus;
mod database;

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, Method, Request, StatusCode},
};
use http_body_util::BodyExt as _;
use lowerline_backend::{blobs::BlobStore, db, router::router, state::AppState, token::Secret};
use lowerline_shared::problem::{Problem, ProblemBody};
use serde::de::DeserializeOwned;
use tempfile::TempDir;
use tower::ServiceExt as _;

/// A server without a socket.
pub struct Server {
    pub router: Router,
    pub state: AppState,
    pub token: String,
    pub data: TempDir,
    pub url: String,
}

/// An answer, read to its end.
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Server {
    /// An empty server with the project `triton` and a token for it.
    pub async fn start() -> Self {
        Self::with(|_| {}).await
    }

    /// The same, with a state of its own.
    pub async fn with(change: impl FnOnce(&mut AppState)) -> Self {
        let url = database::fresh().await;
        let pool = db::pool(&url).unwrap();
        let data = tempfile::tempdir().unwrap();
        let mut state = AppState::open(pool, BlobStore::open(data.path()).unwrap()).await.unwrap();
        change(&mut state);
        let token = make_token(&state, "triton").await;
        Self { router: router(state.clone()), state, token, data, url }
    }

    pub async fn send(&self, request: Request<Body>) -> Answer {
        Self::send_to(&self.router, request).await
    }

    pub async fn send_to(router: &Router, request: Request<Body>) -> Answer {
        let response = router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(path).body(Body::empty()).unwrap()).await
    }

    /// Reads what must be there.
    pub async fn read<T: DeserializeOwned>(&self, path: &str) -> T {
        let answer = self.get(&format!("/api/v1{path}")).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text());
        answer.json()
    }

    /// Sends a text to a reading route, without a token.
    pub async fn post_text(&self, path: &str, text: &str) -> Answer {
        self.send(Request::post(format!("/api/v1{path}")).body(Body::from(text.to_owned())).unwrap()).await
    }

    /// Writes with the token.
    pub async fn write(&self, method: Method, path: &str, body: impl Into<Body>) -> Answer {
        self.send(authorized(&self.token, method, path).body(body.into()).unwrap()).await
    }

    pub async fn put(&self, bytes: &[u8]) -> Answer {
        let path = format!("/api/v1/projects/triton/blobs/{}", corpus::digest(bytes));
        self.write(Method::PUT, &path, bytes.to_vec()).await
    }

    pub async fn push(&self, manifest: &serde_json::Value) -> Answer {
        self.write(Method::POST, "/api/v1/projects/triton/pushes", manifest.to_string()).await
    }

    /// Blob files on disk, temporary ones included.
    pub fn files(&self) -> usize {
        self.state.blobs.list().unwrap().len()
    }
}

pub fn authorized(token: &str, method: Method, path: &str) -> axum::http::request::Builder {
    Request::builder().method(method).uri(path).header("authorization", format!("Bearer {token}"))
}

/// Makes the project, too.
pub async fn make_token(state: &AppState, project: &str) -> String {
    let id = db::project::insert_project(&state.pool, project, None).await.unwrap();
    let secret = Secret::generate().unwrap();
    db::token::insert_token(&state.pool, id, "test", secret.shown(), &secret.hash(), 1).await.unwrap();
    secret.reveal().to_owned()
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json<T: DeserializeOwned>(&self) -> T {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The refusal this must be.
    pub fn problem(&self, status: u16) -> ProblemBody {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        self.json::<Problem>().error
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// A state that shows pages.
pub fn with_app(state: &mut AppState, folder: &std::path::Path, html: &str) {
    use lowerline_backend::state::App;
    std::fs::create_dir_all(folder.join("assets")).unwrap();
    std::fs::write(folder.join("index.html"), html).unwrap();
    state.app = Some(Arc::new(App::open(folder).unwrap()));
}
