//! All projects, or the one project.

use std::sync::Arc;

use leptos::prelude::*;
use lowerline_shared::{
    api::{CommitSummary, ProjectSummary},
    api_path, display,
    ids::{self, ProjectSlug, TargetName},
    permalink::Page,
    table::{Cell, Table},
};

use crate::{
    app::Go,
    fetch::use_fetch,
    parts::{
        export::{Export, Takeaway},
        states,
    },
};

/// The page.
#[component]
pub fn Home() -> impl IntoView {
    let go: Go = expect_context();
    let projects = use_fetch::<Vec<ProjectSummary>>(|| Some(api_path::projects()));
    // With one project this address is another name of its page, which has the tabs and the search.
    Effect::new(move |_| {
        let only = projects.data.with(|projects| match projects.as_ref().map(|all| all.as_slice()) {
            Some([only]) => Some(only.slug.clone()),
            _ => None,
        });
        if let Some(only) = only {
            go.replace(&Page::Project(only));
        }
    });
    view! {
        <div data-test="page-home">
            {states::fetched("The list of projects", projects, 4, |projects: Arc<Vec<ProjectSummary>>| match projects.as_slice() {
                [] => view! { <NoProjects/> }.into_any(),
                [_] => view! { <states::Skeleton/> }.into_any(),
                many => list(many).into_any(),
            })}
        </div>
    }
}

fn list(projects: &[ProjectSummary]) -> impl IntoView + use<> {
    let rows = projects.iter().map(|project| {
        let newest = project.newest.as_ref().map_or("–", CommitSummary::name).to_owned();
        let day = project.newest.as_ref().map(|commit| display::day(commit.committed_at));
        let targets: Vec<&str> = project.targets.iter().map(TargetName::as_str).collect();
        view! {
            <tr data-test="project">
                <th scope="row"><a href=Page::Project(project.slug.clone()).path()>{project.slug.to_string()}</a></th>
                <td class="brk">{project.repository.as_deref().map(ids::shown)}</td>
                <td class="num">{project.commits}</td>
                <td class="num">{project.kernels}</td>
                <td>{targets.join(", ")}</td>
                <td>{newest} " " <span class="muted">{day}</span></td>
            </tr>
        }
    });
    let table = export(projects);
    let takeaway = Signal::derive(move || Takeaway { page: Page::Home, table: Some(table.clone()), name: "projects" });
    view! {
        <div class="head"><h1>"Projects"</h1><span class="sub">{display::plural(projects.len() as u64, "project")}</span> <Export takeaway/></div>
        <section class="panel">
            <div class="scroll">
                <table data-test="projects">
                    <thead>
                        <tr>
                            <th scope="col">"Project"</th>
                            <th scope="col">"Repository"</th>
                            <th class="num" scope="col">"Commits"</th>
                            <th class="num" scope="col">"Kernels"</th>
                            <th scope="col">"Targets"</th>
                            <th scope="col">"Newest"</th>
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
}

fn export(projects: &[ProjectSummary]) -> Table {
    let count = |value: u64| Cell::Count(i64::try_from(value).unwrap_or(i64::MAX));
    let row = |project: &ProjectSummary| {
        let targets: Vec<&str> = project.targets.iter().map(TargetName::as_str).collect();
        vec![
            Cell::Text(project.slug.to_string()),
            project.repository.as_deref().map_or(Cell::Nothing, |address| Cell::Text(ids::shown(address))),
            count(project.commits),
            count(project.kernels),
            Cell::Text(targets.join(", ")),
            project.newest.as_ref().map_or(Cell::Nothing, |commit| Cell::Text(commit.name().to_owned())),
        ]
    };
    Table {
        title: "Projects".to_owned(),
        columns: ["Project", "Repository", "Commits", "Kernels", "Targets", "Newest"].map(str::to_owned).to_vec(),
        rows: projects.iter().map(row).collect(),
        ..Table::default()
    }
}

#[component]
fn NoProjects() -> impl IntoView {
    view! {
        <div class="head"><h1>"Lowerline"</h1><span class="sub">"what GPU compilers emit, commit by commit"</span></div>
        <section class="panel"><div class="body">{first_push("There is no project yet", None)}</div></section>
    }
}

/// The three steps to a first push.
pub fn first_push(title: &'static str, project: Option<&ProjectSlug>) -> impl IntoView + use<> {
    let name = project.map_or("my-kernels", ProjectSlug::as_str).to_owned();
    let token = format!("lowerline-server token create --project {name}");
    let push = format!("LOWERLINE_TOKEN=llt_… lowerline push ~/.triton/cache --project {name} --commit HEAD");
    view! {
        <states::Empty title>
            <p class="ink2">"No GPU is needed. Push what your compiler already left in its cache:"</p>
            <ol>
                <li><span>"Make a token, where the server runs"</span><pre class="copy">{token}</pre></li>
                <li><span>"Compile your kernels, then push"</span><pre class="copy">{push}</pre></li>
                <li><span>"Reload this page"</span></li>
            </ol>
        </states::Empty>
    }
}
