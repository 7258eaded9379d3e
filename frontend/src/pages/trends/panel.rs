//! The side panel: what the selected commit changed on one target.

use std::sync::Arc;

use leptos::prelude::*;
use lowerline_shared::{
    api::{BuildComparison, CommitSummary, CompareResponse, Coverage, LevelTable, StateBuild, TrendResponse},
    api_path,
    comparison::{self, FamilyLine},
    ids::{self, TargetName},
    permalink::Page,
    plot,
    table::{Cell, Table},
};

use super::{View, axis, grid};
use crate::{
    browser,
    fetch::use_fetch,
    parts::{
        export::{CopyTable, Takeaway},
        marks, states,
        toast::Toaster,
    },
};

/// Families listed; the comparison has all.
const LISTED: usize = 8;

/// The panel; says what to do while no commit is selected.
#[component]
pub fn Panel(view: View, data: Arc<TrendResponse>) -> impl IntoView {
    let commit = Memo::new({
        let data = data.clone();
        move |_| {
            let at = view.query.with(|query| query.at.clone())?;
            let position = axis::position_of(&data, &at)?;
            axis::commit_at(&data, position).cloned()
        }
    });
    view! {
        <aside class="panel" aria-label="Selected step" data-test="panel">
            {move || match commit.get() {
                None => view! {
                    <header><h2>"No commit selected"</h2></header>
                    <div class="body">
                        <p class="ink2">
                            "Click a commit in a chart to see what it changed here; click a ring to open the comparison. "
                            <kbd>"←"</kbd> " " <kbd>"→"</kbd> " walk the changes, with " <kbd>"⇧"</kbd> " the commits."
                        </p>
                    </div>
                }
                .into_any(),
                Some(commit) => view! { <Selected view data=data.clone() commit/> }.into_any(),
            }}
        </aside>
    }
}

/// Targets where something in view moved at the commit come first.
fn target_order(data: &TrendResponse, at: u32) -> Vec<TargetName> {
    let moved = |target: &TargetName| {
        let mut own = data.series.iter().filter(|series| series.target == *target);
        own.any(|series| plot::plot(series).changes.iter().any(|change| change.at == at))
    };
    let (mut first, rest): (Vec<TargetName>, Vec<TargetName>) = grid::targets(data).into_iter().partition(moved);
    first.extend(rest);
    first
}

fn failure_at(data: &TrendResponse, target: &TargetName, at: u32) -> Option<String> {
    let series = data.series.iter().find(|series| series.target == *target)?;
    if plot::coverage_at(&series.coverage, at) != Coverage::Failed {
        return None;
    }
    let message = series.failures.range(..=at).next_back().map(|(_, message)| ids::shown(message));
    Some(message.unwrap_or_default())
}

#[component]
fn Selected(view: View, data: Arc<TrendResponse>, commit: CommitSummary) -> impl IntoView {
    let targets = target_order(&data, commit.position);
    let target = RwSignal::new(targets.first().cloned());
    let parent = axis::parent_rev(&data, &commit);
    let parent_name = parent.as_ref().and_then(|rev| {
        let known = data.commits.iter().find(|commit| commit.sha.as_str() == rev.as_str());
        known.map(|commit| commit.name().to_owned()).or_else(|| rev.as_str().get(..10).map(str::to_owned))
    });
    let tabs = targets.iter().cloned().map(|name| {
        let own = name.clone();
        let pressed = move || if target.with(|target| target.as_ref() == Some(&own)) { "true" } else { "false" };
        let text = name.to_string();
        view! {
            <button type="button" aria-pressed=pressed on:click=move |_| target.set(Some(name.clone()))>{text}</button>
        }
    });
    let tabs = tabs.collect_view();
    let subject = ids::shown(&commit.subject);
    let heading = commit.name().to_owned();
    let against = match &parent_name {
        Some(name) => format!("against {name}"),
        None => "the first commit".to_owned(),
    };
    let body = move || {
        let target = target.get()?;
        let failed = failure_at(&data, &target, commit.position);
        let failed = failed.map(|message| view! { <p class="note brk clip">"✕ Failed here: " {message}</p> });
        let rest = match (&parent, axis::rev_of(&commit)) {
            (Some(parent), Some(rev)) => {
                let page = grid::comparison(view, &data, &target, parent.clone(), rev);
                view! { <Moved page/> }.into_any()
            }
            _ => view! { <p class="ink2">"There is nothing before it to compare with."</p> }.into_any(),
        };
        Some(view! { {failed} {rest} })
    };
    view! {
        <header><h2>{heading}</h2><span class="muted">{against}</span></header>
        <div class="body stack">
            <p class="ink2 brk">{subject}</p>
            <p><span class="seg" role="group" aria-label="Target">{tabs}</span></p>
            {body}
        </div>
    }
}

