//! The texts of a comparison: two artifacts of one stage aligned, so that renumbered registers are no change, or two of any
//! stages beside each other. The worker reads and aligns them.

use std::sync::Arc;

use leptos::prelude::*;
use lowerline_analyzer::diff::RowKind;
use lowerline_shared::{
    api::{ArtifactRef, BuildComparison, StateBuild},
    api_path, display,
    ids::Digest,
    permalink::PaneRef,
    stage::Stage,
};

use super::View;
use crate::{blobs::Blobs, fetch::use_answer, parts::states};

mod doc;
mod find;
mod panes;
mod rows;
mod scroller;
mod select;
mod sources;
mod window;

use doc::Pair;
use select::Selection;

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

/// The form of a stage that says most of its lines: SASS with source lines where there is such, else as [`digest_of`].
fn lined_digest_of(build: &StateBuild, stage: Stage) -> Option<Digest> {
    let lined = artifacts(build).iter().find(|artifact| artifact.stage == stage && artifact.form == "lines");
    lined.map(|artifact| artifact.digest).or_else(|| digest_of(build, stage))
}

/// Stages that any state has and that can be read, in lowering order. Of a cubin, that is our disassembly.
fn stages(build: &BuildComparison) -> Vec<Stage> {
    let has = |stage: &Stage| build.states.iter().any(|state| digest_of(state, *stage).is_some());
    Stage::ALL.into_iter().filter(|stage| *stage != Stage::Hsaco && has(stage)).collect()
}

/// The panes to begin with: of the first state, where its change can be followed down.
fn first_panes(build: &BuildComparison, open: Option<Stage>) -> Option<(PaneRef, PaneRef)> {
    let (state, build) = build.states.iter().enumerate().find(|(_, state)| !artifacts(state).is_empty())?;
    let state = u8::try_from(state).ok()?;
    let has = |stage: &Stage| digest_of(build, *stage).is_some();
    let upper = [Stage::Ttgir, Stage::Ttir, Stage::Source, Stage::Ptx, Stage::Llir];
    // A cubin has a line table; SASS text seldom names places.
    let lower = [Stage::Cubin, Stage::Amdgcn, Stage::Sass, Stage::Ptx, Stage::Llir];
    let a = open.filter(has).or_else(|| upper.into_iter().find(has))?;
    let b = lower.into_iter().find(|stage| has(stage) && *stage != a).or_else(|| upper.into_iter().find(has))?;
    Some((PaneRef { state, stage: a }, PaneRef { state, stage: b }))
}

/// The panel of one stage, or of two texts, or the way to them.
pub fn panel(view: View, build: &BuildComparison, names: &[String]) -> AnyView {
    let stages = stages(build);
    let (open, panes) = view.state.with(|(_, query)| (query.stage, query.panes));
    let tabs = stages.iter().copied().map(|stage| {
        let is_open = open == Some(stage) && panes.is_none();
        let href = move || {
            view.state.with(|_| ());
            view.page(|_, query| {
                query.stage = (!is_open).then_some(stage);
                query.find = None;
                query.panes = None;
                query.line = None;
            })
            .path()
        };
        let current = is_open.then_some("true");
        view! { <a class="btn" class:primary=is_open href=href aria-current=current data-test=format!("stage-{}", stage.id())>{stage.label()}</a> }
    });
    let tabs = tabs.collect_view();
    let beside = first_panes(build, open).map(|first| {
        let href = move || {
            view.state.with(|_| ());
            view.page(|_, query| {
                query.panes = if panes.is_some() { None } else { Some(first) };
                query.line = None;
            })
            .path()
        };
        let current = panes.is_some().then_some("true");
        view! { <a class="btn" class:primary=panes.is_some() href=href aria-current=current data-test="two-texts">"two texts"</a> }
    });
    let body = match (panes, open) {
        (Some(panes), _) => Some(panes::panel(view, build, names, panes)),
        (None, Some(stage)) => Some(aligned(view, build, names, stage, &stages)),
        (None, None) => None,
    };
    view! {
        <section class="panel" data-test="text">
            <header>
                <h2>"Text"</h2>
                <span class="muted">"aligned by function and operation; renumbering is no change"</span>
                <span class="end acts">{tabs} {beside}</span>
            </header>
            {body}
        </section>
    }
    .into_any()
}

