//! Every public URL, built and read in one place.
//!
//! The page state lives in the URL: a link holds slugs, full commit hashes (or tags, as typed by a person) and names,
//! never database ids and never "latest". [`Page::parse`] of [`Page::path`] gives the page back.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::{
    ids::{ProjectSlug, Rev, TargetName},
    limits,
    measure::Measure,
    stage::{Scope, Stage},
};

/// Bytes that stay as they are in a path segment or a query value.
const KEEP: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b':').remove(b'@');

/// One side of a comparison: a revision, and a config when it is not the one of the whole page.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StateRef {
    /// Hash or tag.
    pub rev: Rev,
    /// Config label; `None` takes the page's.
    pub config: Option<String>,
}

/// What a trends page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrendsQuery {
    /// Kernel key; `None` lets the reader choose.
    pub kernel: Option<String>,
    /// Targets; empty means all.
    pub targets: Vec<TargetName>,
    /// Config label; `None` means the one with the longest history.
    pub config: Option<String>,
    /// Measures; empty means the default set.
    pub measures: Vec<Measure>,
    /// Where counts are taken.
    pub scope: Scope,
    /// The selected commit.
    pub at: Option<Rev>,
}

/// What a comparison shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompareQuery {
    /// Kernel key; `None` lists all changed builds.
    pub kernel: Option<String>,
    /// One target.
    pub target: Option<TargetName>,
    /// Config label.
    pub config: Option<String>,
    /// Where counts are taken.
    pub scope: Scope,
    /// Families whose opcodes are shown.
    pub open: Vec<String>,
    /// Drill-down stage.
    pub stage: Option<Stage>,
    /// Saved view (`ptx+sass`); `None` keeps the levels apart.
    pub view: Option<String>,
}

/// A page and its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Page {
    /// `/`
    Home,
    /// `/p/{project}`
    Project(ProjectSlug),
    /// `/p/{project}/trends`
    Trends(ProjectSlug, TrendsQuery),
    /// `/p/{project}/commits/{rev}`
    Commit(ProjectSlug, Rev),
    /// `/p/{project}/compare/{a}...{b}[...{c}][/{kernel}]`
    Compare(ProjectSlug, Vec<StateRef>, CompareQuery),
    /// `/local`
    Local,
}

pub(crate) fn encode(text: &str) -> String {
    utf8_percent_encode(text, KEEP).to_string()
}

fn decode(text: &str) -> Option<String> {
    let text = percent_decode_str(text).decode_utf8().ok()?.into_owned();
    (!text.chars().any(char::is_control)).then_some(text)
}

/// Query pairs, in order, empty values left out.
#[derive(Default)]
struct Query(String);

impl Query {
    fn put(&mut self, key: &str, value: &str) {
        if !value.is_empty() {
            let sign = if self.0.is_empty() { '?' } else { '&' };
            let _ = write!(self.0, "{sign}{key}={value}");
        }
    }

    fn text(&mut self, key: &str, value: Option<&str>) {
        self.put(key, &value.map(encode).unwrap_or_default());
    }

    fn list<T: ToString>(&mut self, key: &str, values: &[T]) {
        let values: Vec<String> = values.iter().map(|value| encode(&value.to_string())).collect();
        self.put(key, &values.join(","));
    }

    fn scope(&mut self, scope: Scope) {
        self.put("scope", if scope == Scope::default() { "" } else { scope.id() });
    }
}

fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').filter_map(|pair| pair.split_once('=')).filter(|(_, value)| !value.is_empty())
}

fn list<T: std::str::FromStr>(value: &str) -> Vec<T> {
    value.split(',').filter_map(decode).filter_map(|item| item.parse().ok()).take(64).collect()
}

impl StateRef {
    /// A state that takes the page's config.
    pub const fn new(rev: Rev) -> Self {
        Self { rev, config: None }
    }

    fn parse(text: &str) -> Option<Self> {
        let (rev, config) = text.split_once(':').map_or((text, None), |(rev, config)| (rev, Some(config)));
        let config = match config {
            Some(config) => Some(decode(config).filter(|config| !config.is_empty())?),
            None => None,
        };
        Some(Self { rev: rev.parse().ok()?, config })
    }

    fn path(&self) -> String {
        match &self.config {
            Some(config) => format!("{}:{}", self.rev, encode(config)),
            None => self.rev.to_string(),
        }
    }
}

/// States as in a path: `a...b[...c]`, 2 to [`limits::STATES_PER_COMPARISON`]. `None` when they are not that.
pub fn parse_states(text: &str) -> Option<Vec<StateRef>> {
    let states: Vec<StateRef> = text.split("...").map(StateRef::parse).collect::<Option<_>>()?;
    (2..=limits::STATES_PER_COMPARISON).contains(&states.len()).then_some(states)
}

/// The path form of states.
pub fn format_states(states: &[StateRef]) -> String {
    states.iter().map(StateRef::path).collect::<Vec<_>>().join("...")
}

impl TrendsQuery {
    /// Reads the part behind `?`; what it does not know is ignored, so that newer links open in older pages.
    pub fn parse(query: &str) -> Self {
        let mut out = Self::default();
        for (key, value) in pairs(query) {
            match key {
                "kernel" => out.kernel = decode(value),
                "target" => out.targets = list(value),
                "config" => out.config = decode(value),
                "measure" => out.measures = list(value),
                "scope" => out.scope = Scope::from_id(value).unwrap_or_default(),
                "at" => out.at = value.parse().ok(),
                _ => {}
            }
        }
        out
    }

