//! Two artifacts of one stage side by side: aligned in the browser, so that renumbered registers are no change.

use std::sync::Arc;

use leptos::prelude::*;
use lowerline_analyzer::diff::{self, Aligned, Names, RowKind, has_text};
use lowerline_shared::{
    api::{ArtifactRef, BuildComparison, StateBuild},
    api_path, display,
    ids::Digest,
    stage::Stage,
};

use super::View;
use crate::{
    fetch::{Fetched, use_text},
    parts::states,
};

mod rows;
mod window;

/// Both texts and how they align.
pub struct Pair {
    /// First text, in lines.
    a: Vec<String>,
    /// Second text, in lines.
    b: Vec<String>,
    aligned: Aligned,
}

fn artifacts(build: &StateBuild) -> &[ArtifactRef] {
    match build {
        StateBuild::Built { artifacts, .. } => artifacts,
        StateBuild::Failed { .. } | StateBuild::Missing => &[],
    }
}

/// The main form of a stage, else any.
fn digest_of(build: &StateBuild, stage: Stage) -> Option<Digest> {
    let of_stage = || artifacts(build).iter().filter(|artifact| artifact.stage == stage);
    of_stage().find(|artifact| artifact.form.is_empty()).or_else(|| of_stage().next()).map(|artifact| artifact.digest)
}

/// Stages that any state has as text, in lowering order.
pub fn stages(build: &BuildComparison) -> Vec<Stage> {
    let has = |stage: &Stage| build.states.iter().any(|state| digest_of(state, *stage).is_some());
    Stage::ALL.into_iter().filter(|stage| has_text(*stage) && has(stage)).collect()
}

/// The panel of one stage, or the way to it.
pub fn panel(view: View, build: &BuildComparison, names: &[String]) -> AnyView {
    let stages = stages(build);
    let open = view.state.with(|(_, query)| query.stage);
    let tabs = stages.iter().copied().map(|stage| {
        let href = move || {
            view.state.with(|_| ());
            view.page(|_, query| query.stage = (open != Some(stage)).then_some(stage)).path()
        };
        let current = (open == Some(stage)).then_some("true");
        view! { <a class="btn" class:primary=open == Some(stage) href=href aria-current=current data-test=format!("stage-{}", stage.id())>{stage.label()}</a> }
    });
    let tabs = tabs.collect_view();
    let body = open.map(|stage| {
        // States that have the stage: the first is the base, the last what it is compared with.
        let mut having = build.states.iter().zip(names).filter_map(|(state, name)| Some((digest_of(state, stage)?, name.clone())));
        match (having.next(), having.next_back()) {
            (Some(a), Some(b)) => view! { <Sides view stage stages=stages.clone() a b/> }.into_any(),
            _ => view! { <p class="body ink2">"Only one state has this stage as text: there is nothing to lay beside it."</p> }.into_any(),
        }
    });
    view! {
        <section class="panel" data-test="text">
            <header>
                <h2>"Text"</h2>
                <span class="muted">"aligned by function and operation; renumbering is no change"</span>
                <span class="end acts">{tabs}</span>
            </header>
            {body}
        </section>
    }
    .into_any()
}

#[component]
fn Sides(view: View, stage: Stage, stages: Vec<Stage>, a: (Digest, String), b: (Digest, String)) -> impl IntoView {
    let raw = RwSignal::new(false);
    let (first, second) = (a.0, b.0);
    let text_a = use_text(move || Some(api_path::blob(&first)));
    let text_b = use_text(move || Some(api_path::blob(&second)));
    let pair = Memo::new_with_compare(
        move |_| {
            let (a, b) = (text_a.data.get()?, text_b.data.get()?);
            let names = if raw.get() { Names::Raw } else { Names::Ignored };
            Some(Arc::new(Pair { aligned: diff::align(stage, names, &a, &b), a: lines(&a), b: lines(&b) }))
        },
        // A new pair is always another one.
        |_, _| true,
    );
    let failed = move || {
        let either = |fetched: Fetched<String>| fetched.failure.get().map(|failure| (failure, fetched));
        either(text_a).or_else(|| either(text_b)).map(|(failure, fetched)| {
            let retry = Callback::new(move |()| fetched.retry());
            view! { <states::ErrorCard what="This text" failure retry/> }
        })
    };
    let links = [a, b].map(|(digest, name)| {
        view! { <a href=api_path::blob(&digest) rel="external" title=digest.to_string()>{name} " ↗"</a> " " }
    });
    view! {
        <div class="lgrow acts">
            <span class="seg" role="group" aria-label="How lines are compared">
                <button type="button" aria-pressed=move || if raw.get() { "false" } else { "true" } on:click=move |_| raw.set(false)>
                    "by meaning"
                </button>
                <button
                    type="button"
                    data-test="raw"
                    aria-pressed=move || if raw.get() { "true" } else { "false" }
                    on:click=move |_| raw.set(true)
                >
                    "as written"
                </button>
            </span>
            <span class="small ink2" data-test="text-summary">{move || pair.get().map(|pair| summary(&pair.aligned))}</span>
            <span class="grow"></span>
            <span class="small">"whole text: " {links.into_iter().collect_view()}</span>
        </div>
        {failed}
        {move || match pair.get() {
            Some(pair) => view! { <window::Window view stage stages=stages.clone() pair/> }.into_any(),
            None => view! { <div class="body loading"><span class="skel tall"></span></div> }.into_any(),
        }}
    }
}

/// Lines as `align` numbers them.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

fn summary(aligned: &Aligned) -> String {
    let number = |kind| aligned.count(kind) as u64;
    let parts = [
        (number(RowKind::Changed), "changed"),
        (number(RowKind::Removed), "removed"),
        (number(RowKind::Added), "added"),
        (number(RowKind::Renamed), "renumbered only"),
    ];
    let mut words: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{} {word}", display::count(i64::try_from(*count).unwrap_or(i64::MAX))))
        .collect();
    if words.is_empty() {
        words.push("equal".to_owned());
    }
    let (a, b) = aligned.left_out;
    if a + b > 0 {
        words.push(format!("{a} | {b} lines of debug information left out"));
    }
    words.join(" · ")
}
