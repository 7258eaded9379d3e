//! Small multiples: a row per measure, a column per target.

use std::sync::Arc;

use leptos::{ev, prelude::*};
use lowerline_shared::{
    api::{Series, TrendResponse},
    ids::{Rev, TargetName},
    measure::{Level, Measure},
    permalink::{CompareQuery, Page, StateRef},
    plot::{self, Change, Plot},
    target,
};

use super::{View, axis, hover, measure};
use crate::{
    browser,
    chart::cell::{Chart, Charts, StepLink},
};

/// Labels that fit under one chart.
const LABELS: u32 = 7;

/// What the pointer is over.
#[derive(Clone, PartialEq, Eq)]
pub struct Pointed {
    /// Row and column.
    pub cell: (usize, usize),
    /// Position of the commit.
    pub at: u32,
}

/// Measures of an answer in the order asked.
pub fn measures(data: &TrendResponse) -> Vec<Measure> {
    let mut out: Vec<Measure> = Vec::new();
    for series in &data.series {
        if !out.contains(&series.measure) {
            out.push(series.measure.clone());
        }
    }
    out
}

/// Targets of an answer as people list them.
pub fn targets(data: &TrendResponse) -> Vec<TargetName> {
    target::sorted(data.series.iter().map(|series| series.target.clone()).collect())
}

/// The line of a cell.
pub fn series_of<'a>(data: &'a TrendResponse, measure: &Measure, target: &TargetName) -> Option<&'a Series> {
    data.series.iter().find(|series| series.measure == *measure && series.target == *target)
}

/// The comparison a change leads to.
pub fn comparison(view: View, data: &TrendResponse, target: &TargetName, parent: Rev, rev: Rev) -> Page {
    let query = CompareQuery {
        kernel: Some(data.kernel.key.clone()),
        target: Some(target.clone()),
        config: Some(data.config.clone()),
        scope: data.scope,
        ..CompareQuery::default()
    };
    Page::Compare(view.project.get_value(), vec![StateRef::new(parent), StateRef::new(rev)], query)
}

fn step_link(view: View, data: &TrendResponse, series: &Series, change: &Change) -> Option<StepLink> {
    let commit = axis::commit_at(data, change.at)?;
    let rev = axis::rev_of(commit)?;
    let parent = axis::commit_before(data, change.parent).and_then(axis::rev_of)?;
    let label = format!(
        "{} on {} at {}: {} → {}, open the comparison",
        measure::name(&series.measure),
        series.target,
        commit.name(),
        series.value_text(change.before),
        series.value_text(change.now),
    );
    let keep = view.page(|query| query.at = Some(rev.clone())).path();
    Some(StepLink { href: comparison(view, data, &series.target, parent, rev).path(), keep, label })
}

/// All values of a cell, for those who cannot see the line.
fn spoken(data: &TrendResponse, series: &Series) -> String {
    let (first, last) = data.positions;
    let values = (first..=last).take(40).map(|at| {
        let value = plot::value_at(series, at).map_or_else(|| "–".to_owned(), |value| series.value_text(value));
        format!("{} {value}", axis::name_at(data, at))
    });
    format!("{}, {}: {}", measure::name(&series.measure), series.target, values.collect::<Vec<_>>().join(", "))
}

/// The grid, with the keys that walk it.
#[component]
pub fn Grid(view: View, data: Arc<TrendResponse>) -> impl IntoView {
    let charts: Charts = expect_context();
    let (measures, targets) = (measures(&data), targets(&data));
    let at = Signal::derive({
        let data = data.clone();
        move || view.query.with(|query| query.at.as_ref().and_then(|rev| axis::position_of(&data, rev)))
    });
    let pointed: RwSignal<Option<Pointed>> = RwSignal::new(None);
    walk_with_keys(view, &data, at);
    let heads = targets.iter().map(|name| {
        let stage = Level::Machine.stage(target::vendor(name)).label();
        view! {
            <div class="ch">
                <b>{name.to_string()}</b>
                " "
                <span class="muted">{target::hardware_family(name)} " · " {stage}</span>
            </div>
        }
    });
    let rows = measures.iter().enumerate().map(|(row, measure)| {
        let cells = targets.iter().enumerate().map(|(column, target)| {
            view! { <Cell view data=data.clone() measure=measure.clone() target=target.clone() cell=(row, column) at pointed/> }
        });
        view! {
            <div class="rh">{measure::head(measure)} <small>{measure::detail(measure)}</small></div>
            {cells.collect_view()}
        }
    });
    let feet = targets.iter().map(|_| axis_labels(&data, at));
    view! {
        <section class="panel" aria-label="Small multiples">
            {move || {
                charts
                    .has_failed()
                    .then(|| {
                        view! {
                            <p class="note" role="alert">
                                "The chart library could not be loaded; the values are in the table of changes below."
                            </p>
                        }
                    })
            }}
            <div class="scroll">
                <div class="sm" data-test="grid" style=("--cols", targets.len().to_string())>
                    <div class="rh ch"><b>"Measure"</b></div>
                    {heads.collect_view()}
                    {rows.collect_view()}
                    <div class="rh lastrow axis"></div>
                    {feet.collect_view()}
                </div>
            </div>
        </section>
    }
}

