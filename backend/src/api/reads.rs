//! Trends and comparisons.

use axum::{
    Json,
    extract::{OriginalUri, Path, RawQuery, State},
};
use lowerline_shared::{
    api::{CompareResponse, TrendResponse},
    limits,
    permalink::{CompareQuery, TrendsQuery, parse_states},
};

use crate::{
    comparison,
    error::{Refusal, Result},
    state::AppState,
    trend,
};

/// `GET /projects/{project}/trends`
pub async fn get_trends(
    State(state): State<AppState>,
    Path(slug): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Json<TrendResponse>> {
    let project = super::project(&state, &slug).await?;
    let query = TrendsQuery::parse_strict(query.as_deref().unwrap_or_default())?;
    Ok(Json(trend::trend(&state, &project, &query).await?))
}

/// `GET /projects/{project}/compare/{a}...{b}`
pub async fn get_comparison(
    State(state): State<AppState>,
    Path((slug, _)): Path<(String, String)>,
    OriginalUri(uri): OriginalUri,
    RawQuery(query): RawQuery,
) -> Result<Json<CompareResponse>> {
    let project = super::project(&state, &slug).await?;
    let states = parse_states(super::last_segment(&uri)).ok_or_else(|| {
        let message = format!("2 to {} states are compared, as `a...b`", limits::STATES_PER_COMPARISON);
        Refusal::field("states", message).hint(
            "a state is a full hash or a tag, then `:config`, `;target=` and `;kernel=` where they are not the page's",
        )
    })?;
    let query = CompareQuery::parse_strict(query.as_deref().unwrap_or_default())?;
    Ok(Json(comparison::compare(&state, &project, &states, &query).await?))
}
