//! All configs of a kernel at one commit on one target: which are worth compiling?

use std::sync::Arc;

use leptos::prelude::*;
use lowerline_shared::{
    api::SpaceResponse,
    api_path, display,
    ids::{self, ProjectSlug},
    measure::Measure,
    permalink::{Page, SpaceQuery},
    report::Resource,
    space,
};

use crate::{
    app::{Current, Go},
    fetch::use_fetch,
    parts::{export::Takeaway, states},
};

mod filters;
mod heat;
mod scatter;
mod skip;
mod table;

/// The page's state and the ways to change it.
#[derive(Clone, Copy)]
struct View {
    project: StoredValue<ProjectSlug>,
    kernel: Memo<String>,
    query: Memo<SpaceQuery>,
    go: Go,
}

impl View {
    fn page(self, edit: impl FnOnce(&mut SpaceQuery)) -> Page {
        let mut query = self.query.get_untracked();
        edit(&mut query);
        Page::Space(self.project.get_value(), self.kernel.get_untracked(), query)
    }

    /// The page as it should be opened again: with the commit and the target of the answer, even where the address names none.
    fn kept(self, data: Option<&SpaceResponse>) -> Page {
        let at = data.and_then(|data| data.commit.sha.as_str().parse().ok());
        let target = data.map(|data| data.target.clone());
        self.page(|query| {
            query.at = at.or(query.at.take());
            query.target = target.or(query.target.take());
        })
    }

    fn push(self, edit: impl FnOnce(&mut SpaceQuery)) {
        self.go.push(&self.page(edit));
    }
}

/// Axes and order as asked for, or as they are without a wish.
#[derive(Clone)]
struct Axes {
    x: Measure,
    y: Measure,
    sort: Measure,
}

fn axes(data: &SpaceResponse, query: &SpaceQuery) -> Axes {
    let y = query.y.clone().unwrap_or_else(|| space::first_measure(&data.configs));
    Axes {
        x: query.x.clone().unwrap_or(Measure::Resource(Resource::SharedBytes)),
        sort: query.sort.clone().unwrap_or_else(|| y.clone()),
        y,
    }
}

/// Name of a measure on an axis.
fn name(measure: &Measure) -> String {
    match measure {
        Measure::Metric(name) => ids::shown(name),
        Measure::Resource(resource) => resource.label().to_owned(),
        Measure::Decision(decision) => decision.label().to_owned(),
        Measure::Family(family, _) => family.info().label.to_owned(),
        Measure::Instructions(_) => "Instructions".to_owned(),
        Measure::Opcode(_, opcode) => ids::shown(opcode),
    }
}

/// The page.
#[component]
pub fn Space(project: ProjectSlug) -> impl IntoView {
    let Current(page) = expect_context();
    let state = Memo::new(move |before: Option<&(String, SpaceQuery)>| match page.get() {
        Some(Page::Space(_, kernel, query)) => (kernel, query),
        _ => before.cloned().unwrap_or_default(),
    });
    let kernel = Memo::new(move |_| state.with(|(kernel, _)| kernel.clone()));
    let query = Memo::new(move |_| state.with(|(_, query)| query.clone()));
    let view = View { project: StoredValue::new(project), kernel, query, go: expect_context() };
    let fetched = use_fetch::<SpaceResponse>(move || {
        Some(view.project.with_value(|project| api_path::space(project, &kernel.get(), &query.get())))
    });
    let only = Memo::new(move |_| query.with(|query| query.only.clone()));
    let narrowed = Memo::new(move |_| {
        let mut data = SpaceResponse::clone(&*fetched.data.get()?);
        only.with(|only| space::narrow(&mut data, only));
        Some(Arc::new(data))
    });
    let takeaway = Signal::derive(move || {
        state.track();
        let data = narrowed.get();
        Takeaway { page: view.kept(data.as_deref()), table: data.map(|data| space::table(&data)), name: "space" }
    });
    let sub = move || narrowed.with(|data| data.as_ref().map(|data| summary(data)));
    view! {
        <div data-test="page-space">
            <div class="head">
                <h1 class="brk" data-test="title">{move || ids::shown(&kernel.get())} ": config space"</h1>
                <span class="sub" data-test="summary">{sub}</span>
            </div>
            <filters::Filters view data=fetched.data narrowed takeaway/>
            {states::fetched("This config space", fetched, 10, move |_| narrowed.get().map(|data| shown(view, &data)))}
        </div>
    }
}

fn summary(data: &SpaceResponse) -> String {
    let sums = &data.summary;
    let mut parts =
        vec![data.target.to_string(), format!("at {}", data.commit.name()), display::plural(sums.configs, "config")];
    let numbers = [
        (sums.failed, "failed"),
        (sums.dead, "cannot be launched"),
        (sums.duplicates, "duplicate"),
        (sums.spilling, "spill"),
        (sums.at_ceiling, "at the register ceiling"),
    ];
    if data.sieved.filtered > 0 {
        parts.push(format!("{} left out by filters", data.sieved.filtered));
    }
    parts
        .extend(numbers.into_iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{number} {what}")));
    parts.join(" · ")
}

fn shown(view: View, data: &SpaceResponse) -> impl IntoView + use<> {
    let query = view.query.get();
    let axes = axes(data, &query);
    let left_out = (data.left_out > 0).then(|| {
        view! { <p class="note plain">{display::plural(data.left_out, "config")} " left out: the answer is full."</p> }
    });
    let filtered = data.sieved.sentence(&query.only, "config").map(|sentence| {
        let text = format!("{sentence} Marks hold for the whole space.");
        view! { <p class="note plain" data-test="filtered">{text}</p> }
    });
    view! {
        {filtered}
        <p class="lead" data-test="sentence">{data.summary.sentence.clone()}</p>
        <div class="grid2">
            <div class="stack">
                {scatter::panel(data, &axes)}
                {heat::panel(view, data, &query, &axes)}
            </div>
            <div class="stack">
                {skip::same_panel(view, data)}
                {skip::panel(view, data)}
            </div>
        </div>
        <div class="stack below">
            {table::panel(view, data, &axes)}
            {left_out}
        </div>
    }
}
