//! A dossier judged against what a project holds.

use axum::{
    Json,
    extract::{Path, State},
};
use lowerline_shared::dossier::Verdict;

use crate::{dossier, error::Result, state::AppState};

/// `POST /projects/{project}/dossier`: the body is TOML, nothing is kept.
pub async fn judge_dossier(
    State(state): State<AppState>,
    Path(slug): Path<String>,
    body: String,
) -> Result<Json<Verdict>> {
    let project = super::project(&state, &slug).await?;
    Ok(Json(dossier::judge(&state, &project, &body).await?))
}
