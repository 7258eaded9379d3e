//! Projects, their commits and measures.

use axum::{
    Json,
    extract::{FromRequestParts, Path, Query, RawQuery, State},
    http::{Uri, request::Parts},
};
use lowerline_shared::{
    api::{CommitDetail, CommitRow, MeasureHit, ProjectDetail, ProjectSummary, TargetChange},
    ids::{Rev, shown},
    permalink::CommitQuery,
    target,
};
use serde::{Deserialize, de::DeserializeOwned};

use crate::{
    comparison::matrix,
    config, db,
    error::{AppError, Refusal, Result},
    search,
    state::AppState,
    view,
};

/// Parameters behind `?`; a value that cannot be read is refused with its name.
#[derive(Debug)]
pub struct Parameters<T>(T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Parameters<T> {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        Self::of(&parts.uri)
    }
}

impl<T: DeserializeOwned> Parameters<T> {
    fn of(uri: &Uri) -> Result<Self> {
        let read = Query::try_from_uri(uri).map(|Query(value)| Self(value));
        Ok(read.map_err(|error| {
            let text = error.body_text();
            // `serde_path_to_error` puts the field in front: `limit: invalid digit found in string`.
            let text = text.rsplit_once("query string: ").map_or(text.as_str(), |(_, text)| text);
            let (field, why) = text.split_once(": ").unwrap_or(("query", text));
            Refusal::field(shown(field), format!("the value cannot be read: {}", shown(why)))
                .hint("parameters are percent-encoded UTF-8; `before` is a hash or tag, `limit` a whole number")
        })?)
    }
}

/// `?before=&limit=&branch=`
#[derive(Debug, Deserialize)]
pub struct ListQuery {
    before: Option<Rev>,
    limit: Option<u32>,
    branch: Option<String>,
}

/// `?kernel=&q=`
#[derive(Debug, Deserialize)]
pub struct MeasureQuery {
    kernel: Option<String>,
    #[serde(default)]
    q: String,
}

/// `GET /projects`
pub async fn list_projects(State(state): State<AppState>) -> Result<Json<Vec<ProjectSummary>>> {
    let mut projects = Vec::new();
    for row in db::project::list_projects(&state.pool, None).await? {
        projects.push(view::project(&state.pool, row).await?);
    }
    Ok(Json(projects))
}

/// `GET /projects/{project}`
pub async fn get_project(State(state): State<AppState>, Path(slug): Path<String>) -> Result<Json<ProjectDetail>> {
    let project = super::project(&state, &slug).await?;
    let pool = &state.pool;
    let row = db::project::list_projects(pool, Some(project.slug.as_str())).await?.pop();
    let row = row.ok_or_else(|| Refusal::not_found(format!("project `{slug}`")))?;
    let branch = db::commit::find_main_branch(pool, project.id).await?.unwrap_or_default();
    let end = db::commit::count_line(pool, project.id, &branch).await?;
    Ok(Json(ProjectDetail {
        project: view::project(pool, row).await?,
        kernels: view::kernels(pool, project.id, &branch, end).await?,
        branches: db::commit::list_branches(pool, project.id).await?,
    }))
}

/// `GET /projects/{project}/commits`
pub async fn list_commits(
    State(state): State<AppState>,
    Path(slug): Path<String>,
    Parameters(query): Parameters<ListQuery>,
) -> Result<Json<Vec<CommitRow>>> {
    let project = super::project(&state, &slug).await?;
    let pool = &state.pool;
    let branch = match query.branch {
        Some(branch) if branch.contains('\0') => return Err(Refusal::field("branch", "holds a NUL character").into()),
        Some(branch) => branch,
        None => db::commit::find_main_branch(pool, project.id).await?.unwrap_or_default(),
    };
    let before = match &query.before {
        Some(rev) => {
            let row = db::commit::find_commit(pool, project.id, rev.as_str()).await?;
            let row = row.ok_or_else(|| Refusal::not_found(format!("commit {rev}")))?;
            if row.branch != branch {
                let message = format!("commit {rev} is on {}, the list is of {}", shown(&row.branch), shown(&branch));
                return Err(Refusal::field("before", message).hint("name that line with `branch=`").into());
            }
            row.position
        }
        None => i32::MAX,
    };
    let limit = query.limit.unwrap_or(50).clamp(1, config::COMMITS_PER_LIST);
    let rows = db::commit::list_commits(pool, project.id, &branch, before, i64::from(limit)).await?;
    let ids: Vec<i32> = rows.iter().map(|row| row.id).collect();
    let sums = db::compare::list_target_sums(pool, &ids).await?;
    let mut commits = Vec::with_capacity(rows.len());
    for (id, commit) in ids.into_iter().zip(view::commits(pool, rows).await?) {
        let mut targets = Vec::new();
        for sum in sums.iter().filter(|sum| sum.commit_id == id) {
            targets.push(TargetChange {
                target: view::parsed(&sum.target)?,
                builds: u64::try_from(sum.builds).unwrap_or(0),
                failed: u64::try_from(sum.failed).unwrap_or(0),
                changed: u64::try_from(sum.changed).unwrap_or(0),
                added: u64::try_from(sum.added).unwrap_or(0),
                moved_permille: u64::try_from(sum.moved_permille).unwrap_or(0),
            });
        }
        targets.sort_by_key(|change| target::sort_key(&change.target));
        commits.push(CommitRow { commit, targets });
    }
    Ok(Json(commits))
}

/// `GET /projects/{project}/commits/{rev}`
pub async fn get_commit(
    State(state): State<AppState>,
    Path((slug, rev)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<Json<CommitDetail>> {
    let project = super::project(&state, &slug).await?;
    let rev: Rev = rev.parse().map_err(|_| Refusal::not_found(format!("commit `{}`", shown(&rev))))?;
    let query = CommitQuery::parse_strict(query.as_deref().unwrap_or_default())?;
    Ok(Json(matrix::commit(&state, &project, rev.as_str(), &query.only).await?))
}

/// `GET /projects/{project}/measures`
pub async fn list_measures(
    State(state): State<AppState>,
    Path(slug): Path<String>,
    Parameters(query): Parameters<MeasureQuery>,
) -> Result<Json<Vec<MeasureHit>>> {
    let project = super::project(&state, &slug).await?;
    let has_nul = |text: &str| text.contains('\0');
    if has_nul(&query.q) || query.kernel.as_deref().is_some_and(has_nul) {
        return Err(Refusal::field("q", "holds a NUL character").into());
    }
    if query.q.len() > 256 {
        return Err(Refusal::field("q", "is longer than 256 bytes").into());
    }
    Ok(Json(search::measures(&state, &project, query.kernel.as_deref(), query.q.trim()).await?))
}
