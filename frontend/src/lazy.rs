//! Pages that come in parts of their own, fetched when one of them is first opened.
//!
//! `cargo xtask build-app` cuts the module at the functions marked here; what only they reach leaves the main part. A part
//! bears the path segments that say which pages it is for, joined by `_`; `index.html` fetches it beside the module.
//! Pages share a part because every part more cuts what parts have in common into smaller chunks, each with a weight of
//! its own.

#![expect(clippy::unnecessary_wraps, reason = "a part that does not come is an error of the same function")]

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use leptos::{
    prelude::*,
    task::spawn_local,
    wasm_split::{SplitLoaderError, wasm_split},
};
use lowerline_shared::ids::ProjectSlug;

use crate::{
    fetch::Failure,
    pages,
    parts::states::{ErrorCard, Skeleton},
};

type Opened = Result<AnyView, SplitLoaderError>;

#[wasm_split(trends, wasm_split_path = leptos::wasm_split, preload(load_trends), fallible)]
fn open_trends(project: ProjectSlug) -> Opened {
    Ok(view! { <pages::trends::Trends project/> }.into_any())
}

#[wasm_split(compare, wasm_split_path = leptos::wasm_split, preload(load_compare), fallible)]
fn open_compare(project: ProjectSlug) -> Opened {
    Ok(view! { <pages::compare::Compare project/> }.into_any())
}

#[wasm_split(kernels, wasm_split_path = leptos::wasm_split, preload(load_lowering), fallible)]
fn open_lowering(project: ProjectSlug) -> Opened {
    Ok(view! { <pages::lowering::Lowering project/> }.into_any())
}

#[wasm_split(kernels, wasm_split_path = leptos::wasm_split, preload(load_space), fallible)]
fn open_space(project: ProjectSlug) -> Opened {
    Ok(view! { <pages::space::Space project/> }.into_any())
}

#[wasm_split(layouts_dossier, wasm_split_path = leptos::wasm_split, preload(load_layouts), fallible)]
fn open_layouts() -> Opened {
    Ok(view! { <pages::layouts::Layouts/> }.into_any())
}

#[wasm_split(layouts_dossier, wasm_split_path = leptos::wasm_split, preload(load_dossier), fallible)]
fn open_dossier(project: ProjectSlug) -> Opened {
    Ok(view! { <pages::dossier::DossierPage project/> }.into_any())
}

#[wasm_split(local, wasm_split_path = leptos::wasm_split, preload(load_local), fallible)]
fn open_local() -> Opened {
    Ok(view! { <pages::local::Local/> }.into_any())
}

/// Lines over commits.
pub fn trends(project: ProjectSlug) -> AnyView {
    page(load_trends, move || open_trends(project.clone()))
}

/// States side by side, and the drill-down.
pub fn compare(project: ProjectSlug) -> AnyView {
    page(load_compare, move || open_compare(project.clone()))
}

/// One kernel on every target.
pub fn lowering(project: ProjectSlug) -> AnyView {
    page(load_lowering, move || open_lowering(project.clone()))
}

/// All configs of a kernel.
pub fn space(project: ProjectSlug) -> AnyView {
    page(load_space, move || open_space(project.clone()))
}

/// Where the elements of a tile live.
pub fn layouts() -> AnyView {
    page(load_layouts, open_layouts)
}

/// Stated figures, checked.
pub fn dossier(project: ProjectSlug) -> AnyView {
    page(load_dossier, move || open_dossier(project.clone()))
}

/// Files of this machine.
pub fn local() -> AnyView {
    page(load_local, open_local)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Awaited,
    Here,
    Lost,
}

/// The page once its part is here. Opening is done by the page's own place in the tree, not by the task that waits for the
/// part: a page that is gone by then is not opened.
fn page<L, O>(load: fn() -> L, open: impl Fn() -> O + Send + 'static) -> AnyView
where
    L: Future<Output = Result<(), SplitLoaderError>> + 'static,
    O: Future<Output = Opened> + 'static,
{
    let part = RwSignal::new(Part::Awaited);
    let fetch = move || {
        part.set(Part::Awaited);
        spawn_local(async move {
            let state = if load().await.is_ok() { Part::Here } else { Part::Lost };
            let _ = part.try_set(state);
        });
    };
    fetch();
    let view = move || match part.get() {
        Part::Here => now(open()).and_then(Result::ok).unwrap_or_else(|| lost(fetch)),
        Part::Awaited => view! { <Skeleton/> }.into_any(),
        Part::Lost => lost(fetch),
    };
    view.into_any()
}

fn lost(fetch: impl Fn() + Send + Sync + 'static) -> AnyView {
    let failure = Failure {
        hint: Some("The server may have been replaced by a newer one: reload the page.".to_owned()),
        ..Failure::new(None, "The part of the program that draws this page did not come.")
    };
    view! { <ErrorCard what="The page" failure retry=Callback::new(move |()| fetch())/> }.into_any()
}

/// The result of a future that waits for nothing.
fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