    /// `?…`, or nothing.
    pub fn query(&self) -> String {
        let mut query = Query::default();
        query.text("kernel", self.kernel.as_deref());
        query.list("target", &self.targets);
        query.text("config", self.config.as_deref());
        query.list("measure", &self.measures);
        query.scope(self.scope);
        query.text("at", self.at.as_ref().map(Rev::as_str));
        query.0
    }
}

impl CompareQuery {
    /// Reads the part behind `?`; `kernel` comes from the path on pages and from the query in the API.
    pub fn parse(query: &str) -> Self {
        let mut out = Self::default();
        for (key, value) in pairs(query) {
            match key {
                "kernel" => out.kernel = decode(value),
                "target" => out.target = value.parse().ok(),
                "config" => out.config = decode(value),
                "scope" => out.scope = Scope::from_id(value).unwrap_or_default(),
                "open" => out.open = list(value),
                "stage" => out.stage = Stage::from_id(value),
                "view" => out.view = decode(value),
                _ => {}
            }
        }
        out
    }

    fn put(&self, query: &mut Query) {
        query.text("target", self.target.as_ref().map(TargetName::as_str));
        query.text("config", self.config.as_deref());
        query.scope(self.scope);
        query.list("open", &self.open);
        query.put("stage", self.stage.map_or("", Stage::id));
        query.text("view", self.view.as_deref());
    }

    /// `?…` of the page, the kernel being in its path.
    pub fn page_query(&self) -> String {
        let mut query = Query::default();
        self.put(&mut query);
        query.0
    }

    /// `?…` of the API, the kernel being a parameter.
    pub fn api_query(&self) -> String {
        let mut query = Query::default();
        query.text("kernel", self.kernel.as_deref());
        self.put(&mut query);
        query.0
    }
}

impl Page {
    /// Reads a path and the query behind it (without `?`). `None` when no page has this address.
    pub fn parse(path: &str, query: &str) -> Option<Self> {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        match parts.as_slice() {
            [] => Some(Self::Home),
            ["local"] => Some(Self::Local),
            ["p", project] => Some(Self::Project(project.parse().ok()?)),
            ["p", project, "trends"] => Some(Self::Trends(project.parse().ok()?, TrendsQuery::parse(query))),
            ["p", project, "commits", rev] => Some(Self::Commit(project.parse().ok()?, rev.parse().ok()?)),
            ["p", project, "compare", states, kernel @ ..] => {
                let mut compare = CompareQuery::parse(query);
                compare.kernel = match kernel {
                    [] => None,
                    [kernel] => Some(decode(kernel)?),
                    _ => return None,
                };
                Some(Self::Compare(project.parse().ok()?, parse_states(states)?, compare))
            }
            _ => None,
        }
    }

    /// Path and query.
    pub fn path(&self) -> String {
        match self {
            Self::Home => "/".to_owned(),
            Self::Local => "/local".to_owned(),
            Self::Project(project) => format!("/p/{project}"),
            Self::Trends(project, query) => format!("/p/{project}/trends{}", query.query()),
            Self::Commit(project, rev) => format!("/p/{project}/commits/{rev}"),
            Self::Compare(project, states, query) => {
                let kernel = query.kernel.as_deref().map(|kernel| format!("/{}", encode(kernel))).unwrap_or_default();
                format!("/p/{project}/compare/{}{kernel}{}", format_states(states), query.page_query())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(page: &Page) {
        let text = page.path();
        let (path, query) = text.split_once('?').unwrap_or((&text, ""));
        assert_eq!(Page::parse(path, query).as_ref(), Some(page), "{text}");
    }

    #[test]
    fn every_page_reads_what_it_writes() {
        let project: ProjectSlug = "triton".parse().expect("a slug");
        let rev = |text: &str| text.parse::<Rev>().expect("a revision");
        round(&Page::Home);
        round(&Page::Local);
        round(&Page::Project(project.clone()));
        round(&Page::Commit(project.clone(), rev("3.5.0")));
        round(&Page::Trends(
            project.clone(),
            TrendsQuery {
                kernel: Some("\"><script>alert(1)</script> ü&=,".to_owned()),
                targets: vec!["sm_100a".parse().expect("a target"), "gfx942".parse().expect("a target")],
                config: Some("128x64_w8_s2".to_owned()),
                measures: ["fragment_staging", "ptx:bar.sync", "sass:ULOP3.LUT"]
                    .map(|m| m.parse().expect("a measure"))
                    .to_vec(),
                scope: Scope::Hot,
                at: Some(rev("3.5.0")),
            },
        ));
        round(&Page::Compare(
            project,
            vec![
                StateRef::new(rev("3.4.0")),
                StateRef { rev: rev("3.5.0"), config: Some("128x64_w8_s2_injected-convert/a".to_owned()) },
                StateRef::new(rev(&"a".repeat(40))),
            ],
            CompareQuery {
                kernel: Some("a/b?c#d".to_owned()),
                target: Some("sm_100a".parse().expect("a target")),
                config: Some("x".to_owned()),
                scope: Scope::Loop,
                open: vec!["fragment_staging".to_owned()],
                stage: Some(Stage::Ttgir),
                view: Some("ptx+sass".to_owned()),
            },
        ));
    }

    #[test]
    fn addresses_of_no_page_are_none() {
        for path in [
            "/p",
            "/p/UPPER",
            "/p/a/compare/b",
            "/p/a/compare/b...c/d/e",
            "/p/a/commits/..%2f",
            "/x",
            "/p/a/compare/a...%00",
        ] {
            assert_eq!(Page::parse(path, ""), None, "{path}");
        }
    }
}
