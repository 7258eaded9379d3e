//! One commit against its parent: every kernel × target.

use std::sync::Arc;

use leptos::prelude::*;
use lowerline_shared::{
    api::{BuildCell, BuildStatus, CommitDetail, CommitSummary},
    api_path,
    decision_filter::DecisionFilter,
    display, ids,
    ids::{ProjectSlug, Rev},
    permalink::{CommitQuery, CompareQuery, LoweringQuery, Page, StateRef},
    table::{Cell, Table},
    target,
};

use crate::{
    app::{Current, Go},
    fetch::use_fetch,
    parts::{
        export::{Export, Takeaway},
        marks,
        only::Only,
        states,
    },
};

mod glyph;

/// The page.
#[component]
pub fn Commit(project: ProjectSlug) -> impl IntoView {
    let Current(page) = expect_context();
    let project = StoredValue::new(project);
    let go: Go = expect_context();
    let state = Memo::new(move |before: Option<&Option<(Rev, CommitQuery)>>| match page.get() {
        Some(Page::Commit(_, rev, query)) => Some((rev, query)),
        _ => before.cloned().flatten(),
    });
    let rev = Memo::new(move |_| state.get().map(|(rev, _)| rev));
    let only = Memo::new(move |_| state.get().map(|(_, query)| query.only).unwrap_or_default());
    let page_of = move |only| match rev.get() {
        Some(rev) => Page::Commit(project.get_value(), rev, CommitQuery { only }),
        None => Page::Project(project.get_value()),
    };
    let fetched = use_fetch::<CommitDetail>(move || {
        state.get().map(|(rev, query)| project.with_value(|project| api_path::commit(project, &rev, &query)))
    });
    let takeaway = Signal::derive(move || Takeaway {
        page: page_of(only.get()),
        table: fetched.data.with(|data| data.as_ref().map(|data| export(data))),
        name: "commit",
    });
    let name = move || {
        let known = fetched.data.with(|data| data.as_ref().map(|data| data.commit.name().to_owned()));
        known.or_else(|| rev.get().map(|rev| rev.to_string())).unwrap_or_default()
    };
    view! {
        <div data-test="page-commit">
            <div class="head">
                <h1 class="brk" data-test="title">"Commit " {name}</h1>
                <span class="sub">{move || fetched.data.with(|data| data.as_ref().map(|data| summary(data)))}</span>
                <Export takeaway/>
            </div>
            <div class="plink" role="group" aria-label="Page state, as in the URL" data-test="filters">
                <span class="path">{move || page_of(Vec::new()).path()} "?"</span>
                <Only
                    present=only
                    offered=Signal::derive(move || {
                        fetched.data.with(|data| data.as_ref().map(|data| data.sieved.offered.clone())).unwrap_or_default()
                    })
                    page=Callback::new(page_of)
                    choose=Callback::new(move |only| go.push(&page_of(only)))
                />
            </div>
            {states::fetched("This commit", fetched, 6, move |data: Arc<CommitDetail>| shown(&project.get_value(), &data, &only.get()))}
        </div>
    }
}

fn summary(data: &CommitDetail) -> String {
    let against = match &data.parent {
        Some(parent) => format!("against parent {}", parent.name()),
        None => "the first commit".to_owned(),
    };
    let number = |test: fn(&BuildCell) -> bool| data.builds.iter().filter(|cell| test(cell)).count();
    let parts = [
        against,
        display::plural(data.builds.len() as u64, "build"),
        format!("{} changed", number(|cell| cell.changed)),
        format!("{} new", number(|cell| cell.added)),
        format!("{} failed", number(|cell| cell.status != BuildStatus::Ok)),
    ];
    parts.join(" · ")
}

fn rev_of(commit: &CommitSummary) -> Option<Rev> {
    commit.sha.as_str().parse().ok()
}

fn shown(project: &ProjectSlug, data: &CommitDetail, only: &[DecisionFilter]) -> AnyView {
    if data.builds.is_empty() && data.sieved.filtered == 0 {
        return view! {
            <section class="panel">
                <div class="body">
                    <states::Empty title="No builds at this commit">
                        <p class="ink2">"It was pushed without any."</p>
                    </states::Empty>
                </div>
            </section>
        }
        .into_any();
    }
    let filtered = data.sieved.sentence(only, "build");
    let filtered = filtered.map(|text| view! { <p class="note plain" data-test="filtered">{text}</p> });
    let tools: Vec<String> = data.commit.toolchain.iter().map(|(tool, version)| format!("{tool} {version}")).collect();
    let parent = data.parent.as_ref().and_then(rev_of);
    let all = parent.clone().zip(rev_of(&data.commit)).map(|(parent, rev)| {
        let states = vec![StateRef::new(parent), StateRef::new(rev)];
        Page::Compare(project.clone(), states, CompareQuery::default()).path()
    });
    let back = parent.map(|rev| Page::Commit(project.clone(), rev, CommitQuery { only: only.to_vec() }).path());
    view! {
        <div class="stack">
            <section class="panel">
                <div class="body">
                    <p class="brk strong">{marks::foreign(&data.commit.subject)}</p>
                    <p class="ink2">
                        {data.commit.author.as_deref().map(ids::shown)} " " {display::day(data.commit.committed_at)} " · "
                        <code class="brk">{data.commit.sha.to_string()}</code>
                    </p>
                    <p class="ink2">{tools.join(" · ")}</p>
                    <p class="acts mt">
                        {back.map(|href| view! { <a class="btn" href=href>"← parent"</a> })}
                        {all.map(|href| view! { <a class="btn" href=href data-test="open-comparison">"All changed builds"</a> })}
                    </p>
                </div>
            </section>
            {filtered}
            {matrix(project, data)}
            {failures(data)}
        </div>
    }
    .into_any()
}

