//! The bar around every page: where one is, where one can go, search, theme.

use std::sync::Arc;

use leptos::prelude::*;
use lowerline_shared::{
    api::ProjectDetail,
    api_path,
    ids::ProjectSlug,
    permalink::{CommitQuery, CompareQuery, LayoutsQuery, LoweringQuery, Page, StateRef, TrendsQuery},
};

use crate::{app::Current, fetch::use_fetch, parts::search::Search, theme::Theme};

/// What is known of the project of the address; shared by all of its pages.
#[derive(Clone, Copy)]
pub struct InProject(pub Signal<Option<Arc<ProjectDetail>>>);

fn project_of(page: &Page) -> Option<&ProjectSlug> {
    match page {
        Page::Home | Page::Local(_) | Page::Layouts(_) => None,
        Page::Project(project)
        | Page::Trends(project, _)
        | Page::Commit(project, ..)
        | Page::Compare(project, ..)
        | Page::Lowering(project, ..)
        | Page::Space(project, ..)
        | Page::Dossier(project) => Some(project),
    }
}

fn kernel_of(page: &Page) -> Option<String> {
    match page {
        Page::Trends(_, query) => query.kernel.clone(),
        Page::Compare(_, _, query) => query.kernel.clone(),
        Page::Lowering(_, kernel, _) | Page::Space(_, kernel, _) => Some(kernel.clone()),
        _ => None,
    }
}

/// Pages of a project that need no choice by the reader: the newest commit stands for "commits" and "compare".
fn tabs(project: &ProjectSlug, detail: Option<&ProjectDetail>, kernel: Option<String>) -> Vec<(&'static str, Page)> {
    let mut tabs = vec![
        ("Overview", Page::Project(project.clone())),
        ("Trends", Page::Trends(project.clone(), TrendsQuery { kernel: kernel.clone(), ..TrendsQuery::default() })),
    ];
    // Without a kernel in view, the first one stands for all.
    let first = || detail.and_then(|detail| detail.kernels.first()).map(|kernel| kernel.key.clone());
    if let Some(kernel) = kernel.clone().or_else(first) {
        tabs.push(("Kernels", Page::Lowering(project.clone(), kernel, LoweringQuery::default())));
    }
    let newest = detail.and_then(|detail| detail.project.newest.as_ref());
    let rev = |sha: &lowerline_shared::ids::CommitSha| sha.as_str().parse().ok();
    if let Some(commit) = newest {
        if let (Some(parent), Some(newest)) = (commit.parent.as_ref().and_then(rev), rev(&commit.sha)) {
            let states = vec![StateRef::new(parent), StateRef::new(newest)];
            tabs.push(("Compare", Page::Compare(project.clone(), states, CompareQuery::default())));
        }
        if let Some(newest) = rev(&commit.sha) {
            tabs.push(("Commits", Page::Commit(project.clone(), newest, CommitQuery::default())));
        }
    }
    tabs.push(("Dossier", Page::Dossier(project.clone())));
    tabs
}

fn is_current(tab: &str, page: Option<&Page>) -> bool {
    matches!(
        (tab, page),
        ("Overview", Some(Page::Project(_)))
            | ("Trends", Some(Page::Trends(..)))
            | ("Compare", Some(Page::Compare(..)))
            | ("Commits", Some(Page::Commit(..)))
            | ("Kernels", Some(Page::Lowering(..) | Page::Space(..)))
            | ("Dossier", Some(Page::Dossier(..)))
            | ("Layouts", Some(Page::Layouts(..)))
            | ("Local", Some(Page::Local(_)))
    )
}

/// Follows the project of the address, for all of its pages.
pub fn provide_project(page: Memo<Option<Page>>) {
    let project = Memo::new(move |_| page.with(|page| page.as_ref().and_then(project_of).cloned()));
    let fetched = use_fetch::<ProjectDetail>(move || project.get().map(|project| api_path::project(&project)));
    // Data of the project before is no data of this one.
    let detail = Signal::derive(move || {
        fetched.data.get().filter(|detail| project.with(|project| project.as_ref() == Some(&detail.project.slug)))
    });
    provide_context(InProject(detail));
}

/// The bar.
#[component]
pub fn TopBar() -> impl IntoView {
    let Current(page) = expect_context();
    let InProject(detail) = expect_context();
    let theme: Theme = expect_context();
    let project = Memo::new(move |_| page.with(|page| page.as_ref().and_then(project_of).cloned()));
    let kernel = Memo::new(move |_| page.with(|page| page.as_ref().and_then(kernel_of)));
    view! {
        <header class="top">
            <a class="brand" href=Page::Home.path() data-test="brand">
                <svg width="18" height="18" viewBox="0 0 18 18" stroke-width="2" aria-hidden="true">
                    <path d="M1 4h5v5h5v5h6"></path>
                </svg>
                "Lowerline"
            </a>
            {move || {
                project
                    .get()
                    .map(|project| {
                        let href = Page::Project(project.clone()).path();
                        view! { <span class="crumb">"/ " <a href=href><b>{project.to_string()}</b></a></span> }
                    })
            }}
            <nav class="nav" aria-label="Pages">
                {move || {
                    let tabs = project.get().map(|project| tabs(&project, detail.get().as_deref(), kernel.get()));
                    let everywhere = [
                        ("Layouts", Page::Layouts(LayoutsQuery::default())),
                        ("Local", Page::Local(CompareQuery::default())),
                    ];
                    tabs.unwrap_or_default()
                        .into_iter()
                        .chain(everywhere)
                        .map(|(name, target)| {
                            let current = move || page.with(|page| is_current(name, page.as_ref())).then_some("page");
                            view! { <a href=target.path() aria-current=current>{name}</a> }
                        })
                        .collect_view()
                }}
            </nav>
            {move || {
                project.get().map(|project| view! { <Search project detail kernel=Signal::derive(move || kernel.get())/> })
            }}
            <button
                class="btn quiet theme"
                type="button"
                data-test="theme"
                aria-label=move || theme.name()
                title=move || theme.name()
                on:click=move |_| theme.advance()
            >
                {move || theme.mark()}
            </button>
        </header>
    }
}
