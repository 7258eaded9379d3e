//! Loading, empty, error: every page and panel has these three beside its data.

use std::sync::Arc;

use leptos::prelude::*;
use lowerline_shared::problem::Code;

use super::toast::Toaster;
use crate::fetch::{Failure, Fetched};

/// The layout of the data, without data.
#[component]
pub fn Skeleton(
    /// Rows of grey bars.
    #[prop(default = 4)]
    rows: usize,
) -> impl IntoView {
    let widths = ["w1", "w2", "tall", "w3"];
    let bars = (0..rows).map(|n| view! { <span class=format!("skel {}", widths.get(n % 4).unwrap_or(&"w1"))></span> });
    view! {
        <section class="panel" data-test="loading">
            <div class="body loading" aria-busy="true">{bars.collect_view()} <span class="vh">"Loading"</span></div>
        </section>
    }
}

/// Nothing to show, why, and what to do.
#[component]
pub fn Empty(
    /// What is not there.
    #[prop(into)]
    title: String,
    /// Why, and where to go.
    children: Children,
) -> impl IntoView {
    view! {
        <div class="empty" data-test="empty">
            <p class="strong brk">{title}</p>
            {children()}
        </div>
    }
}

/// A sentence for each code that is not clear by itself.
const fn advice(code: Option<Code>) -> &'static str {
    match code {
        Some(Code::NotFound) => "Check the address, or start from the project's overview.",
        Some(Code::Busy) => "The server has too much to do; the link is still right. Try again in a moment.",
        Some(Code::Unavailable | Code::Timeout) => "The link is still right; the data was not lost.",
        Some(Code::Internal) => "This is a fault of the server, with the request number below in its log.",
        _ => "The link is still right.",
    }
}

/// An error in place of the data.
#[component]
pub fn ErrorCard(
    /// What could not be read.
    what: &'static str,
    /// Why.
    failure: Failure,
    /// Asks again.
    retry: Callback<()>,
) -> impl IntoView {
    let toaster: Toaster = expect_context();
    let title =
        if failure.is_not_found() { format!("{what} is not here") } else { format!("{what} could not be read") };
    let details = format!("{failure:?}");
    let request = failure.request_id.as_ref().map(|id| view! { <p class="small muted mono">{id.clone()}</p> });
    view! {
        <section class="panel">
            <div class="body">
                <div class="err" role="alert" data-test="error">
                    <b>{title}</b>
                    <p class="brk">
                        {failure.message.clone()} " " {failure.hint.clone().unwrap_or_else(|| advice(failure.code).to_owned())}
                    </p>
                    {request}
                    <span class="acts">
                        <button class="btn" type="button" data-test="retry" on:click=move |_| retry.run(())>
                            "Try again"
                        </button>
                        <button
                            class="btn quiet"
                            type="button"
                            on:click=move |_| toaster.copy("Details", details.clone())
                        >
                            "Copy details"
                        </button>
                    </span>
                </div>
            </div>
        </section>
    }
}

/// Data, or its skeleton, or its error. Old data stays, dimmed, while new data loads.
pub fn fetched<T, V>(
    what: &'static str,
    fetched: Fetched<T>,
    rows: usize,
    show: impl Fn(Arc<T>) -> V + Send + Sync + 'static,
) -> impl IntoView
where
    T: Send + Sync + 'static,
    V: IntoView + 'static,
{
    view! {
        <div class:old=move || fetched.busy.get() && fetched.data.with(Option::is_some)>
            {move || match (fetched.failure.get(), fetched.data.get()) {
                (Some(failure), _) => {
                    let retry = Callback::new(move |()| fetched.retry());
                    view! { <ErrorCard what failure retry/> }.into_any()
                }
                (None, Some(data)) => show(data).into_any(),
                (None, None) => view! { <Skeleton rows/> }.into_any(),
            }}
        </div>
    }
}
