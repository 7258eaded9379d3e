//! What a page is about, in its title and its description: with the numbers that the view shows.

use lowerline_shared::{
    api::{BuildComparison, TrendResponse},
    comparison::state_name,
    display::plural,
    ids::shown,
    measure::Measure,
    permalink::{CompareQuery, LoweringQuery, Page, StateRef, TrendsQuery, names_builds},
    stage::Stage,
};

use crate::{comparison, comparison::matrix, db, error::Result, ingest::Project, kernel, state::AppState, trend};

/// `index.html` with its two placeholders.
#[derive(Debug)]
pub struct Shell(String);

/// What a page is about.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Described {
    /// Title, without the name of the program.
    pub title: String,
    /// One or two sentences.
    pub description: String,
    /// Its address, as `permalink` writes it; empty when there is none.
    pub path: String,
    /// Whether there is something at this address.
    pub is_found: bool,
}

impl Shell {
    /// A shell; without `__HEAD__` pages have no title of their own.
    pub const fn new(html: String) -> Self {
        Self(html)
    }

    /// The page. The head is foreign text in part, so it is put in after the nonces.
    pub fn fill(&self, nonce: &str, head: &str) -> String {
        let (before, after) = self.0.split_once("__HEAD__").unwrap_or((&self.0, ""));
        let nonces = |part: &str| part.replace("__NONCE__", nonce);
        format!("{}{head}{}", nonces(before), nonces(after))
    }
}

/// Text for an attribute or an element.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// The elements that `__HEAD__` stands for.
pub fn head(described: &Described, origin: Option<&str>) -> String {
    let title = escape(&described.title);
    let description = escape(&described.description);
    let mut head = format!(
        "<title>{title} · Lowerline</title>\n\
         <meta name=\"description\" content=\"{description}\">\n\
         <meta property=\"og:site_name\" content=\"Lowerline\">\n\
         <meta property=\"og:type\" content=\"website\">\n\
         <meta property=\"og:title\" content=\"{title}\">\n\
         <meta property=\"og:description\" content=\"{description}\">\n"
    );
    if !described.path.is_empty() {
        let url = escape(&format!("{}{}", origin.unwrap_or(""), described.path));
        head = format!("{head}<link rel=\"canonical\" href=\"{url}\">\n<meta property=\"og:url\" content=\"{url}\">\n");
    }
    head
}

/// Describes an address. Whatever cannot be read is described in general: a page is better than an error.
pub async fn describe(state: &AppState, path: &str, query: &str) -> Described {
    let Some(page) = Page::parse(path, query) else {
        return Described {
            title: "Not found".to_owned(),
            description: "There is no page at this address.".to_owned(),
            ..Described::default()
        };
    };
    let address = page.path();
    match describe_page(state, &page).await {
        Ok((title, description)) => Described { title, description, path: address, is_found: true },
        Err(crate::error::AppError::Refused(refusal)) => Described {
            title: "Not found".to_owned(),
            description: refusal.message,
            path: String::new(),
            is_found: refusal.code != lowerline_shared::problem::Code::NotFound,
        },
        Err(error) => {
            tracing::warn!(error = error.to_string(), "a page has no description");
            Described { title: "Lowerline".to_owned(), description: GENERAL.to_owned(), path: address, is_found: true }
        }
    }
}

const GENERAL: &str = "The history of what GPU compilers emit: instructions per kernel, target and commit.";

