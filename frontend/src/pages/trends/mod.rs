//! Lines over commits: measures × targets of one kernel, and what the selected commit changed.

use std::sync::Arc;

use leptos::prelude::*;
use lowerline_shared::{
    api::{KernelSummary, TrendResponse},
    api_path, display,
    ids::{self, ProjectSlug},
    permalink::{Page, TrendsQuery},
};

use crate::{
    app::{Current, Go},
    chart::cell::Charts,
    fetch::{Fetched, use_fetch},
    parts::{export::Takeaway, marks, states},
    shell::InProject,
};

mod axis;
mod changes;
mod filters;
mod grid;
mod hover;
mod measure;
mod panel;
mod picker;

/// The page's state and the ways to change it.
#[derive(Clone, Copy)]
pub struct View {
    project: StoredValue<ProjectSlug>,
    query: Memo<TrendsQuery>,
    go: Go,
}

impl View {
    /// The page with another state.
    fn page(self, edit: impl FnOnce(&mut TrendsQuery)) -> Page {
        let mut query = self.query.get_untracked();
        edit(&mut query);
        Page::Trends(self.project.get_value(), query)
    }

    /// Another thing to look at.
    fn push(self, edit: impl FnOnce(&mut TrendsQuery)) {
        self.go.push(&self.page(edit));
    }

    /// The same thing with another commit selected.
    fn replace(self, edit: impl FnOnce(&mut TrendsQuery)) {
        self.go.replace(&self.page(edit));
    }
}

/// The page.
#[component]
pub fn Trends(project: ProjectSlug) -> impl IntoView {
    let Current(page) = expect_context();
    // The last query of this page stays while another page takes over.
    let query = Memo::new(move |before: Option<&TrendsQuery>| match page.get() {
        Some(Page::Trends(_, query)) => query,
        _ => before.cloned().unwrap_or_default(),
    });
    let view = View { project: StoredValue::new(project), query, go: expect_context() };
    Charts::provide();
    let has_kernel = Memo::new(move |_| query.with(|query| query.kernel.is_some()));
    view! {
        <div data-test="page-trends">
            {move || {
                if has_kernel.get() { view! { <Lines view/> }.into_any() } else { view! { <Chooser view/> }.into_any() }
            }}
        </div>
    }
}

/// Which kernel?
#[component]
fn Chooser(view: View) -> impl IntoView {
    let InProject(detail) = expect_context();
    view! {
        <div class="head"><h1>"Trends"</h1><span class="sub">"choose a kernel"</span></div>
        {move || match detail.get() {
            None => view! { <states::Skeleton rows=3/> }.into_any(),
            Some(detail) if detail.kernels.is_empty() => {
                let empty = super::home::first_push("No kernels yet", Some(&view.project.get_value()));
                view! { <section class="panel"><div class="body">{empty}</div></section> }.into_any()
            }
            Some(detail) => {
                let links = detail.kernels.iter().map(|kernel| {
                    let key = kernel.key.clone();
                    let href = view.page(|query| query.kernel = Some(key)).path();
                    view! { <li><a class="brk" href=href>{marks::foreign(kernel.name.as_str())}</a></li> }
                });
                view! { <section class="panel" data-test="kernels"><ul class="rows">{links.collect_view()}</ul></section> }
                    .into_any()
            }
        }}
    }
}

#[component]
fn Lines(view: View) -> impl IntoView {
    let trends: Fetched<TrendResponse> = use_fetch(move || {
        let query = view.query.get();
        query.kernel.is_some().then(|| view.project.with_value(|project| api_path::trends(project, &query)))
    });
    let takeaway = Signal::derive(move || {
        let query = view.query.get();
        Takeaway {
            table: trends.data.with(|data| data.as_ref().map(|data| changes::export(data))),
            page: Page::Trends(view.project.get_value(), query),
            name: "trends",
        }
    });
    let name = move || {
        let known = trends.data.with(|data| data.as_ref().map(|data| ids::shown(data.kernel.name.as_str())));
        known.or_else(|| view.query.with(|query| query.kernel.as_deref().map(ids::shown))).unwrap_or_default()
    };
    view! {
        <div class="head">
            <h1 class="brk" data-test="title">{name}</h1>
            <span class="sub">{move || trends.data.with(|data| data.as_ref().map(|data| summary(data)))}</span>
        </div>
        <filters::Filters view trends=trends.data takeaway/>
        {states::fetched("These trends", trends, 6, move |data: Arc<TrendResponse>| shown(view, data))}
    }
}

fn summary(data: &TrendResponse) -> String {
    let (first, last) = data.positions;
    let commits = u64::from(last.saturating_sub(first)) + 1;
    let targets = grid::targets(data).len() as u64;
    let parts =
        [display::plural(commits, "commit"), display::plural(targets, "target"), format!("config {}", data.config)];
    parts.join(" · ")
}

fn shown(view: View, data: Arc<TrendResponse>) -> AnyView {
    if data.series.is_empty() || data.commits.is_empty() {
        return nothing(view, &data.kernel).into_any();
    }
    let left_out = data.left_out;
    view! {
        <div class="grid2">
            <div class="stack">
                <grid::Grid view data=data.clone()/>
                {(left_out > 0)
                    .then(|| {
                        view! {
                            <p class="note plain">
                                {display::plural(left_out, "line")} " left out: choose fewer targets or measures."
                            </p>
                        }
                    })}
                {changes::table(view, &data)}
            </div>
            <panel::Panel view data=data/>
        </div>
    }
    .into_any()
}

/// No variant of this kernel on these targets: say where there are some.
fn nothing(view: View, kernel: &KernelSummary) -> impl IntoView + use<> {
    let links = kernel.targets.iter().map(|target| {
        let only = target.clone();
        let href = view.page(|query| query.targets = vec![only]).path();
        view! { <a class="btn" href=href>{target.to_string()}</a> }
    });
    let links = links.collect_view();
    let title = format!("No variant of {} here", ids::shown(kernel.name.as_str()));
    view! {
        <section class="panel">
            <div class="body">
                <states::Empty title>
                    <p class="ink2">"It was pushed for these targets:"</p>
                    <p class="acts">{links}</p>
                </states::Empty>
            </div>
        </section>
    }
}
