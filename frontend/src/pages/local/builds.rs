//! Builds among the files, to choose from, and every file that is none.

use std::sync::Arc;

use leptos::prelude::*;
use lowerline_shared::{
    api::ArtifactRef,
    display, ids, limits,
    permalink::{CompareQuery, Page},
    table::{Cell, Table},
    worker::{Found, FoundBuild},
};

use crate::parts::{export::copy_table, marks};

/// Builds and files listed at once; the others are counted.
const LISTED: usize = 200;

/// The list.
#[component]
pub fn Builds(
    found: Arc<Found>,
    chosen: RwSignal<Vec<u32>>,
    unread: RwSignal<Vec<String>>,
    forget: Callback<()>,
) -> impl IntoView {
    let needle = RwSignal::new(String::new());
    let told = summary(&found);
    let rows = {
        let found = found.clone();
        move || {
            let needle = needle.get().to_lowercase();
            let holds = |build: &FoundBuild| {
                [&build.kernel, &build.target, &build.config, &build.root]
                    .iter()
                    .any(|text| text.to_lowercase().contains(&needle))
            };
            let mut matching = found.builds.iter().enumerate().filter(|(_, build)| holds(build));
            let rows = matching.by_ref().take(LISTED).map(|(n, build)| row(n, build, chosen)).collect_view();
            let more = matching.count();
            let more = (more > 0).then(|| {
                let text = format!("{} more: narrow the list above", display::plural(more as u64, "build"));
                view! { <tr class="quiet"><td colspan="7">{text}</td></tr> }
            });
            view! { {rows} {more} }
        }
    };
    let many = found.builds.len() > 8;
    let copy = copy_table(Page::Local(CompareQuery::default()), "local-builds", export(&found));
    view! {
        <section class="panel mt" data-test="found">
            <header>
                <h2>"Builds"</h2>
                <span class="muted" data-test="found-summary">{told}</span>
                <span class="end acts">
                    {many.then(|| view! {
                        <input
                            class="chip add"
                            type="search"
                            placeholder="Narrow"
                            aria-label="Narrow the list"
                            data-test="narrow"
                            on:input=move |event| needle.set(event_target_value(&event))
                        />
                    })}
                    {copy}
                    <button class="btn quiet" type="button" data-test="swap" on:click=move |_| chosen.update(|chosen| chosen.reverse())>"⇄ swap"</button>
                    <button class="btn quiet" type="button" data-test="forget" on:click=move |_| forget.run(())>"Start over"</button>
                </span>
            </header>
            <div class="scroll tallest">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">"State"</th>
                            <th scope="col">"Kernel"</th>
                            <th scope="col">"Target"</th>
                            <th scope="col">"Config"</th>
                            <th scope="col">"From"</th>
                            <th scope="col">"Stages"</th>
                            <th class="num" scope="col">"Instructions"</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {notes(&found)}
        </section>
        {move || left_out(&found, &unread.get())}
    }
}

fn summary(found: &Found) -> String {
    let builds = display::plural(found.builds.len() as u64, "build");
    let kinds: Vec<String> = found.kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let megabytes = found.bytes as f64 / 1e6;
    format!("{builds} in {} ({megabytes:.1} MB): {}", display::plural(found.files, "file"), kinds.join(", "))
}