async fn describe_page(state: &AppState, page: &Page) -> Result<(String, String)> {
    match page {
        Page::Home => Ok(("Projects".to_owned(), GENERAL.to_owned())),
        Page::Local(_) => Ok((
            "Local files".to_owned(),
            "Drop compiler output: everything is analyzed in the browser, nothing is uploaded.".to_owned(),
        )),
        Page::Layouts(query) => {
            let shape = if query.shape.is_empty() { String::new() } else { format!(" of {}", shown(&query.shape)) };
            Ok((format!("Layouts{shape}"), "Where each element of a tile lives, and what moving it costs.".to_owned()))
        }
        Page::Dossier(slug) => {
            let project = crate::api::project(state, slug.as_str()).await?;
            Ok((
                format!("Dossier of {}", project.slug),
                "Stated figures, checked against the builds of this project.".to_owned(),
            ))
        }
        Page::Project(slug) => {
            let project = crate::api::project(state, slug.as_str()).await?;
            describe_project(state, &project).await
        }
        Page::Trends(slug, query) => {
            let project = crate::api::project(state, slug.as_str()).await?;
            describe_trends(state, &project, query).await
        }
        Page::Commit(slug, rev, query) => {
            let project = crate::api::project(state, slug.as_str()).await?;
            let detail = matrix::commit(state, &project, rev.as_str(), &query.only).await?;
            let moved = detail.builds.iter().filter(|cell| cell.changed).count();
            let builds = plural(detail.builds.len() as u64, "build");
            let title = format!("{} {}: {moved} of {builds} changed", project.slug, detail.commit.name());
            Ok((title, shown(&detail.commit.subject)))
        }
        Page::Lowering(slug, kernel, query) => {
            let project = crate::api::project(state, slug.as_str()).await?;
            describe_lowering(state, &project, kernel, query).await
        }
        Page::Space(slug, kernel, query) => {
            let project = crate::api::project(state, slug.as_str()).await?;
            let answer = kernel::space::space(state, &project, kernel, query).await?;
            let title = format!(
                "{} on {} at {}: {} configs",
                shown(answer.kernel.name.as_str()),
                answer.target,
                answer.commit.name(),
                answer.configs.len()
            );
            Ok((title, answer.summary.sentence))
        }
        Page::Compare(slug, states, query) => {
            let project = crate::api::project(state, slug.as_str()).await?;
            describe_comparison(state, &project, states, query).await
        }
    }
}

async fn describe_project(state: &AppState, project: &Project) -> Result<(String, String)> {
    let row = db::project::list_projects(&state.pool, Some(project.slug.as_str())).await?.pop();
    let description = row.map_or_else(String::new, |row| {
        let number = |count: i64, word| plural(u64::try_from(count).unwrap_or(0), word);
        format!("{}, {} on {}.", number(row.commits, "commit"), number(row.kernels, "kernel"), row.targets.join(", "))
    });
    Ok((project.slug.to_string(), description))
}

async fn describe_trends(state: &AppState, project: &Project, query: &TrendsQuery) -> Result<(String, String)> {
    if query.kernel.is_none() {
        return Ok((format!("Trends of {}", project.slug), GENERAL.to_owned()));
    }
    let answer = trend::trend(state, project, query).await?;
    let title = format!(
        "{} over {} of {}",
        shown(answer.kernel.name.as_str()),
        plural(u64::from(answer.positions.1) + 1, "commit"),
        project.slug
    );
    Ok((title, trend_sentences(&answer)))
}

async fn describe_lowering(
    state: &AppState,
    project: &Project,
    kernel: &str,
    query: &LoweringQuery,
) -> Result<(String, String)> {
    let answer = kernel::lowering::lowering(state, project, kernel, query).await?;
    let name = shown(answer.kernel.name.as_str());
    let title = format!("{name} on {} targets at {}", answer.targets.len(), answer.commit.name());
    let matrix: Vec<String> = lowerline_shared::lowering::rows(&answer)
        .into_iter()
        .filter(|row| row.id == "matrix")
        .flat_map(|row| row.cells)
        .zip(&answer.targets)
        .filter(|(cell, _)| !cell.text.is_empty())
        .map(|(cell, column)| format!("{}: {}", column.target, cell.text.join(" + ")))
        .collect();
    Ok((title, format!("Config {}. {}", shown(&answer.config), matrix.join("; "))))
}

