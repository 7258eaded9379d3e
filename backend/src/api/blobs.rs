//! Bytes in and out.

use std::io::Write as _;

use axum::{
    Extension, Json,
    body::{Body, Bytes},
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use futures_util::StreamExt as _;
use lowerline_shared::{
    api::{BlobStored, DigestsRequest, MissingResponse},
    ids::Digest,
    limits,
    problem::Code,
};

use super::pushes::read_json;
use crate::{
    config, db,
    error::{AppError, Refusal, Result},
    ingest::Project,
    intake::{self, Encoding},
    state::AppState,
};

/// Nothing in a blob may run when a browser opens it.
const RAW_CSP: HeaderValue = HeaderValue::from_static("default-src 'none'; sandbox; frame-ancestors 'none'");
/// A blob never changes under its name.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

fn digest(text: &str) -> Result<Digest> {
    text.parse().map_err(|_| Refusal::field("digest", "must be 64 lower-case hex digits").into())
}

/// `POST /projects/{project}/blobs/missing`
pub async fn list_missing(
    State(state): State<AppState>,
    body: std::result::Result<Bytes, axum::extract::rejection::BytesRejection>,
) -> Result<Json<MissingResponse>> {
    let request: DigestsRequest = read_json(&body.map_err(|error| unreadable(&error, limits::JSON_BYTES))?)?;
    if request.digests.len() > limits::DIGESTS_PER_QUESTION {
        let message = format!("more than {} digests in one question", limits::DIGESTS_PER_QUESTION);
        return Err(Refusal::field("digests", message).hint("ask in several questions").into());
    }
    let column: Vec<Vec<u8>> = request.digests.iter().map(|digest| digest.0.to_vec()).collect();
    // Before the question, so that no `gc` comes between it and the answer.
    db::blob::renew_blobs(&state.pool, &column).await?;
    let known = db::blob::list_known_digests(&state.pool, &column).await?;
    let known: std::collections::HashSet<Vec<u8>> = known.into_iter().collect();
    let blobs = state.blobs.clone();
    // A row whose file was lost is asked for again: that repairs what `check` finds.
    let is_held = move |digest: &Digest| known.contains(&digest.0[..]) && blobs.contains(*digest);
    let find = move || request.digests.into_iter().filter(|digest| !is_held(digest)).collect();
    let missing = tokio::task::spawn_blocking(find).await.map_err(anyhow::Error::from)?;
    Ok(Json(MissingResponse { missing }))
}

/// `PUT /projects/{project}/blobs/{digest}`
pub async fn put_blob(
    State(state): State<AppState>,
    Extension(_): Extension<Project>,
    Path((_, digest_text)): Path<(String, String)>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<BlobStored>> {
    let digest = digest(&digest_text)?;
    let encoding = match headers.get(header::CONTENT_ENCODING).map(HeaderValue::as_bytes) {
        None | Some(b"" | b"identity") => Encoding::Identity,
        Some(b"zstd") => Encoding::Zstd,
        Some(_) => {
            let message = "the body may be sent as it is or as zstd";
            return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, Code::BadCompression, message).into());
        }
    };
    db::blob::renew_blobs(&state.pool, &[digest.0.to_vec()]).await?;
    if let Some(blob) = db::blob::find_blob(&state.pool, &digest.0).await?
        && state.blobs.contains(digest)
    {
        let stage = blob.stage.as_deref().and_then(lowerline_shared::stage::Stage::from_id);
        let size_bytes = u64::try_from(blob.size_bytes).unwrap_or(0);
        return Ok(Json(BlobStored { digest, size_bytes, stage, warnings: blob.warnings }));
    }
    if state.blobs.free_bytes()? < config::FREE_BYTES {
        let message = "the server's disk is nearly full";
        return Err(Refusal::new(StatusCode::INSUFFICIENT_STORAGE, Code::Unavailable, message).into());
    }
    let mut sent = state.blobs.incoming()?;
    let mut count = 0;
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| unreadable(&error, limits::BLOB_BYTES))?;
        count += chunk.len() as u64;
        if count > limits::BLOB_BYTES {
            return Err(Refusal::too_large(limits::BLOB_BYTES).into());
        }
        // Into the page cache, a few kilobytes at a time: shorter than a hop to another thread.
        sent.write_all(&chunk)?;
    }
    Ok(Json(intake::store(&state, digest, sent, encoding).await?))
}

/// A body that ended early, came too slowly or was too large.
pub fn unreadable(error: &(dyn std::error::Error + 'static), limit: u64) -> AppError {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.is::<http_body_util::LengthLimitError>() {
            return Refusal::too_large(limit).into();
        }
        if error.is::<tower_http::timeout::TimeoutError>() {
            let message = "the body took too long to arrive";
            return Refusal::new(StatusCode::REQUEST_TIMEOUT, Code::Timeout, message).into();
        }
        cause = error.source();
    }
    Refusal::new(StatusCode::BAD_REQUEST, Code::InvalidField, "the body ended early").into()
}

/// `GET /blobs/{digest}`
pub async fn get_blob(
    State(state): State<AppState>,
    Path(digest_text): Path<String>,
    headers: HeaderMap,
) -> Result<Response> {
    let digest = digest(&digest_text)?;
    let blob = db::blob::find_blob(&state.pool, &digest.0).await?;
    let blob = blob.ok_or_else(|| {
        Refusal::not_found(format!("blob {digest}")).hint("`gc` deletes what no build points at; push its files again")
    })?;
    if !state.blobs.contains(digest) {
        let message = format!("the file of blob {digest} is gone from the server's disk");
        return Err(Refusal::new(StatusCode::GONE, Code::NotFound, message)
            .hint("push the same files again: the server asks for what it lost")
            .into());
    }
    let etag = HeaderValue::from_str(&format!("\"{digest}\"")).map_err(anyhow::Error::from)?;
    let mut response = if headers.get(header::IF_NONE_MATCH) == Some(&etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let (blobs, size) = (state.blobs.clone(), u64::try_from(blob.size_bytes).unwrap_or(0));
        let bytes =
            tokio::task::spawn_blocking(move || blobs.read(digest, size)).await.map_err(anyhow::Error::from)??;
        Body::from(bytes).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    headers.insert(header::CONTENT_SECURITY_POLICY, RAW_CSP);
    headers.insert(header::CACHE_CONTROL, IMMUTABLE);
    headers.insert(header::ETAG, etag);
    Ok(response)
}

/// `GET /blobs/{digest}/report`
pub async fn get_report(State(state): State<AppState>, Path(digest_text): Path<String>) -> Result<Response> {
    let digest = digest(&digest_text)?;
    let body = db::blob::find_report_body(&state.pool, &digest.0).await?;
    let body = body.ok_or_else(|| Refusal::not_found(format!("report of blob {digest}")))?;
    let json =
        tokio::task::spawn_blocking(move || zstd::decode_all(&body[..])).await.map_err(anyhow::Error::from)??;
    Ok(([(header::CONTENT_TYPE, "application/json")], json).into_response())
}