/// Stages of a build with their forms.
fn stages(build: &FoundBuild) -> String {
    let name = |artifact: &ArtifactRef| match artifact.form.as_str() {
        "" => artifact.stage.label().to_owned(),
        form => format!("{} {form}", artifact.stage.label()),
    };
    build.artifacts.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// All builds as a table that leaves the page.
fn export(found: &Found) -> Table {
    let rows = found.builds.iter().map(|build| {
        let said =
            build.failed.iter().map(|message| format!("failed: {message}")).chain(build.warnings.iter().cloned());
        let said: Vec<String> = said.map(|text| ids::shown(&text)).collect();
        vec![
            Cell::Text(ids::shown(&build.kernel)),
            Cell::Text(ids::shown(&build.target)),
            Cell::Text(ids::shown(&build.config)),
            Cell::Text(ids::shown(&build.root)),
            Cell::Text(stages(build)),
            Cell::count(build.instructions.and_then(|count| i64::try_from(count).ok())),
            Cell::Text(said.join("; ")),
        ]
    });
    Table {
        title: format!("Local files: {}", display::plural(found.builds.len() as u64, "build")),
        note: summary(found),
        columns: ["Kernel", "Target", "Config", "From", "Stages", "Instructions", "Failure, warnings"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.collect(),
        ..Table::default()
    }
}

fn row(n: usize, build: &FoundBuild, chosen: RwSignal<Vec<u32>>) -> impl IntoView + use<> {
    let place = u32::try_from(n).unwrap_or(u32::MAX);
    let at = move || chosen.with(|chosen| chosen.iter().position(|other| *other == place));
    let letter = move || at().map(|at| char::from(b'A' + u8::try_from(at).unwrap_or(25)).to_string());
    let toggle = move |_| {
        chosen.update(|chosen| match chosen.iter().position(|other| *other == place) {
            Some(at) => {
                chosen.remove(at);
            }
            None => {
                // The last place is given up when all are taken.
                chosen.truncate(limits::STATES_PER_COMPARISON - 1);
                chosen.push(place);
            }
        });
    };
    let failed = build.failed.as_ref().map(|message| {
        view! { <span class="badge dash" title=message.clone()>"✕ failed"</span> }
    });
    let warnings = (!build.warnings.is_empty()).then(|| {
        let count = display::plural(build.warnings.len() as u64, "warning");
        view! { " " <span class="badge warn" title=build.warnings.join("\n")>{count}</span> }
    });
    let instructions = build.instructions.and_then(|count| i64::try_from(count).ok());
    view! {
        <tr data-test="local-build" class:open=move || at().is_some()>
            <td>
                <label class="nw">
                    <input type="checkbox" prop:checked=move || at().is_some() on:change=toggle aria-label="Compare this build"/>
                    " "
                    <b>{letter}</b>
                </label>
            </td>
            <th scope="row"><span class="brk">{marks::foreign(&build.kernel)}</span></th>
            <td>{ids::shown(&build.target)}</td>
            <td class="brk">{ids::shown(&build.config)}</td>
            <td class="brk">{ids::shown(&build.root)}</td>
            <td class="wrap">{stages(build)} " " {failed} {warnings}</td>
            <td class="num">{marks::count(instructions)}</td>
        </tr>
    }
}

fn notes(found: &Found) -> impl IntoView + use<> {
    let twice = (found.duplicates > 0).then(|| {
        format!("{} there twice with the same bytes, listed once", display::plural(found.duplicates, "build"))
    });
    let notes = found.notes.iter().cloned().chain(twice);
    notes.map(|note| view! { <p class="note plain">{ids::shown(&note)}</p> }).collect_view()
}

/// Every file that is in no build, with the reason.
fn left_out(found: &Found, unread: &[String]) -> AnyView {
    let unread = unread.iter().map(|path| (path.clone(), "the browser could not read it".to_owned()));
    let all: Vec<(String, String)> = found.left_out.iter().cloned().chain(unread).collect();
    if all.is_empty() {
        return ().into_any();
    }
    let rows = all.iter().take(LISTED).map(|(path, why)| {
        view! { <div class="filerow" data-test="left-out"><b class="brk">{ids::shown(path)}</b><span class="muted brk">{ids::shown(why)}</span></div> }
    });
    let rows = rows.collect_view();
    let more = all.len().saturating_sub(LISTED);
    let open = all.len() <= 12;
    let table = Table {
        title: format!("Local files: {} not part of a build", display::plural(all.len() as u64, "file")),
        columns: ["File", "Why"].map(str::to_owned).to_vec(),
        rows: all.iter().map(|(path, why)| vec![Cell::Text(ids::shown(path)), Cell::Text(ids::shown(why))]).collect(),
        ..Table::default()
    };
    let copy = copy_table(Page::Local(CompareQuery::default()), "left-out", table);
    view! {
        <details class="panel mt" open=open data-test="not-understood">
            <summary>{format!("Not part of a build: {}", display::plural(all.len() as u64, "file"))}</summary>
            <div class="body">
                {rows}
                {(more > 0).then(|| view! { <p class="small muted">{format!("{more} more are not listed, but in the exports")}</p> })}
                <p class="mt">{copy}</p>
            </div>
        </details>
    }
    .into_any()
}