/// The lines that moved, as first and last value.
fn trend_sentences(answer: &TrendResponse) -> String {
    let mut parts = Vec::new();
    for series in &answer.series {
        let values: Vec<f64> =
            series.steps.iter().filter_map(|step| step.value).map(|value| series.measure.read(value)).collect();
        if let (Some(first), Some(last)) = (values.first(), values.last())
            && values.len() > 1
        {
            parts.push(format!("{} on {}: {first} → {last}", measure_name(&series.measure), series.target));
        }
    }
    if parts.is_empty() {
        return "Nothing moved.".to_owned();
    }
    let more = parts.len().saturating_sub(4);
    parts.truncate(4);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}.", parts.join("; "))
}

fn measure_name(measure: &Measure) -> String {
    match measure {
        Measure::Family(family, _) => family.info().label.to_owned(),
        Measure::Instructions(_) => "Instructions".to_owned(),
        Measure::Opcode(stage, opcode) => format!("{} {}", stage.label(), shown(opcode)),
        Measure::Resource(resource) => resource.label().to_owned(),
        Measure::Decision(decision) => decision.label().to_owned(),
        Measure::Metric(name) => shown(name),
    }
}

async fn describe_comparison(
    state: &AppState,
    project: &Project,
    states: &[StateRef],
    query: &CompareQuery,
) -> Result<(String, String)> {
    let answer = comparison::compare(state, project, states, query).await?;
    let arrow = answer.states.iter().map(state_name).collect::<Vec<_>>().join(" → ");
    if let (true, [build]) = (names_builds(states, query), answer.builds.as_slice()) {
        let moved = moved_families(build);
        // Builds of two vendors share no level: nothing is subtracted, and nothing said to be equal.
        let is_compared = build.levels.iter().any(|level| level.instructions.iter().flatten().count() > 1);
        let still = if is_compared { "no count moved" } else { "counts side by side" };
        let head = moved.first().cloned().unwrap_or_else(|| still.to_owned());
        let title = format!("{} on {}, {arrow}: {head}", shown(build.kernel.name.as_str()), build.target);
        let description = if moved.is_empty() { format!("{head}.") } else { format!("{}.", moved.join("; ")) };
        return Ok((title, description));
    }
    if let (true, [], Some(kernel)) = (names_builds(states, query), answer.builds.as_slice(), &query.kernel) {
        let target = query.target.as_ref().map(|target| format!(" on {target}")).unwrap_or_default();
        let title = format!("{}{target}, {arrow}: no build", shown(kernel));
        return Ok((title, "No state has a build of this kernel, target and config.".to_owned()));
    }
    let changed = answer.builds.iter().filter(|build| build.changed).count() as u64 + answer.left_out;
    let title = format!("{} {arrow}: {} changed", project.slug, plural(changed, "build"));
    let heaviest: Vec<String> = answer
        .builds
        .iter()
        .take(3)
        .filter_map(|build| {
            let first = moved_families(build).into_iter().next()?;
            Some(format!("{} on {}: {first}", shown(build.kernel.name.as_str()), build.target))
        })
        .collect();
    Ok((title, format!("{} unchanged. {}", answer.unchanged, heaviest.join("; "))))
}

/// Families of the machine level that moved: those that one state lacks first, then by how far (`Fragment staging 0 → 20`).
fn moved_families(build: &BuildComparison) -> Vec<String> {
    let Some(level) = build.levels.iter().rfind(|level| level.stage != Stage::Ptx) else { return Vec::new() };
    let mut moved: Vec<((bool, i64), String)> = level
        .families
        .iter()
        .filter_map(|row| {
            let known = || row.counts.iter().flatten();
            let spread = known().max()? - known().min()?;
            let counts: Vec<String> = row
                .counts
                .iter()
                .map(|count| count.map_or_else(|| "–".to_owned(), |count| count.to_string()))
                .collect();
            let appears = known().any(|&count| count == 0);
            (spread > 0).then(|| ((appears, spread), format!("{} {}", row.family.info().label, counts.join(" → "))))
        })
        .collect();
    moved.sort_by_key(|(key, _)| std::cmp::Reverse(*key));
    moved.into_iter().take(5).map(|(_, text)| text).collect()
}
