//! One kernel on every target at one commit: the lowering table, its decisions, its families.

use std::sync::Arc;

use leptos::prelude::*;
use lowerline_shared::{
    api::{CommitSummary, LoweringResponse, TargetLowering},
    api_path, display,
    ids::{self, ProjectSlug, Rev},
    lowering,
    permalink::{LoweringQuery, Page},
};

use crate::{
    app::{Current, Go},
    fetch::use_fetch,
    parts::{
        export::{Takeaway, copy_table},
        marks, states,
    },
};

mod decisions;
mod families;
mod filters;
mod layouts;
mod table;

/// The page's state and the ways to change it.
#[derive(Clone, Copy)]
struct View {
    project: StoredValue<ProjectSlug>,
    kernel: Memo<String>,
    query: Memo<LoweringQuery>,
    go: Go,
}

impl View {
    fn page(self, edit: impl FnOnce(&mut LoweringQuery)) -> Page {
        let mut query = self.query.get_untracked();
        edit(&mut query);
        Page::Lowering(self.project.get_value(), self.kernel.get_untracked(), query)
    }

    /// The page as it should be opened again: with the commits and the config of the answer, even where the address names none.
    fn kept(self, data: Option<&LoweringResponse>) -> Page {
        let at = data.and_then(|data| rev_of(&data.commit));
        let base = data.and_then(|data| data.base.as_ref().and_then(rev_of));
        let config = data.map(|data| data.config.clone());
        self.page(|query| {
            query.at = at.or(query.at.take());
            query.base = base.or(query.base.take());
            query.config = config.or(query.config.take());
        })
    }

    fn push(self, edit: impl FnOnce(&mut LoweringQuery)) {
        self.go.push(&self.page(edit));
    }
}

/// The page.
#[component]
pub fn Lowering(project: ProjectSlug) -> impl IntoView {
    let Current(page) = expect_context();
    let state = Memo::new(move |before: Option<&(String, LoweringQuery)>| match page.get() {
        Some(Page::Lowering(_, kernel, query)) => (kernel, query),
        _ => before.cloned().unwrap_or_default(),
    });
    let kernel = Memo::new(move |_| state.with(|(kernel, _)| kernel.clone()));
    let query = Memo::new(move |_| state.with(|(_, query)| query.clone()));
    let view = View { project: StoredValue::new(project), kernel, query, go: expect_context() };
    let fetched = use_fetch::<LoweringResponse>(move || {
        Some(view.project.with_value(|project| api_path::lowering(project, &kernel.get(), &query.get())))
    });
    let takeaway = Signal::derive(move || {
        state.track();
        let data = fetched.data.get();
        Takeaway { page: view.kept(data.as_deref()), table: data.map(|data| lowering::table(&data)), name: "lowering" }
    });
    let sub = move || fetched.data.with(|data| data.as_ref().map(|data| summary(data)));
    view! {
        <div data-test="page-lowering">
            <div class="head">
                <h1 class="brk" data-test="title">{move || ids::shown(&kernel.get())}</h1>
                <span class="sub" data-test="summary">{sub}</span>
            </div>
            <filters::Filters view data=fetched.data takeaway/>
            {states::fetched("This kernel", fetched, 10, move |data: Arc<LoweringResponse>| shown(view, &data))}
        </div>
    }
}

fn rev_of(commit: &CommitSummary) -> Option<Rev> {
    commit.sha.as_str().parse().ok()
}

fn summary(data: &LoweringResponse) -> String {
    let against = data.base.as_ref().map(|base| format!(", against {}", base.name())).unwrap_or_default();
    let targets = display::plural(data.targets.len() as u64, "target");
    format!("at {}{against} · {} · {targets}", data.commit.name(), ids::shown(&data.config))
}

/// The column whose decisions are shown.
fn selected<'a>(data: &'a LoweringResponse, query: &LoweringQuery) -> Option<&'a TargetLowering> {
    let asked = query.target.as_ref();
    let found = asked.and_then(|asked| data.targets.iter().find(|column| column.target == *asked));
    found.or_else(|| data.targets.iter().find(|column| !column.decisions.is_empty())).or_else(|| data.targets.first())
}

fn shown(view: View, data: &LoweringResponse) -> impl IntoView + use<> {
    let query = view.query.get();
    let filtered = data.sieved.sentence(&query.only, "build");
    let filtered = filtered.map(|text| view! { <p class="note plain" data-test="filtered">{text}</p> });
    let decisions = selected(data, &query).map(|column| decisions::panel(view, data, column));
    view! {
        {filtered}
        <div class="grid2">
            <div class="stack">
                {table::panel(view, data)}
                {differences(view, data)}
                {families::panel(view, data)}
            </div>
            {decisions}
        </div>
    }
}

/// Where TTIR texts part, for each pair of groups.
fn differences(view: View, data: &LoweringResponse) -> Option<impl IntoView + use<>> {
    if data.ttir_differences.is_empty() {
        return None;
    }
    let line = |number: Option<u32>| number.map_or_else(|| "–".to_owned(), |number| number.to_string());
    let rows = data.ttir_differences.iter().map(|pair| {
        let code = |text: &str| if text.is_empty() { "–".to_owned() } else { text.to_owned() };
        view! {
            <tr data-test="ttir-difference">
                <th scope="row">{format!("{} and {}", pair.groups.0, pair.groups.1)}</th>
                <td class="num">{pair.rows}</td>
                <td class="num">{line(pair.line.0)}</td>
                <td class="mono small brk wrap">{marks::foreign(&code(&pair.text.0))}</td>
                <td class="num">{line(pair.line.1)}</td>
                <td class="mono small brk wrap">{marks::foreign(&code(&pair.text.1))}</td>
            </tr>
        }
    });
    let copy = copy_table(view.kept(Some(data)), "ttir", lowering::tables::ttir(data));
    Some(view! {
        <section class="panel" data-test="ttir-differences">
            <header>
                <h2>"Where TTIR parts"</h2>
                <span class="muted">"first difference of each pair, names and locations left out"</span>
                <span class="end">{copy}</span>
            </header>
            <div class="scroll">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">"Pair"</th>
                            <th class="num" scope="col">"Rows"</th>
                            <th class="num" scope="col">"Line"</th>
                            <th scope="col">"First text"</th>
                            <th class="num" scope="col">"Line"</th>
                            <th scope="col">"Second text"</th>
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        </section>
    })
}