/// Rows of the matrix: kernel and config, in order of the largest change.
fn rows_of(data: &CommitDetail) -> Vec<(&str, &str)> {
    let weight = |key: &(&str, &str)| -> u64 {
        let own = data.builds.iter().filter(|cell| (cell.kernel.as_str(), cell.config.as_str()) == *key);
        own.map(|cell| cell.moved.iter().map(|(_, before, now)| now.abs_diff(*before)).sum()).max().unwrap_or(0)
    };
    let mut rows: Vec<(&str, &str)> =
        data.builds.iter().map(|cell| (cell.kernel.as_str(), cell.config.as_str())).collect();
    rows.sort_unstable();
    rows.dedup();
    rows.sort_by_key(|key| std::cmp::Reverse(weight(key)));
    rows
}

fn matrix(project: &ProjectSlug, data: &CommitDetail) -> impl IntoView + use<> {
    let targets = target::sorted(data.builds.iter().map(|cell| cell.target.clone()).collect());
    let states = data.parent.as_ref().and_then(rev_of).zip(rev_of(&data.commit));
    let heads = targets.iter().map(|name| {
        view! { <th scope="col">{name.to_string()}<br/><span class="muted">{target::hardware_family(name)}</span></th> }
    });
    let rows = rows_of(data).into_iter().map(|(kernel, config)| {
        let cells = targets.iter().map(|target| {
            let cell = data.builds.iter().find(|c| c.kernel == kernel && c.config == config && c.target == *target);
            let Some(cell) = cell else { return view! { <td class="nb">"·"</td> }.into_any() };
            let href = states.clone().map(|(parent, rev)| {
                let query = CompareQuery {
                    kernel: Some(kernel.to_owned()),
                    target: Some(target.clone()),
                    config: Some(config.to_owned()),
                    ..CompareQuery::default()
                };
                Page::Compare(project.clone(), vec![StateRef::new(parent), StateRef::new(rev)], query).path()
            });
            glyph::cell(cell, href).into_any()
        });
        let query =
            LoweringQuery { at: rev_of(&data.commit), config: Some(config.to_owned()), ..LoweringQuery::default() };
        let lowering = Page::Lowering(project.clone(), kernel.to_owned(), query).path();
        view! {
            <tr data-test="matrix-row">
                <th scope="row">
                    <a class="brk" href=lowering title="On every target at this commit">{marks::foreign(kernel)}</a>
                    <br/>
                    <span class="muted small brk">{ids::shown(config)}</span>
                </th>
                {cells.collect_view()}
            </tr>
        }
    });
    view! {
        <section class="panel">
            <div class="scroll">
                <table class="mx" data-test="matrix">
                    <caption><b>"Kernels × targets"</b>"machine code against the parent; largest change first"</caption>
                    <thead><tr><th scope="col">"Kernel, config"</th>{heads.collect_view()}</tr></thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
            {glyph::legend()}
        </section>
    }
}

fn failures(data: &CommitDetail) -> impl IntoView + use<> {
    let failed: Vec<&BuildCell> = data.builds.iter().filter(|cell| cell.status != BuildStatus::Ok).collect();
    if failed.is_empty() {
        return ().into_any();
    }
    let items = failed.iter().map(|cell| {
        let message = cell.message.as_deref().map(ids::shown).unwrap_or_default();
        view! {
            <li>
                <span class="nw strong">{ids::shown(&cell.kernel)} " on " {cell.target.to_string()}</span>
                <code class="brk clip">{message}</code>
            </li>
        }
    });
    view! {
        <section class="panel" data-test="failures">
            <header><h2>"Failed builds"</h2><span class="muted">"counted in every total"</span></header>
            <ul class="rows">{items.collect_view()}</ul>
        </section>
    }
    .into_any()
}

fn export(data: &CommitDetail) -> Table {
    let rows = data.builds.iter().flat_map(|cell| {
        let head = |measure: String| {
            vec![
                Cell::Text(ids::shown(&cell.kernel)),
                Cell::Text(ids::shown(&cell.config)),
                Cell::Text(cell.target.to_string()),
                Cell::Text(measure),
            ]
        };
        let line = move |name: &str, before: i64, now: i64| {
            let mut row = head(name.to_owned());
            row.extend([Cell::Count(before), Cell::Count(now), Cell::Difference(now.saturating_sub(before))]);
            row
        };
        let families = cell.moved.iter().map(move |(family, before, now)| line(family.info().short, *before, *now));
        let resources = cell.resources.iter().map(move |(resource, before, now)| {
            let (before, now) = (Some(*before), Some(*now));
            let mut row = head(resource.label().to_owned());
            row.extend([before, now].map(|value| Cell::resource(*resource, value)));
            row.push(Cell::resource_difference(*resource, before, now));
            row
        });
        let decisions = cell.decisions.iter().map(move |(measure, before, now)| {
            let mut row = head(measure.label().to_owned());
            row.extend([Cell::Text(before.to_string()), Cell::Text(now.to_string()), Cell::Nothing]);
            row
        });
        let failed = (cell.status != BuildStatus::Ok).then(|| {
            let mut row = head("Failed".to_owned());
            let message = cell.message.as_deref().map(ids::shown).unwrap_or_default();
            row.extend([Cell::Nothing, Cell::Text(message), Cell::Nothing]);
            row
        });
        failed.into_iter().chain(families).chain(resources).chain(decisions).collect::<Vec<_>>()
    });
    Table {
        title: format!("{}: changes against the parent", data.commit.name()),
        columns: ["Kernel", "Config", "Target", "Measure", "Before", "Now", "Δ"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
        ..Table::default()
    }
}
