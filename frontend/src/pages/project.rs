//! A project: recent commits × targets, its kernels.

use std::sync::Arc;

use leptos::prelude::*;
use lowerline_shared::{
    api::{CommitRow, KernelSummary, ProjectDetail, TargetChange},
    api_path,
    comparison::{builds_of, compared},
    display,
    ids::{ProjectSlug, TargetName},
    permalink::{CommitQuery, LoweringQuery, Page, SpaceQuery, TrendsQuery},
    table::{Cell, Table},
    target,
};

use super::home::first_push;
use crate::{
    fetch::use_fetch,
    parts::{
        export::{Export, Takeaway},
        marks, states,
    },
};

mod heat;

/// Commits asked for at once.
const COMMITS: u32 = 60;

/// The page.
#[component]
pub fn Project(project: ProjectSlug) -> impl IntoView {
    let slug = StoredValue::new(project.clone());
    let detail = use_fetch::<ProjectDetail>(move || Some(slug.with_value(api_path::project)));
    let commits =
        use_fetch::<Vec<CommitRow>>(move || Some(slug.with_value(|project| api_path::commits(project, None, COMMITS))));
    let takeaway = Signal::derive(move || Takeaway {
        page: Page::Project(slug.get_value()),
        table: commits.data.with(|rows| rows.as_ref().map(|rows| export(&slug.get_value(), rows))),
        name: "commits",
    });
    view! {
        <div class="head" data-test="page-project">
            <h1>{project.to_string()}</h1>
            <span class="sub">{move || detail.data.with(|detail| detail.as_ref().map(|detail| summary(detail)))}</span>
            <Export takeaway/>
        </div>
        <div class="grid2 wide">
            <div class="stack">
                {states::fetched("The commits", commits, 4, move |rows: Arc<Vec<CommitRow>>| {
                    let project = slug.get_value();
                    if rows.is_empty() {
                        let empty = first_push("No commits yet", Some(&project));
                        return view! { <section class="panel"><div class="body">{empty}</div></section> }.into_any();
                    }
                    view! {
                        <div class="stack">{heat::panel(&project, &rows)} {commit_table(&project, &rows)}</div>
                    }
                    .into_any()
                })}
            </div>
            {states::fetched("The project", detail, 3, move |detail: Arc<ProjectDetail>| {
                kernel_list(&slug.get_value(), &detail.kernels)
            })}
        </div>
    }
}

fn summary(detail: &ProjectDetail) -> String {
    let project = &detail.project;
    [
        display::plural(project.commits, "commit"),
        display::plural(project.kernels, "kernel"),
        display::plural(project.targets.len() as u64, "target"),
    ]
    .join(" · ")
}

/// Targets of all rows as people list them.
fn targets_of(rows: &[CommitRow]) -> Vec<TargetName> {
    target::sorted(rows.iter().flat_map(|row| row.targets.iter().map(|change| change.target.clone())).collect())
}

/// What compiled a commit; single builds may add to it.
fn toolchain(row: &CommitRow) -> String {
    let tools = row.commit.toolchain.iter();
    tools.map(|(tool, version)| format!("{tool} {version}")).collect::<Vec<_>>().join(", ")
}

fn commit_table(project: &ProjectSlug, rows: &[CommitRow]) -> impl IntoView + use<> {
    let lines = rows.iter().map(|row| {
        let page = row
            .commit
            .sha
            .as_str()
            .parse()
            .ok()
            .map(|rev| Page::Commit(project.clone(), rev, CommitQuery::default()).path());
        let (builds, failed) = builds_of(&row.targets);
        let changed: u64 = row.targets.iter().map(|change| change.changed).sum();
        let whole: u64 = row.targets.iter().map(compared).sum();
        let first = row.commit.parent.is_none();
        view! {
            <tr data-test="commit">
                <th scope="row"><a href=page>{row.commit.name().to_owned()}</a></th>
                <td class="subject">{marks::foreign(&row.commit.subject)}</td>
                <td class="nw muted">{display::day(row.commit.committed_at)}</td>
                <td>{toolchain(row)}</td>
                <td class="num">{display::count(i64::try_from(builds).unwrap_or(i64::MAX))}</td>
                <td class="num">{if failed == 0 { "0".to_owned() } else { format!("✕ {failed}") }}</td>
                <td class="num">
                    {if first {
                        view! { <span class="muted">"first"</span> }.into_any()
                    } else {
                        format!("{changed} of {whole}").into_any()
                    }}
                </td>
            </tr>
        }
    });
    view! {
        <section class="panel">
            <div class="scroll">
                <table data-test="commits">
                    <caption><b>"Commits"</b>"newest first"</caption>
                    <thead>
                        <tr>
                            <th scope="col">"Commit"</th>
                            <th scope="col">"Subject"</th>
                            <th scope="col">"Day"</th>
                            <th scope="col">"Toolchain"</th>
                            <th class="num" scope="col">"Builds"</th>
                            <th class="num" scope="col">"Failed"</th>
                            <th class="num" scope="col">"Variants changed"</th>
                        </tr>
                    </thead>
                    <tbody>{lines.collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
}

fn kernel_list(project: &ProjectSlug, kernels: &[KernelSummary]) -> impl IntoView + use<> {
    let items = kernels.iter().map(|kernel| {
        let query = TrendsQuery { kernel: Some(kernel.key.clone()), ..TrendsQuery::default() };
        let targets = target::sorted(kernel.targets.clone());
        let targets: Vec<&str> = targets.iter().map(TargetName::as_str).collect();
        let key = kernel.key.clone();
        let lowering = Page::Lowering(project.clone(), key.clone(), LoweringQuery::default()).path();
        let space = Page::Space(project.clone(), key, SpaceQuery::default()).path();
        view! {
            <li data-test="kernel">
                <div class="grow">
                    <a class="brk" href=Page::Trends(project.clone(), query).path()>{marks::foreign(kernel.name.as_str())}</a>
                    <p class="small">
                        <a href=lowering data-test="kernel-lowering">"lowering"</a> " · "
                        <a href=space data-test="kernel-space">"config space"</a>
                    </p>
                    <p class="small muted">
                        {targets.join(" ")} " · " {display::plural(kernel.configs.len() as u64, "config")}
                    </p>
                </div>
            </li>
        }
    });
    let empty = kernels.is_empty();
    view! {
        <section class="panel" data-test="kernels">
            <header><h2>"Kernels"</h2><span class="muted">"open the trends"</span></header>
            {if empty {
                view! { <p class="body muted">"None were pushed yet."</p> }.into_any()
            } else {
                view! { <ul class="rows">{items.collect_view()}</ul> }.into_any()
            }}
        </section>
    }
}

fn export(project: &ProjectSlug, rows: &[CommitRow]) -> Table {
    let count = |value: u64| Cell::Count(i64::try_from(value).unwrap_or(i64::MAX));
    let line = |row: &CommitRow, change: &TargetChange| {
        vec![
            Cell::Text(row.commit.name().to_owned()),
            Cell::Text(row.commit.sha.to_string()),
            Cell::Text(display::day(row.commit.committed_at)),
            Cell::Text(change.target.to_string()),
            count(change.builds),
            count(change.failed),
            count(change.changed),
            count(change.added),
            Cell::Text(display::permille(change.moved_permille)),
        ]
    };
    Table {
        title: format!("{project}: commits"),
        columns: ["Commit", "Hash", "Day", "Target", "Builds", "Failed", "Changed", "Added", "Largest share moved"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.iter().flat_map(|row| row.targets.iter().map(move |change| line(row, change))).collect(),
        ..Table::default()
    }
}