#[component]
fn Moved(page: Page) -> impl IntoView {
    let toaster: Toaster = expect_context();
    let Page::Compare(project, refs, query) = page.clone() else { return ().into_any() };
    let address = api_path::compare(&project, &refs, &query);
    let fetched = use_fetch::<CompareResponse>(move || Some(address.clone()));
    let path = page.path();
    let link = browser::absolute(&path);
    let takeaway = Signal::derive(move || Takeaway {
        page: page.clone(),
        table: fetched.data.with(|data| data.as_ref().and_then(|data| Some(short_table(data, data.builds.first()?)))),
        name: "step",
    });
    view! {
        {states::fetched("This step", fetched, 3, |data: Arc<CompareResponse>| match data.builds.first() {
            Some(build) => moved(&data, build).into_any(),
            None => view! { <p class="ink2">"Nothing was built on either side."</p> }.into_any(),
        })}
        <div class="acts">
            <a class="btn primary" href=path data-test="open-comparison">"Open comparison"</a>
            <button class="btn" type="button" on:click=move |_| toaster.copy("Link", link.clone())>"Copy link"</button>
            <CopyTable takeaway/>
        </div>
    }
    .into_any()
}

/// The lowest level that has counts.
fn machine(build: &BuildComparison) -> Option<&LevelTable> {
    build.levels.last()
}

fn pair(counts: &[Option<i64>]) -> (Option<i64>, Option<i64>) {
    (counts.first().copied().flatten(), counts.last().copied().flatten())
}

fn moved(data: &CompareResponse, build: &BuildComparison) -> impl IntoView + use<> {
    let names: Vec<String> = data.states.iter().map(comparison::state_name).collect();
    let (first, last) = (names.first().cloned(), names.last().cloned());
    let level = machine(build);
    let levels: &[LevelTable] = level.map(std::slice::from_ref).unwrap_or_default();
    let (changed, still) = comparison::family_lines(levels);
    let counts = |line: &FamilyLine<'_>| line.rows.first().copied().flatten().map(|row| pair(&row.counts));
    let rows = changed.iter().take(LISTED).filter_map(|line| {
        let (before, now) = counts(line)?;
        Some(view! {
            <tr data-test=format!("moved-{}", line.family.id())>
                <th scope="row">{marks::family_name(line.family)}</th>
                <td class="num muted">{marks::count(before)}</td>
                <td class="num">{marks::count(now)}</td>
                <td class="num">{marks::delta(before, now)}</td>
            </tr>
        })
    });
    let rows = rows.collect_view();
    let more = changed.len().saturating_sub(LISTED);
    let controls: Vec<String> = still
        .iter()
        .filter_map(|line| {
            Some(format!("{} {}", line.family.info().short.to_lowercase(), marks::count(counts(line)?.1)))
        })
        .take(4)
        .collect();
    let quiet = format!(
        "{}{} did not move{}{}",
        if more > 0 { format!("{more} more moved · ") } else { String::new() },
        still.len(),
        if controls.is_empty() { "" } else { ": " },
        controls.join(", "),
    );
    let stage = level.map(|level| level.stage.label()).unwrap_or_default();
    view! {
        {facts(build)}
        <table data-test="panel-families">
            <caption class="vh">"Families that moved"</caption>
            <thead>
                <tr>
                    <th scope="col">"Family, " {stage}</th>
                    <th class="num" scope="col">{first}</th>
                    <th class="num" scope="col">{last}</th>
                    <th class="num" scope="col">"Δ"</th>
                </tr>
            </thead>
            <tbody>{rows} <tr class="quiet"><td colspan="4">{quiet}</td></tr></tbody>
        </table>
    }
}

