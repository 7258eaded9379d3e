//! States side by side: one build in depth, or the list of builds that changed.

use std::sync::Arc;

use leptos::prelude::*;
use lowerline_shared::{
    api::{BuildComparison, CompareResponse},
    api_path,
    comparison::{self, state_name},
    display,
    ids::{self, ProjectSlug},
    permalink::{CompareQuery, Page, StateRef, names_builds},
};

use crate::{
    app::{Current, Go},
    blobs::Blobs,
    browser,
    fetch::use_fetch,
    parts::{export::Takeaway, states},
};

mod builds;
mod explain;
mod families;
mod filters;
mod list;
mod resources;
mod saved;
mod side;
mod strip;
mod text;

/// The page's state and the ways to change it.
#[derive(Clone, Copy)]
pub struct View {
    /// `None` among files of this machine.
    project: StoredValue<Option<ProjectSlug>>,
    state: Memo<(Vec<StateRef>, CompareQuery)>,
    go: Go,
    /// Which of two texts takes the keyboard back when it is drawn anew.
    keyboard: RwSignal<Option<usize>>,
}

impl View {
    /// Of files of this machine, which have no project and no states in the address.
    pub fn local(state: Memo<(Vec<StateRef>, CompareQuery)>, go: Go) -> Self {
        Self { project: StoredValue::new(None), state, go, keyboard: RwSignal::new(None) }
    }

    /// Where the texts are.
    fn blobs(self) -> Blobs {
        if self.project.with_value(Option::is_some) { Blobs::Server } else { Blobs::Local }
    }

    /// The page with another state.
    fn page(self, edit: impl FnOnce(&mut Vec<StateRef>, &mut CompareQuery)) -> Page {
        let (mut states, mut query) = self.state.get_untracked();
        edit(&mut states, &mut query);
        match self.project.get_value() {
            Some(project) => Page::Compare(project, states, query),
            None => Page::Local(query),
        }
    }

    /// Another thing to look at.
    fn push(self, edit: impl FnOnce(&mut Vec<StateRef>, &mut CompareQuery)) {
        self.go.push(&self.page(edit));
    }

    /// The same thing seen differently.
    pub fn replace(self, edit: impl FnOnce(&mut Vec<StateRef>, &mut CompareQuery)) {
        self.go.replace(&self.page(edit));
    }
}

/// The page.
#[component]
pub fn Compare(project: ProjectSlug) -> impl IntoView {
    let Current(page) = expect_context();
    let state = Memo::new(move |before: Option<&(Vec<StateRef>, CompareQuery)>| match page.get() {
        Some(Page::Compare(_, states, query)) => (states, query),
        _ => before.cloned().unwrap_or_default(),
    });
    let view = View {
        project: StoredValue::new(Some(project.clone())),
        state,
        go: expect_context(),
        keyboard: RwSignal::new(None),
    };
    let fetched = use_fetch::<CompareResponse>(move || {
        let (states, query) = state.get();
        (!states.is_empty()).then(|| api_path::compare(&project, &states, &query))
    });
    let takeaway = Signal::derive(move || {
        state.track();
        let page = view.page(|_, _| {});
        Takeaway {
            table: fetched.data.with(|data| data.as_ref().and_then(|data| table(view, data))),
            page,
            name: "comparison",
        }
    });
    swap_with_key(view);
    view! {
        <div data-test="page-compare">
            <div class="head">
                <h1 class="brk" data-test="title">{move || title(view, fetched.data.get().as_deref())}</h1>
                <span class="sub brk" data-test="states">{move || states_line(view, fetched.data.get().as_deref())}</span>
            </div>
            <filters::Filters view data=fetched.data takeaway/>
            <builds::Builds view/>
            {states::fetched("This comparison", fetched, 5, move |data: Arc<CompareResponse>| shown(view, &data))}
        </div>
    }
}

/// Whether the answer is one build in depth.
fn only_build(view: View, data: &CompareResponse) -> Option<&BuildComparison> {
    let asked = view.state.with(|(states, query)| names_builds(states, query));
    match data.builds.as_slice() {
        [build] if asked => Some(build),
        _ => None,
    }
}

fn title(view: View, data: Option<&CompareResponse>) -> String {
    if let Some(build) = data.and_then(|data| only_build(view, data)) {
        return format!("{} on {}", ids::shown(build.kernel.name.as_str()), build.target);
    }
    view.state.with(|(_, query)| match (&query.kernel, &query.target) {
        (Some(kernel), Some(target)) => format!("{} on {target}", ids::shown(kernel)),
        (Some(kernel), None) => ids::shown(kernel),
        (None, Some(target)) => format!("Changed builds on {target}"),
        (None, None) => "Changed builds".to_owned(),
    })
}

