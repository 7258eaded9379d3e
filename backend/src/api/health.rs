//! Is the process alive, and can it work?

use std::time::Duration;

use axum::{Json, extract::State, http::StatusCode};
use serde_json::{Value, json};

use crate::{
    config,
    db::{self, migrate::Schema},
    state::AppState,
};

/// A check that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(1);

/// `GET /healthz`: touches nothing.
pub async fn live() -> &'static str {
    "ok"
}

/// `GET /readyz`: one entry per check.
pub async fn ready(State(state): State<AppState>) -> (StatusCode, Json<Value>) {
    let database = matches!(tokio::time::timeout(PATIENCE, db::ping(&state.pool)).await, Ok(Ok(())));
    let schema =
        matches!(tokio::time::timeout(PATIENCE, db::migrate::schema(&state.pool)).await, Ok(Ok(Schema::Current)));
    let blobs = state.blobs.incoming().is_ok();
    let space = state.blobs.free_bytes().is_ok_and(|free| free >= config::FREE_BYTES);
    let running = !state.is_stopping();
    let all = database && schema && blobs && space && running;
    let status = if all { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = json!({
        "ready": all,
        "checks": { "database": database, "schema": schema, "blobs": blobs, "space": space, "running": running },
    });
    (status, Json(body))
}