/// States that have the stage: the first is the base, the last what it is compared with.
fn aligned(view: View, build: &BuildComparison, names: &[String], stage: Stage, stages: &[Stage]) -> AnyView {
    let having = build.states.iter().zip(names).enumerate();
    let mut having = having.filter_map(|(n, (state, name))| {
        let pane = PaneRef { state: u8::try_from(n).ok()?, stage };
        Some(Side { pane, digest: digest_of(state, stage)?, name: name.clone() })
    });
    let stages = stages.to_vec();
    match (having.next(), having.next_back()) {
        (Some(a), Some(b)) => view! { <Sides view stages a b/> }.into_any(),
        (Some(only), None) => {
            let panes = Some((only.pane, only.pane));
            let href = view.page(|_, query| query.panes = panes).path();
            view! {
                <p class="body ink2" data-test="one-side">
                    {format!("Only {} has {} as text: there is nothing to lay beside it. ", only.name, stage.label())}
                    <a href=href>"Look at it alone"</a>
                </p>
            }
            .into_any()
        }
        _ => view! {
            <p class="body ink2" data-test="no-side">{format!("No state has {} as text.", stage.label())}</p>
        }
        .into_any(),
    }
}

/// One of two texts.
#[derive(Clone, PartialEq, Eq)]
struct Side {
    pane: PaneRef,
    digest: Digest,
    name: String,
}

#[component]
fn Sides(view: View, stages: Vec<Stage>, a: Side, b: Side) -> impl IntoView {
    let raw = RwSignal::new(false);
    let (blobs, stage, panes) = (view.blobs(), a.pane.stage, [a.pane, b.pane]);
    let (first, second) = (a.digest, b.digest);
    let pair = use_answer(move || Some(raw.get()), move |raw| doc::align(blobs, stage, raw, first, second));
    let links = [a, b].map(|Side { digest, name, .. }| match blobs {
        Blobs::Server => {
            view! { <a href=api_path::blob(&digest) rel="external" title=digest.to_string()>{name} " ↗"</a> " " }
                .into_any()
        }
        Blobs::Local => view! { <span title=digest.to_string()>{name}</span> " " }.into_any(),
    });
    view! {
        <div class="lgrow acts wide">
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
            <span class="small ink2" data-test="text-summary">{move || pair.data.get().map(|pair| summary(&pair))}</span>
            <span class="grow"></span>
            <span class="small">"whole text: " {links.into_iter().collect_view()}</span>
        </div>
        {move || {
            let stages = stages.clone();
            match (pair.failure.get(), pair.data.get()) {
                (Some(failure), _) => {
                    let retry = Callback::new(move |()| pair.retry());
                    view! { <states::ErrorCard what="This text" failure retry/> }.into_any()
                }
                (None, Some(pair)) => view! { <Laid view stages panes pair/> }.into_any(),
                (None, None) => view! { <div class="body loading"><span class="skel tall"></span></div> }.into_any(),
            }
        }}
    }
}

#[component]
fn Laid(view: View, stages: Vec<Stage>, panes: [PaneRef; 2], pair: Arc<Pair>) -> impl IntoView {
    let docs = [pair.a.clone(), pair.b.clone()];
    let selection = Selection::new(view, panes, docs.clone());
    view! {
        <window::Window view stage=panes[0].stage stages pair selection/>
        <sources::Sources view panes docs selection/>
    }
}

fn summary(pair: &Pair) -> String {
    let number = |kind| pair.count(kind) as u64;
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
    let (a, b) = pair.left_out;
    if a + b > 0 {
        words.push(format!("{a} | {b} lines of debug information left out"));
    }
    words.join(" · ")
}