/// Assemblers, instructions, resources that moved.
fn facts(build: &BuildComparison) -> impl IntoView + use<> {
    let assembler = |state: Option<&StateBuild>| {
        let tools = state.and_then(comparison::state_toolchain)?;
        tools.iter().find(|(tool, _)| tool.contains("ptxas")).map(|(tool, version)| format!("{tool} {version}"))
    };
    let tools = (assembler(build.states.first()), assembler(build.states.last()));
    let tools = match tools {
        (Some(a), Some(b)) if a == b => Some(a),
        (a, b) if a.is_some() || b.is_some() => {
            Some(format!("{} → {}", a.unwrap_or_else(|| "–".to_owned()), b.unwrap_or_else(|| "–".to_owned())))
        }
        _ => None,
    };
    let instructions =
        machine(build).map(|level| (format!("{} instructions", level.stage.label()), pair(&level.instructions)));
    let resources = build.resources.iter().filter(|row| comparison::has_moved(&row.values));
    let resources = resources.map(|row| {
        let (resource, (before, now)) = (row.resource, pair(&row.values));
        let [from, to] = [before, now].map(|value| marks::resource(resource, value));
        let delta = marks::resource_delta(resource, before, now);
        view! { <dt>{resource.label().to_owned()}</dt><dd>{from} " → " {to} " " {delta}</dd> }
    });
    let instructions = instructions.map(|(name, (before, now))| {
        view! { <dt>{name}</dt><dd>{marks::count(before)} " → " {marks::count(now)} " " {marks::delta(before, now)}</dd> }
    });
    view! {
        <dl class="kv">
            {tools.map(|tools| view! { <dt>"Assembler"</dt><dd>{tools}</dd> })}
            {instructions}
            {resources.collect_view()}
        </dl>
    }
}

/// All that moved, and the controls; beside it the panel has the first few.
fn short_table(data: &CompareResponse, build: &BuildComparison) -> Table {
    let names: Vec<String> = data.states.iter().map(comparison::state_name).collect();
    let title = format!("{} · {} · {}", names.join(" → "), ids::shown(build.kernel.name.as_str()), build.target);
    let level = machine(build);
    let stage = level.map(|level| level.stage.label()).unwrap_or_default();
    let line = |name: &str, counts: &[Option<i64>]| {
        let (before, now) = pair(counts);
        vec![Cell::Text(name.to_owned()), Cell::count(before), Cell::count(now), Cell::difference(before, now)]
    };
    let (moved, still) = comparison::family_lines(level.map(std::slice::from_ref).unwrap_or_default());
    let controls = still.iter().filter(|line| line.family.info().equal_across_builds);
    let families = moved.iter().chain(controls);
    let families =
        families.filter_map(|l| Some(line(l.family.info().short, &l.rows.first().copied().flatten()?.counts)));
    let resources = build.resources.iter().filter(|row| comparison::has_moved(&row.values));
    let resources = resources.map(|row| {
        let (resource, (before, now)) = (row.resource, pair(&row.values));
        vec![
            Cell::Text(resource.label().to_owned()),
            Cell::resource(resource, before),
            Cell::resource(resource, now),
            Cell::resource_difference(resource, before, now),
        ]
    });
    let columns = vec![
        stage.to_owned(),
        names.first().cloned().unwrap_or_default(),
        names.last().cloned().unwrap_or_default(),
        "Δ".to_owned(),
    ];
    Table { title, columns, rows: families.chain(resources).collect(), ..Table::default() }
}