#[component]
fn Cell(
    view: View,
    data: Arc<TrendResponse>,
    measure: Measure,
    target: TargetName,
    cell: (usize, usize),
    at: Signal<Option<u32>>,
    pointed: RwSignal<Option<Pointed>>,
) -> impl IntoView {
    let Some(series) = series_of(&data, &measure, &target).cloned() else {
        return nothing(&target, "not counted on this target");
    };
    let series = Arc::new(series);
    let plot: Arc<Plot> = Arc::new(plot::plot(&series));
    if plot.runs.is_empty() && plot.failed.is_empty() {
        let why = if measure::origin(&series).is_empty() {
            "no value on this target"
        } else {
            "no such stage on this target"
        };
        return nothing(&target, why);
    }
    let links = plot.changes.iter().filter_map(|change| Some((*change, step_link(view, &data, &series, change)?)));
    let links: Vec<_> = links.collect();
    // One crosshair over all cells: each chart reads the position, and writes it with its own cell.
    let hovered = RwSignal::new(None::<u32>);
    Effect::new(move |_| {
        let here = hovered.get().map(|at| Pointed { cell, at });
        if here.is_some() || pointed.with_untracked(|pointed| pointed.as_ref().is_some_and(|p| p.cell == cell)) {
            pointed.set(here);
        }
    });
    let cross = Signal::derive(move || pointed.with(|pointed| pointed.as_ref().map(|pointed| pointed.at)));
    let picked = data.clone();
    let pick = Callback::new(move |at: u32| {
        if let Some(rev) = axis::commit_at(&picked, at).and_then(axis::rev_of) {
            view.replace(|query| query.at = Some(rev));
        }
    });
    let label = spoken(&data, &series);
    let card = {
        let (data, series) = (data.clone(), series.clone());
        move || {
            let at = pointed.with(|pointed| pointed.as_ref().filter(|p| p.cell == cell).map(|p| p.at))?;
            Some(hover::card(&data, &series, at))
        }
    };
    let test = format!("cell-{measure}-{target}");
    view! {
        <div class="cell" data-test=test role="group" aria-label=label>
            <span class="tlab">{target.to_string()}</span>
            <Chart
                plot
                kind=measure::kind(&measure)
                colour=measure::colour(&measure)
                axis=data.positions
                at
                hovered
                cross
                pick
                links
            />
            {card}
        </div>
    }
    .into_any()
}

/// A cell without a line, and why.
fn nothing(target: &TargetName, why: &'static str) -> AnyView {
    view! {
        <div class="cell small muted">
            <span class="tlab">{target.to_string()}</span>
            <p class="pad">{why}</p>
        </div>
    }
    .into_any()
}

fn axis_labels(data: &TrendResponse, at: Signal<Option<u32>>) -> impl IntoView + use<> {
    let (first, last) = data.positions;
    let labels: Vec<(u32, String)> =
        plot::labelled(first, last, LABELS).into_iter().map(|at| (at, axis::name_at(data, at))).collect();
    let labels = labels.into_iter().map(move |(position, name)| {
        view! {
            <span
                class="tick"
                class:strong=move || at.get() == Some(position)
                style:left=format!("{:.3}%", plot::fraction_of(position, first, last) * 100.0)
            >
                {name}
            </span>
        }
    });
    view! { <div class="lastrow axis" aria-hidden="true"><div class="ticks">{labels.collect_view()}</div></div> }
}

/// `←` `→` walk the changes, with Shift the commits.
fn walk_with_keys(view: View, data: &Arc<TrendResponse>, at: Signal<Option<u32>>) {
    let mut changes: Vec<u32> =
        data.series.iter().flat_map(|series| plot::plot(series).changes).map(|change| change.at).collect();
    changes.sort_unstable();
    changes.dedup();
    let mut commits: Vec<u32> = data.commits.iter().map(|commit| commit.position).collect();
    commits.sort_unstable();
    let data = data.clone();
    let keys = window_event_listener(ev::keydown, move |event| {
        let forward = match event.key().as_str() {
            "ArrowRight" => true,
            "ArrowLeft" => false,
            _ => return,
        };
        if browser::is_typing() || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let positions = if event.shift_key() { &commits } else { &changes };
        let next = plot::walk(positions, at.get_untracked(), forward);
        if let Some(rev) = next.and_then(|next| axis::commit_at(&data, next)).and_then(axis::rev_of) {
            event.prevent_default();
            view.replace(|query| query.at = Some(rev));
        }
    });
    on_cleanup(move || keys.remove());
}
