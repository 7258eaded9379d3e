//! Every route in one table, and what stands around them.

use std::time::Duration;

use axum::{
    Router,
    extract::{DefaultBodyLimit, Request},
    http::{HeaderValue, StatusCode, header},
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse as _, Response},
    routing::{get, post, put},
};
use lowerline_shared::limits;
use tower_http::{
    CompressionLevel,
    catch_panic::CatchPanicLayer,
    compression::{
        CompressionLayer,
        predicate::{DefaultPredicate, NotForContentType, Predicate as _},
    },
    csrf::CsrfLayer,
    limit::RequestBodyLimitLayer,
    services::ServeDir,
    set_header::SetResponseHeaderLayer,
    timeout::{RequestBodyDeadlineLayer, TimeoutLayer},
};

use crate::{
    api::{blobs, dossiers, health, pages, projects, pushes, reads},
    config,
    middleware::{auth, headers, problems, request_id},
    state::AppState,
};

/// Routes without a body take none that is larger.
const SMALL_BODY: usize = 64 * 1024;

/// Bytes of a file name on Linux file systems (`NAME_MAX`), less what `.br` and `.gz` add.
const NAME_BYTES: usize = 252;

/// The whole server as one service.
pub fn router(state: AppState) -> Router {
    let mut router = Router::new().nest("/api/v1", reading().merge(judging()).merge(writing(&state))).merge(probes());
    if let Some(app) = &state.app {
        router = router.nest_service("/assets", assets(&app.assets));
    }
    router
        .fallback(pages::get_page)
        .layer(CsrfLayer::new())
        .layer(CatchPanicLayer::new())
        .layer(from_fn(problems::layer))
        .layer(from_fn(headers::layer))
        .layer(from_fn(request_id::layer))
        .with_state(state)
}

fn probes() -> Router<AppState> {
    Router::new().route("/healthz", get(health::live)).route("/readyz", get(health::ready))
}

fn reading() -> Router<AppState> {
    let compressed = DefaultPredicate::new().and(NotForContentType::const_new("application/octet-stream"));
    Router::new()
        .route("/projects", get(projects::list_projects))
        .route("/projects/{project}", get(projects::get_project))
        .route("/projects/{project}/commits", get(projects::list_commits))
        .route("/projects/{project}/commits/{rev}", get(projects::get_commit))
        .route("/projects/{project}/measures", get(projects::list_measures))
        .route("/projects/{project}/trends", get(reads::get_trends))
        .route("/projects/{project}/trends/chart.svg", get(reads::get_trends_chart))
        .route("/projects/{project}/compare/{states}", get(reads::get_comparison))
        .route("/projects/{project}/kernels/{kernel}/lowering", get(reads::get_lowering))
        .route("/projects/{project}/kernels/{kernel}/space", get(reads::get_space))
        .route("/blobs/{digest}", get(blobs::get_blob))
        .route("/blobs/{digest}/report", get(blobs::get_report))
        // Numbers in JSON shrink almost as well at the fastest level, in a third of the time.
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(compressed))
        .layer(RequestBodyLimitLayer::new(SMALL_BODY))
        .layer(timeout(config::HANDLER))
}

/// Reads, with a text in the body that says what.
fn judging() -> Router<AppState> {
    Router::new()
        .route("/projects/{project}/dossier", post(dossiers::judge_dossier))
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest))
        .layer(RequestBodyLimitLayer::new(usize::try_from(limits::DOSSIER_BYTES).unwrap_or(usize::MAX)))
        .layer(RequestBodyDeadlineLayer::new(config::BODY_DEADLINE))
        .layer(timeout(config::HANDLER))
}

fn writing(state: &AppState) -> Router<AppState> {
    let limit = |bytes: u64| RequestBodyLimitLayer::new(usize::try_from(bytes).unwrap_or(usize::MAX));
    let ask = Router::new()
        .route("/projects/{project}/blobs/missing", post(blobs::list_missing))
        .layer(limit(limits::JSON_BYTES))
        .layer(timeout(config::HANDLER));
    let send = Router::new()
        .route("/projects/{project}/blobs/{digest}", put(blobs::put_blob))
        .layer(limit(limits::BLOB_BYTES))
        .layer(timeout(config::PUSH));
    let record = Router::new()
        .route("/projects/{project}/pushes", post(pushes::post_push))
        .layer(limit(limits::MANIFEST_BYTES))
        .layer(timeout(config::PUSH));
    // The token is looked at before a byte of the body is read.
    ask.merge(send)
        .merge(record)
        .layer(DefaultBodyLimit::disable())
        .layer(RequestBodyDeadlineLayer::new(config::BODY_DEADLINE))
        .route_layer(from_fn_with_state(state.clone(), auth::require_token))
}

fn timeout(after: Duration) -> TimeoutLayer {
    TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, after)
}

/// Files whose names hold a hash of their content.
fn assets(folder: &std::path::Path) -> Router {
    let immutable = HeaderValue::from_static("public, max-age=31536000, immutable");
    // A worker takes its policy from its script: it may run the module it is handed, and connect to nothing.
    let worker =
        HeaderValue::from_static("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; frame-ancestors 'none'");
    Router::new()
        .fallback_service(ServeDir::new(folder).precompressed_br().precompressed_gzip())
        .layer(SetResponseHeaderLayer::if_not_present(header::CACHE_CONTROL, immutable))
        .layer(SetResponseHeaderLayer::if_not_present(header::CONTENT_SECURITY_POLICY, worker))
        .layer(from_fn(refuse_long_names))
}

/// No file has a name longer than the file system takes; asking it would end in an error of ours.
async fn refuse_long_names(request: Request, next: Next) -> Response {
    if request.uri().path().split('/').any(|part| part.len() > NAME_BYTES) {
        return StatusCode::NOT_FOUND.into_response();
    }
    next.run(request).await
}
