//! Handlers: a request is read, one function is called, its answer is written.

pub mod blobs;
pub mod dossiers;
pub mod health;
pub mod pages;
pub mod projects;
pub mod pushes;
pub mod reads;

use axum::http::Uri;
use lowerline_shared::ids::{ProjectSlug, shown};

use crate::{
    db,
    error::{Refusal, Result},
    ingest::Project,
    state::AppState,
};

/// The project an address names.
pub async fn project(state: &AppState, slug: &str) -> Result<Project> {
    let not_found = || Refusal::not_found(format!("project `{}`", shown(slug)));
    // A slug outside its rule names nothing: the same answer.
    let slug: ProjectSlug = slug.parse().map_err(|_| not_found())?;
    let id = db::project::find_project(&state.pool, slug.as_str()).await?.ok_or_else(not_found)?;
    Ok(Project { id, slug })
}

/// The last segment of an address as it was sent: `lowerline_shared::permalink` decodes states itself.
pub fn last_segment(uri: &Uri) -> &str {
    uri.path().rsplit('/').next().unwrap_or_default()
}
