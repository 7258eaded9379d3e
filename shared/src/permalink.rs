//! Every public URL, built and read in one place.
//!
//! The page state lives in the URL: a link holds slugs, full commit hashes (or tags, as typed by a person) and names,
//! never database ids and never "latest". [`Page::parse`] of [`Page::path`] gives the page back.

mod commit;
mod kernel;
mod pane;
mod query;
mod state;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::{
    ids::{ProjectSlug, Rev, TargetName},
    measure::Measure,
    order::BuildOrder,
    stage::{Scope, Stage},
};

pub use commit::CommitQuery;
pub use kernel::{LoweringQuery, SpaceQuery};
pub use pane::{InvalidPane, LineRef, PaneRef};
pub use query::{InvalidQuery, theme};
use query::{Query, Values, readable};
pub use state::{StateRef, are_mixed, format_states, names_builds, parse_states};

/// Bytes that stay as they are in a path segment or a query value.
const KEEP: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b':').remove(b'@');

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
    /// Two texts beside each other, of any states and stages; wins over `stage`.
    pub panes: Option<(PaneRef, PaneRef)>,
    /// The selected line.
    pub line: Option<LineRef>,
    /// What is searched for in the texts when the page opens.
    pub find: Option<String>,
    /// Saved view (`ptx+sass`); `None` keeps the levels apart.
    pub view: Option<String>,
    /// Order of a list of changed builds.
    pub sort: BuildOrder,
}

/// What a page about layouts shows. All fields are as typed: the page says what is wrong with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayoutsQuery {
    /// Shape of the tensor (`128x64`); empty takes the page's example.
    pub shape: String,
    /// Bits of an element; `None` means 16.
    pub bits: Option<u32>,
    /// Layout text; empty takes the page's example.
    pub a: String,
    /// A second one beside it; empty for none.
    pub b: String,
    /// The hardware dimension that colours the tile; empty means the lane, or what the layout has instead.
    pub by: String,
    /// Row and column of the selected element.
    pub at: Option<(u32, u32)>,
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
    Commit(ProjectSlug, Rev, CommitQuery),
    /// `/p/{project}/compare/{a}...{b}[...{c}][/{kernel}]`
    Compare(ProjectSlug, Vec<StateRef>, CompareQuery),
    /// `/p/{project}/kernels/{kernel}`
    Lowering(ProjectSlug, String, LoweringQuery),
    /// `/p/{project}/kernels/{kernel}/space`
    Space(ProjectSlug, String, SpaceQuery),
    /// `/layouts`
    Layouts(LayoutsQuery),
    /// `/p/{project}/dossier`
    Dossier(ProjectSlug),
    /// `/local`: the files stay on the machine, so the address holds only how they are looked at.
    Local(CompareQuery),
}

pub(crate) fn encode(text: &str) -> String {
    utf8_percent_encode(text, KEEP).to_string()
}

fn decode(text: &str) -> Option<String> {
    let text = percent_decode_str(text).decode_utf8().ok()?.into_owned();
    (!text.chars().any(char::is_control)).then_some(text)
}

/// The same for a text that may hold several lines.
fn decode_lines(text: &str) -> Option<String> {
    let text = percent_decode_str(text).decode_utf8().ok()?.into_owned();
    (!text.chars().any(|c| c.is_control() && c != '\n')).then_some(text)
}

readable!(TrendsQuery);

