//! Who may write: a token of the project in the address, checked before the body is read.

use axum::{
    extract::{Path, Request, State},
    http::{StatusCode, header},
    middleware::Next,
    response::Response,
};
use lowerline_shared::{ids::ProjectSlug, problem::Code};

use crate::{
    db,
    error::{AppError, Refusal, Result},
    ingest::Project,
    state::AppState,
    token::Secret,
};

/// The part of every write address that names the project.
#[derive(serde::Deserialize)]
pub struct ProjectPath {
    project: String,
}

/// Refuses a request without a good token, and hands the project to the handler.
pub async fn require_token(
    State(state): State<AppState>,
    Path(path): Path<ProjectPath>,
    mut request: Request,
    next: Next,
) -> Result<Response> {
    let secret = request
        .headers()
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "))
        .and_then(|token| Secret::parse(token.trim()));
    // The same question is asked for no token, so that both refusals take the same work.
    let hash = secret.map_or([0; 32], |secret| secret.hash());
    let Some(token_project) = db::token::find_token_project(&state.pool, &hash).await? else {
        return Err(unauthorized());
    };
    let slug: ProjectSlug = path.project.parse()?;
    let project_id = db::project::find_project(&state.pool, slug.as_str()).await?;
    if project_id != Some(token_project) {
        return Err(Refusal::new(StatusCode::FORBIDDEN, Code::Forbidden, "the token is for another project").into());
    }
    db::token::touch_token(&state.pool, &hash).await?;
    request.extensions_mut().insert(Project { id: token_project, slug });
    Ok(next.run(request).await)
}

fn unauthorized() -> AppError {
    let message = "a write needs a token of this project";
    Refusal::new(StatusCode::UNAUTHORIZED, Code::Unauthorized, message)
        .hint("send `Authorization: Bearer llt_…`; `lowerline-server token create --project …` makes one")
        .into()
}
