//! A name for every request, in its answer, in its error body and in its log line.

use std::time::Instant;

use axum::{
    extract::{MatchedPath, Request},
    http::{HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};

/// The header.
pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");

tokio::task_local! {
    static CURRENT: String;
}

/// The id of the request being answered; empty outside of one.
pub fn current() -> String {
    CURRENT.try_with(Clone::clone).unwrap_or_default()
}

/// Takes the id that a proxy gave when it is harmless, else makes one.
fn choose(request: &Request) -> String {
    let given = request.headers().get(&HEADER).and_then(|value| value.to_str().ok());
    match given {
        Some(id) if (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') => {
            id.to_owned()
        }
        _ => {
            let mut random = [0_u8; 8];
            // Without randomness the id is all zeros; a request is still better answered than refused.
            getrandom::fill(&mut random).ok();
            format!("{:016x}", u64::from_be_bytes(random))
        }
    }
}

/// Names the request and logs one line when it is answered.
pub async fn layer(request: Request, next: Next) -> Response {
    let id = choose(&request);
    let method = request.method().clone();
    // The route, not the path: names of kernels and revisions are foreign text.
    let route = request.extensions().get::<MatchedPath>().map_or("(page)", |path| path.as_str()).to_owned();
    let started = Instant::now();
    let mut response = CURRENT.scope(id.clone(), next.run(request)).await;
    let elapsed_ms = started.elapsed().as_secs_f64() * 1000.0;
    tracing::info!(request_id = id, %method, route, status = response.status().as_u16(), elapsed_ms, "answered");
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(HEADER, value);
    }
    response
}
