//! Addresses of the read API, as the browser and the command line ask it.

use crate::{
    chart::Theme,
    ids::{Digest, ProjectSlug, Rev},
    permalink::{CommitQuery, CompareQuery, LoweringQuery, SpaceQuery, StateRef, TrendsQuery, encode, format_states},
};

/// The prefix of every route.
pub const PREFIX: &str = "/api/v1";

/// `GET` → all projects.
pub fn projects() -> String {
    format!("{PREFIX}/projects")
}

/// `GET` → one project.
pub fn project(project: &ProjectSlug) -> String {
    format!("{PREFIX}/projects/{project}")
}

/// `GET` → commits, newest first; `before` is the oldest one already held.
pub fn commits(project: &ProjectSlug, before: Option<&Rev>, limit: u32) -> String {
    let before = before.map(|rev| format!("before={rev}&")).unwrap_or_default();
    format!("{PREFIX}/projects/{project}/commits?{before}limit={limit}")
}

/// `GET` → one commit with every build.
pub fn commit(project: &ProjectSlug, rev: &Rev, query: &CommitQuery) -> String {
    format!("{PREFIX}/projects/{project}/commits/{rev}{}", query.query())
}

/// `GET` → measures whose name holds `text`.
pub fn measures(project: &ProjectSlug, kernel: Option<&str>, text: &str) -> String {
    let kernel = kernel.map(|kernel| format!("kernel={}&", encode(kernel))).unwrap_or_default();
    format!("{PREFIX}/projects/{project}/measures?{kernel}q={}", encode(text))
}

/// `GET` → lines over commits. The selected commit is the page's own business and is left out, so that a selection
/// does not ask again.
pub fn trends(project: &ProjectSlug, query: &TrendsQuery) -> String {
    let query = TrendsQuery { at: None, ..query.clone() };
    format!("{PREFIX}/projects/{project}/trends{}", query.query())
}

/// `GET` → the same as a picture (SVG) in colours for a light or a dark page.
pub fn trends_chart(project: &ProjectSlug, query: &TrendsQuery, theme: Theme) -> String {
    let query = TrendsQuery { at: None, ..query.clone() }.query();
    let theme = match theme {
        Theme::Light => String::new(),
        Theme::Dark => format!("{}theme={}", if query.is_empty() { '?' } else { '&' }, theme.id()),
    };
    format!("{PREFIX}/projects/{project}/trends/chart.svg{query}{theme}")
}

/// `GET` → one kernel on every target. The target whose decisions the page unfolds is left out: the answer has all of them.
pub fn lowering(project: &ProjectSlug, kernel: &str, query: &LoweringQuery) -> String {
    let query = LoweringQuery { target: None, ..query.clone() };
    format!("{PREFIX}/projects/{project}/kernels/{}/lowering{}", encode(kernel), query.query())
}

/// `GET` → all configs of a kernel on one target. How they are drawn, sorted and narrowed is left out: the page offers what all have.
pub fn space(project: &ProjectSlug, kernel: &str, query: &SpaceQuery) -> String {
    let query = SpaceQuery { at: query.at.clone(), target: query.target.clone(), ..SpaceQuery::default() };
    format!("{PREFIX}/projects/{project}/kernels/{}/space{}", encode(kernel), query.query())
}

/// `POST` of a dossier (TOML) → how its assertions stand.
pub fn dossier(project: &ProjectSlug) -> String {
    format!("{PREFIX}/projects/{project}/dossier")
}

/// `GET` → the bytes of a blob.
pub fn blob(digest: &Digest) -> String {
    format!("{PREFIX}/blobs/{digest}")
}

/// `GET` → what the analyzer found in a blob.
pub fn report(digest: &Digest) -> String {
    format!("{PREFIX}/blobs/{digest}/report")
}

/// `POST` → which of some digests the server lacks.
pub fn missing_blobs(project: &ProjectSlug) -> String {
    format!("{PREFIX}/projects/{project}/blobs/missing")
}

/// `PUT` of the bytes of a blob.
pub fn project_blob(project: &ProjectSlug, digest: &Digest) -> String {
    format!("{PREFIX}/projects/{project}/blobs/{digest}")
}

/// `POST` of a commit's builds.
pub fn pushes(project: &ProjectSlug) -> String {
    format!("{PREFIX}/projects/{project}/pushes")
}

/// `GET` → states side by side. What the page alone needs (`open`, `view`, `stage`, `panes`, `line`, `find`, `sort`) is left out.
pub fn compare(project: &ProjectSlug, states: &[StateRef], query: &CompareQuery) -> String {
    let query = CompareQuery {
        kernel: query.kernel.clone(),
        target: query.target.clone(),
        config: query.config.clone(),
        scope: query.scope,
        ..CompareQuery::default()
    };
    format!("{PREFIX}/projects/{project}/compare/{}{}", format_states(states), query.api_query())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permalink;

    #[test]
    fn foreign_text_is_encoded_once() {
        let project: ProjectSlug = "triton".parse().expect("a slug");
        assert_eq!(
            measures(&project, Some("a&b"), "ULOP3 x"),
            "/api/v1/projects/triton/measures?kernel=a%26b&q=ULOP3%20x"
        );
        let query = TrendsQuery {
            kernel: Some("k".to_owned()),
            at: Some("3.5.0".parse().expect("a revision")),
            ..TrendsQuery::default()
        };
        assert_eq!(trends(&project, &query), "/api/v1/projects/triton/trends?kernel=k");
        let chart = |query, theme| trends_chart(&project, query, theme);
        assert_eq!(chart(&query, Theme::Light), "/api/v1/projects/triton/trends/chart.svg?kernel=k");
        let dark = chart(&TrendsQuery::default(), Theme::Dark);
        assert_eq!(dark, "/api/v1/projects/triton/trends/chart.svg?theme=dark");
        assert_eq!(permalink::theme("kernel=k&theme=dark"), Ok(Theme::Dark));
        assert_eq!(permalink::theme("kernel=k"), Ok(Theme::Light));
        assert_eq!(permalink::theme("theme=black").map_err(|error| error.field), Err("theme".to_owned()));
    }
}