impl TrendsQuery {
    fn read(query: &str) -> (Self, Values) {
        let (mut out, mut values) = (Self::default(), Values::default());
        for (key, value) in query::pairs(query) {
            match key {
                "kernel" => out.kernel = values.text(key, value),
                "target" => out.targets = values.list(key, value),
                "config" => out.config = values.text(key, value),
                "measure" => out.measures = values.list(key, value),
                "scope" => out.scope = values.scope(value),
                "at" => out.at = values.one(key, value),
                _ => {}
            }
        }
        (out, values)
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

readable!(CompareQuery);

impl CompareQuery {
    /// `kernel` comes from the path on pages and from the query in the API.
    fn read(query: &str) -> (Self, Values) {
        let (mut out, mut values) = (Self::default(), Values::default());
        for (key, value) in query::pairs(query) {
            match key {
                "kernel" => out.kernel = values.text(key, value),
                "target" => out.target = values.one(key, value),
                "config" => out.config = values.text(key, value),
                "scope" => out.scope = values.scope(value),
                "open" => out.open = values.list(key, value),
                "stage" => out.stage = values.stage(value),
                "panes" => {
                    out.panes = match values.list(key, value)[..] {
                        [a, b] => Some((a, b)),
                        _ => None,
                    };
                }
                "line" => out.line = values.one(key, value),
                "find" => out.find = values.text(key, value),
                "view" => out.view = values.text(key, value),
                "sort" => out.sort = values.one(key, value).unwrap_or_default(),
                _ => {}
            }
        }
        (out, values)
    }

    fn put(&self, query: &mut Query) {
        query.text("target", self.target.as_ref().map(TargetName::as_str));
        query.text("config", self.config.as_deref());
        query.scope(self.scope);
        query.list("open", &self.open);
        query.put("stage", self.stage.map_or("", Stage::id));
        if let Some((a, b)) = self.panes {
            query.put("panes", &format!("{a},{b}"));
        }
        query.put("line", &self.line.map(|line| line.to_string()).unwrap_or_default());
        query.text("find", self.find.as_deref());
        query.text("view", self.view.as_deref());
        query.put("sort", if self.sort == BuildOrder::default() { "" } else { self.sort.id() });
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

impl LayoutsQuery {
    /// Reads the part behind `?`. Layout texts may hold several lines.
    pub fn parse(query: &str) -> Self {
        let mut out = Self::default();
        for (key, value) in query::pairs(query) {
            match key {
                "shape" => out.shape = decode(value).unwrap_or_default(),
                "bits" => out.bits = value.parse().ok(),
                "a" => out.a = decode_lines(value).unwrap_or_default(),
                "b" => out.b = decode_lines(value).unwrap_or_default(),
                "by" => out.by = decode(value).unwrap_or_default(),
                "at" => {
                    out.at =
                        value.split_once('.').and_then(|(row, column)| Some((row.parse().ok()?, column.parse().ok()?)));
                }
                _ => {}
            }
        }
        out
    }

    /// `?…`, or nothing.
    pub fn query(&self) -> String {
        let mut query = Query::default();
        query.text("shape", Some(&self.shape));
        query.put("bits", &self.bits.map(|bits| bits.to_string()).unwrap_or_default());
        query.text("a", Some(&self.a));
        query.text("b", Some(&self.b));
        query.text("by", Some(&self.by));
        query.put("at", &self.at.map(|(row, column)| format!("{row}.{column}")).unwrap_or_default());
        query.0
    }
}

impl Page {
    /// Reads a path and the query behind it (without `?`). `None` when no page has this address.
    pub fn parse(path: &str, query: &str) -> Option<Self> {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        match parts.as_slice() {
            [] => Some(Self::Home),
            ["layouts"] => Some(Self::Layouts(LayoutsQuery::parse(query))),
            ["p", project, "dossier"] => Some(Self::Dossier(project.parse().ok()?)),
            ["local"] => Some(Self::Local(CompareQuery::parse(query))),
            ["p", project] => Some(Self::Project(project.parse().ok()?)),
            ["p", project, "trends"] => Some(Self::Trends(project.parse().ok()?, TrendsQuery::parse(query))),
            ["p", project, "commits", rev] => {
                Some(Self::Commit(project.parse().ok()?, rev.parse().ok()?, CommitQuery::parse(query)))
            }
            ["p", project, "kernels", kernel] => {
                Some(Self::Lowering(project.parse().ok()?, decode(kernel)?, LoweringQuery::parse(query)))
            }
            ["p", project, "kernels", kernel, "space"] => {
                Some(Self::Space(project.parse().ok()?, decode(kernel)?, SpaceQuery::parse(query)))
            }
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
            Self::Layouts(query) => format!("/layouts{}", query.query()),
            Self::Dossier(project) => format!("/p/{project}/dossier"),
            Self::Local(query) => format!("/local{}", query.page_query()),
            Self::Project(project) => format!("/p/{project}"),
            Self::Trends(project, query) => format!("/p/{project}/trends{}", query.query()),
            Self::Commit(project, rev, query) => format!("/p/{project}/commits/{rev}{}", query.query()),
            Self::Lowering(project, kernel, query) => {
                format!("/p/{project}/kernels/{}{}", encode(kernel), query.query())
            }
            Self::Space(project, kernel, query) => {
                format!("/p/{project}/kernels/{}/space{}", encode(kernel), query.query())
            }
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
    use crate::decision_filter::DecisionFilter;

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
        round(&Page::Local(CompareQuery::default()));
        let pane = |state, stage| PaneRef { state, stage };
        round(&Page::Local(CompareQuery {
            panes: Some((pane(0, Stage::Ttgir), pane(5, Stage::Sass))),
            line: Some(LineRef { pane: pane(1, Stage::Ptx), line: 257 }),
            ..CompareQuery::default()
        }));
        round(&Page::Dossier(project.clone()));
        round(&Page::Layouts(LayoutsQuery::default()));
        round(&Page::Layouts(LayoutsQuery {
            shape: "128x64".to_owned(),
            bits: Some(8),
            a: "#mma = #ttg.amd_mfma<{version = 3}>\n#ttg.slice<{dim = 1, parent = #mma}>".to_owned(),
            b: "#ttg.linear<{}>".to_owned(),
            by: "warp".to_owned(),
            at: Some((3, 17)),
        }));
        round(&Page::Project(project.clone()));
        round(&Page::Commit(project.clone(), rev("3.5.0"), CommitQuery::default()));
        let only = || -> Vec<DecisionFilter> {
            let texts = ["pipelining:!inert", "matrix_instruction:a, b", "buffer_depth:2.."];
            texts.iter().map(|text| text.parse().expect("a filter")).collect()
        };
        round(&Page::Commit(project.clone(), rev("3.5.0"), CommitQuery { only: only() }));
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
        round(&Page::Lowering(
            project.clone(),
            "a/b?c".to_owned(),
            LoweringQuery {
                at: Some(rev("3.7.1")),
                base: Some(rev("3.5.0")),
                config: Some("128x128x64_w8_s3".to_owned()),
                scope: Scope::Hot,
                target: Some("gfx942".parse().expect("a target")),
                only: only(),
            },
        ));
        round(&Page::Space(
            project.clone(),
            "matmul".to_owned(),
            SpaceQuery {
                at: Some(rev(&"b".repeat(40))),
                target: Some("sm_90a".parse().expect("a target")),
                x: Some("resource:shared_bytes".parse().expect("a measure")),
                y: Some("metric:tflops".parse().expect("a measure")),
                heat: vec!["num_stages".to_owned(), "BLOCK,M".replace(',', "_")],
                sort: Some("decision:pipelining".parse().expect("a measure")),
                only: only(),
            },
        ));
        round(&Page::Compare(
            project,
            vec![
                StateRef::new(rev("3.4.0")),
                StateRef { config: Some("128x64_w8_s2_injected-convert/a".to_owned()), ..StateRef::new(rev("3.5.0")) },
                StateRef::new(rev(&"a".repeat(40))),
            ],
            CompareQuery {
                kernel: Some("a/b?c#d".to_owned()),
                target: Some("sm_100a".parse().expect("a target")),
                config: Some("x".to_owned()),
                scope: Scope::Loop,
                open: vec!["fragment_staging".to_owned()],
                stage: Some(Stage::Ttgir),
                panes: None,
                line: None,
                find: Some("\"LDSM.16.M88\"".to_owned()),
                view: Some("ptx+sass".to_owned()),
                sort: BuildOrder::Registers,
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
            "/p/a/kernels",
            "/p/a/kernels/k/other",
            "/x",
            "/p/a/compare/a...%00",
        ] {
            assert_eq!(Page::parse(path, ""), None, "{path}");
        }
    }
}
