//! Search in a project: kernels, commits and measures as the reader types.

use std::sync::Arc;

use leptos::{ev, html, prelude::*};
use lowerline_shared::{
    api::{CommitRow, MeasureHit, ProjectDetail},
    api_path,
    ids::{self, ProjectSlug},
    permalink::{CommitQuery, Page, TrendsQuery},
};

use crate::{app::Go, browser, fetch::use_fetch};

/// Results of each kind that are shown; the number of all is said.
const SHOWN: usize = 8;

/// One result.
#[derive(Clone, PartialEq)]
struct Found {
    kind: &'static str,
    text: String,
    page: Page,
}

fn kernels(project: &ProjectSlug, detail: &ProjectDetail, text: &str) -> Vec<Found> {
    let hits = detail.kernels.iter().filter(|kernel| kernel.name.as_str().to_lowercase().contains(text));
    hits.map(|kernel| Found {
        kind: "kernel",
        text: ids::shown(kernel.name.as_str()),
        page: Page::Trends(project.clone(), TrendsQuery { kernel: Some(kernel.key.clone()), ..TrendsQuery::default() }),
    })
    .collect()
}

fn commits(project: &ProjectSlug, rows: &[CommitRow], text: &str) -> Vec<Found> {
    let matches = |row: &&CommitRow| {
        let commit = &row.commit;
        commit.sha.as_str().starts_with(text)
            || commit.name().to_lowercase().contains(text)
            || commit.subject.to_lowercase().contains(text)
    };
    let found = rows.iter().filter(matches).filter_map(|row| {
        let rev = row.commit.sha.as_str().parse().ok()?;
        let text = format!("{} {}", row.commit.name(), ids::shown(&row.commit.subject));
        Some(Found { kind: "commit", text, page: Page::Commit(project.clone(), rev, CommitQuery::default()) })
    });
    found.collect()
}

/// A measure opens on the kernel in view, else on the first one that has it.
fn measures(project: &ProjectSlug, kernel: Option<&str>, hits: &[MeasureHit]) -> Vec<Found> {
    let query = |hit: &MeasureHit| TrendsQuery {
        kernel: kernel.map(str::to_owned),
        measures: vec![hit.measure.clone()],
        ..TrendsQuery::default()
    };
    hits.iter()
        .map(|hit| Found {
            kind: "measure",
            text: format!("{} · {}", hit.label, hit.measure),
            page: Page::Trends(project.clone(), query(hit)),
        })
        .collect()
}

/// The field and its results. `/` focuses it, Escape leaves.
#[component]
pub fn Search(
    /// Where to search.
    project: ProjectSlug,
    /// What is known of the project, for kernels.
    #[prop(into)]
    detail: Signal<Option<Arc<ProjectDetail>>>,
    /// Kernel in view, for measures.
    #[prop(into)]
    kernel: Signal<Option<String>>,
) -> impl IntoView {
    let go: Go = expect_context();
    let text = RwSignal::new(String::new());
    let open = RwSignal::new(false);
    let field: NodeRef<html::Input> = NodeRef::new();
    let needle = Memo::new(move |_| text.with(|text| text.trim().to_lowercase()));
    let project = StoredValue::new(project);
    // Nothing is asked before the first letter.
    let asks = move || open.get() && needle.with(|needle| !needle.is_empty());
    let rows = use_fetch::<Vec<CommitRow>>(move || {
        asks().then(|| project.with_value(|project| api_path::commits(project, None, 200)))
    });
    let hits = use_fetch::<Vec<MeasureHit>>(move || {
        asks().then(|| {
            let kernel = kernel.get();
            project.with_value(|project| api_path::measures(project, kernel.as_deref(), &needle.get()))
        })
    });
    let found = Memo::new(move |_| {
        let needle = needle.get();
        if needle.is_empty() {
            return Vec::new();
        }
        let project = project.get_value();
        let first = detail.with(|detail| detail.as_ref().and_then(|d| d.kernels.first().map(|k| k.key.clone())));
        let kernel = kernel.get().or(first);
        let mut found = detail.with(|detail| detail.as_ref().map_or_else(Vec::new, |d| kernels(&project, d, &needle)));
        found.truncate(SHOWN);
        let more = rows.data.with(|rows| rows.as_ref().map_or_else(Vec::new, |rows| commits(&project, rows, &needle)));
        found.extend(more.into_iter().take(SHOWN));
        let more =
            hits.data.with(|hits| hits.as_ref().map_or_else(Vec::new, |h| measures(&project, kernel.as_deref(), h)));
        found.extend(more.into_iter().take(SHOWN));
        found
    });
    let close = move || {
        open.set(false);
        text.set(String::new());
        if let Some(field) = field.get_untracked() {
            let _ = field.blur();
        }
    };
    let keys = window_event_listener(ev::keydown, move |event| {
        if event.key() == "/" && !browser::is_typing() {
            event.prevent_default();
            if let Some(field) = field.get_untracked() {
                let _ = field.focus();
            }
        }
    });
    on_cleanup(move || keys.remove());
    let on_key = move |event: ev::KeyboardEvent| match event.key().as_str() {
        "Escape" => close(),
        "Enter" => {
            if let Some(first) = found.with_untracked(|found| found.first().cloned()) {
                close();
                go.push(&first.page);
            }
        }
        _ => {}
    };
    view! {
        <div class="findbox">
            <label class="find">
                <svg class="i" width="13" height="13" viewBox="0 0 13 13" stroke-width="1.5" aria-hidden="true">
                    <circle cx="5.5" cy="5.5" r="4"></circle>
                    <path d="M8.5 8.5 12 12"></path>
                </svg>
                <span class="vh">"Search"</span>
                <input
                    type="search"
                    placeholder="Kernel, opcode, commit"
                    autocomplete="off"
                    data-test="search"
                    node_ref=field
                    prop:value=move || text.get()
                    on:input=move |event| {
                        text.set(event_target_value(&event));
                        open.set(true);
                    }
                    on:keydown=on_key
                />
                <kbd>"/"</kbd>
            </label>
            <Show when=move || open.get() && needle.with(|needle| !needle.is_empty())>
                <ul class="menu found" data-test="search-results">
                    {move || {
                        let found = found.get();
                        if found.is_empty() {
                            let text = if hits.busy.get() { "Searching" } else { "Nothing of that name" };
                            return view! { <li class="muted">{text}</li> }.into_any();
                        }
                        found
                            .into_iter()
                            .map(|Found { kind, text, page }| {
                                view! {
                                    <li>
                                        <a href=page.path() on:click=move |_| close()>
                                            <span class="badge">{kind}</span>
                                            <span class="brk">{text}</span>
                                        </a>
                                    </li>
                                }
                            })
                            .collect_view()
                            .into_any()
                    }}
                </ul>
            </Show>
        </div>
    }
}
