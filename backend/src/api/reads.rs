//! Trends, comparisons, lowerings and config spaces.

use axum::{
    Json,
    extract::{OriginalUri, Path, RawQuery, State},
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use lowerline_shared::{
    api::{CompareResponse, LoweringResponse, SpaceResponse, TrendResponse},
    chart, limits,
    permalink::{self, CompareQuery, LoweringQuery, Page, SpaceQuery, TrendsQuery, parse_states},
};

use crate::{
    comparison,
    error::{Refusal, Result},
    kernel,
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

/// Nothing in a picture may run or load when a browser opens it by itself.
const PICTURE_CSP: HeaderValue = HeaderValue::from_static("default-src 'none'; sandbox; frame-ancestors 'none'");

/// `GET /projects/{project}/trends/chart.svg`
pub async fn get_trends_chart(
    State(state): State<AppState>,
    Path(slug): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let project = super::project(&state, &slug).await?;
    let text = query.unwrap_or_default();
    let (query, theme) = (TrendsQuery::parse_strict(&text)?, permalink::theme(&text)?);
    let answer = trend::trend(&state, &project, &query).await?;
    let page = Page::Trends(project.slug, query).path();
    let link = state.origin.as_deref().map_or_else(String::new, |origin| format!("{origin}{page}"));
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("image/svg+xml")),
        (header::CONTENT_SECURITY_POLICY, PICTURE_CSP),
        // Image proxies keep what they may: a push should show within minutes.
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=300")),
    ];
    Ok((headers, chart::svg(&answer, &link, theme)).into_response())
}

/// `GET /projects/{project}/kernels/{kernel}/lowering`
pub async fn get_lowering(
    State(state): State<AppState>,
    Path((slug, kernel)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<Json<LoweringResponse>> {
    let project = super::project(&state, &slug).await?;
    let query = LoweringQuery::parse_strict(query.as_deref().unwrap_or_default())?;
    Ok(Json(kernel::lowering::lowering(&state, &project, &kernel, &query).await?))
}

/// `GET /projects/{project}/kernels/{kernel}/space`
pub async fn get_space(
    State(state): State<AppState>,
    Path((slug, kernel)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<Json<SpaceResponse>> {
    let project = super::project(&state, &slug).await?;
    let query = SpaceQuery::parse_strict(query.as_deref().unwrap_or_default())?;
    Ok(Json(kernel::space::space(&state, &project, &kernel, &query).await?))
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
