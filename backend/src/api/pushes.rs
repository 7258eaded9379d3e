//! Manifests in.

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::StatusCode,
};
use lowerline_shared::{
    api::{PushRequest, PushResponse},
    limits,
    problem::Code,
};
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

use super::blobs::unreadable;
use crate::{
    error::{Refusal, Result},
    ingest::{self, Project},
    state::AppState,
};

/// `POST /projects/{project}/pushes`
pub async fn post_push(
    State(state): State<AppState>,
    Extension(project): Extension<Project>,
    body: std::result::Result<Bytes, BytesRejection>,
) -> Result<Json<PushResponse>> {
    let body = body.map_err(|error| unreadable(&error, limits::MANIFEST_BYTES))?;
    let parse = move || -> Result<([u8; 32], PushRequest)> {
        let push: PushRequest = read_json(&body)?;
        ingest::check::check(&push)?;
        Ok((Sha256::digest(&body).into(), push))
    };
    let (digest, push) = tokio::task::spawn_blocking(parse).await.map_err(anyhow::Error::from)??;
    Ok(Json(ingest::record(&state, &project, digest, &push).await?))
}

/// Reads a body, and names the field that does not fit.
pub fn read_json<T: DeserializeOwned>(body: &[u8]) -> std::result::Result<T, Refusal> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.inner();
        if !inner.is_data() {
            return Refusal::new(StatusCode::BAD_REQUEST, Code::InvalidJson, inner.to_string());
        }
        let is_stage = path.rsplit('.').next() == Some("stage") && inner.to_string().starts_with("unknown variant");
        let code = if is_stage { Code::UnknownStage } else { Code::InvalidField };
        let message = inner.to_string();
        Refusal::unprocessable(code, lowerline_shared::ids::shown(&message)).at(path)
    })?;
    reader.end().map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, Code::InvalidJson, error.to_string()))?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use lowerline_shared::api::DigestsRequest;

    use super::*;

    #[test]
    fn a_refusal_names_the_field() {
        let refusal = read_json::<DigestsRequest>(br#"{"digests": ["00"]}"#).expect_err("too short");
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::InvalidField, Some("digests[0]")));
        let refusal = read_json::<DigestsRequest>(b"{").expect_err("cut");
        assert_eq!(refusal.code, Code::InvalidJson);
        let refusal = read_json::<DigestsRequest>(br#"{"digests": []} x"#).expect_err("more behind");
        assert_eq!(refusal.code, Code::InvalidJson);
        let refusal = read_json::<lowerline_shared::api::ArtifactRef>(br#"{"stage": "hlsl", "digest": "00"}"#)
            .expect_err("no such stage");
        assert_eq!(refusal.field.as_deref(), Some("stage"));
    }
}