fn states_line(view: View, data: Option<&CompareResponse>) -> String {
    let names: Vec<String> = match data {
        Some(data) => data.states.iter().map(state_name).collect(),
        None => view.state.with(|(states, _)| states.iter().map(|state| state.rev.to_string()).collect()),
    };
    let config = data.and_then(|data| only_build(view, data)).map(|build| format!(" · {}", ids::shown(&build.config)));
    format!("{}{}", names.join("..."), config.unwrap_or_default())
}

fn shown(view: View, data: &Arc<CompareResponse>) -> AnyView {
    // Untracked: an answer of another kernel or target comes as other data.
    if untrack(|| only_build(view, data).is_some()) {
        return one(view, data.clone());
    }
    if data.builds.is_empty() {
        let title = if data.unchanged > 0 { "Nothing changed" } else { "No build to compare" };
        let text = if data.unchanged > 0 {
            format!("{} have equal histograms and resources in all states.", display::plural(data.unchanged, "build"))
        } else {
            "No state has a build of this kernel, target and config.".to_owned()
        };
        let all = view.page(|_, query| *query = CompareQuery { scope: query.scope, ..CompareQuery::default() }).path();
        return view! {
            {side::heads(data)}
            <section class="panel">
                <div class="body">
                    <states::Empty title>
                        <p class="ink2">{text}</p>
                        <p><a href=all>"All builds of these states"</a></p>
                    </states::Empty>
                </div>
            </section>
        }
        .into_any();
    }
    let sort = Memo::new(move |_| view.state.with(|(_, query)| query.sort));
    let (heads, data) = (side::heads(data), data.clone());
    view! { <div class="stack">{heads} {move || list::panel(view, &data, sort.get())}</div> }.into_any()
}

/// One build in depth. Each panel follows the part of the address it shows, so that opening a row leaves the others be.
fn one(view: View, data: Arc<CompareResponse>) -> AnyView {
    let Some(build) = data.builds.first() else { return ().into_any() };
    let names = comparison::column_names(&data.states, &build.config);
    let follow = |panel: fn(View, &BuildComparison, &[String]) -> AnyView| {
        let (data, names) = (data.clone(), names.clone());
        move || data.builds.first().map(|build| panel(view, build, &names))
    };
    let stage = Memo::new(move |_| view.state.with(|(_, query)| (query.stage, query.panes)));
    let text = follow(text::panel);
    view! {
        <div class="stack">
            {side::cards(view, &data, build)}
            {strip::panel(view, build, &names)}
            {follow(explain::panel)}
            <div class="cmp2">{follow(saved::panel)} {resources::panel(build, &names)}</div>
            {follow(families::panel)}
            {move || {
                // Read, not only tracked: a memo nobody reads follows nothing.
                let _ = stage.get();
                untrack(&text)
            }}
        </div>
    }
    .into_any()
}

/// Builds among files of this machine.
pub fn shown_locally(view: View, build: Arc<BuildComparison>, names: Vec<String>) -> AnyView {
    let follow = |panel: fn(View, &BuildComparison, &[String]) -> AnyView| {
        let (build, names) = (build.clone(), names.clone());
        move || panel(view, &build, &names)
    };
    let stage = Memo::new(move |_| view.state.with(|(_, query)| (query.stage, query.panes)));
    let text = follow(text::panel);
    // One build has nothing to differ from.
    let against = (names.len() > 1).then(|| view! { {strip::panel(view, &build, &names)} {follow(explain::panel)} });
    view! {
        <div class="stack">
            {against}
            <div class="cmp2">{follow(saved::panel)} {resources::panel(&build, &names)}</div>
            {follow(families::panel)}
            {move || {
                let _ = stage.get();
                untrack(&text)
            }}
        </div>
    }
    .into_any()
}

fn table(view: View, data: &CompareResponse) -> Option<lowerline_shared::table::Table> {
    let names: Vec<String> = data.states.iter().map(state_name).collect();
    let query = view.state.with(|(_, query)| query.clone());
    match data.builds.as_slice() {
        [] => None,
        [build] => {
            let names = comparison::column_names(&data.states, &build.config);
            let title =
                format!("{} · {} · {}", names.join(" → "), ids::shown(build.kernel.name.as_str()), build.target);
            Some(comparison::export(build, &names, title, &query))
        }
        _ => Some(list::export(data, &names, query.sort)),
    }
}

/// `x` turns the order of the states around.
fn swap_with_key(view: View) {
    let keys = window_event_listener(leptos::ev::keydown, move |event| {
        if event.key() == "x" && !browser::is_typing() && !event.ctrl_key() && !event.meta_key() && !event.alt_key() {
            view.push(|states, _| states.reverse());
        }
    });
    on_cleanup(move || keys.remove());
}
