//! A card per state: commit, toolchain, whether it was built.

use leptos::prelude::*;
use lowerline_shared::{
    api::{BuildComparison, BuildStatus, CompareResponse, StateBuild, StateInfo, Toolchain},
    comparison::{column_names, state_name},
    display, ids,
    permalink::{CommitQuery, Page},
};

use super::View;
use crate::parts::marks;

/// Cards of a comparison of many builds: the commits alone.
pub fn heads(data: &CompareResponse) -> impl IntoView + use<> {
    let cards = data.states.iter().enumerate().map(|(n, state)| {
        view! {
            <section class="panel state" data-test="state">
                {head(n, state, state.reconstruction.as_deref(), state_name(state))}
                {tools(&state.commit.toolchain)}
            </section>
        }
    });
    view! { <div class="states">{cards.collect_view()}</div> }
}

/// Cards of one build.
pub fn cards(view: View, data: &CompareResponse, build: &BuildComparison) -> impl IntoView + use<> {
    let names = column_names(&data.states, &build.config);
    let cards = data.states.iter().zip(&build.states).enumerate().map(|(n, (state, built))| {
        let reconstruction = match built {
            StateBuild::Built { reconstruction, .. } => reconstruction.as_deref().or(state.reconstruction.as_deref()),
            _ => state.reconstruction.as_deref(),
        };
        view! {
            <section class="panel state" class:s2=reconstruction.is_some() data-test="state">
                {head(n, state, reconstruction, names.get(n).cloned().unwrap_or_default())}
                {body(view, n, state, built)}
                {nearest(view, n, build)}
            </section>
        }
    });
    view! { <div class="states">{cards.collect_view()}</div> }
}

/// Letters, since "before" and "fixed" would be verdicts.
fn letter(n: usize) -> char {
    char::from(b'A' + u8::try_from(n).unwrap_or(25).min(25))
}

fn head(n: usize, state: &StateInfo, reconstruction: Option<&str>, name: String) -> impl IntoView + use<> {
    let role = if n == 0 { "base" } else { "" };
    let badge = reconstruction.map(|what| {
        view! { <span class="badge dash" title=what.to_owned() data-test="reconstruction">"reconstructed, not a release"</span> }
    });
    let what = reconstruction.map(|what| view! { <p class="brk">{ids::shown(what)}</p> });
    let commit = &state.commit;
    let about =
        view! { <p class="brk">{marks::foreign(&commit.subject)} " · " {display::day(commit.committed_at)}</p> };
    view! {
        <h2>
            <span class="muted">{letter(n).to_string()}</span>
            <span class="brk">{name}</span>
            <span class="muted small">{role}</span>
            <span class="grow"></span>
            {badge}
        </h2>
        {about}
        {what}
    }
}

fn tools(toolchain: &Toolchain) -> impl IntoView + use<> {
    let text: Vec<String> = toolchain.iter().map(|(tool, version)| format!("{tool} {version}")).collect();
    (!text.is_empty()).then(|| view! { <p class="small" data-test="toolchain">{text.join(" · ")}</p> })
}

fn body(view: View, n: usize, state: &StateInfo, built: &StateBuild) -> AnyView {
    match built {
        StateBuild::Built { toolchain, config, artifacts, .. } => {
            let stages: Vec<&str> =
                artifacts.iter().filter(|a| a.form.is_empty()).map(|artifact| artifact.stage.label()).collect();
            view! {
                {tools(toolchain)}
                <p class="small muted brk">{ids::shown(config)} " · " {stages.join(", ")}</p>
            }
            .into_any()
        }
        StateBuild::Failed { status, message } => {
            let how = match status {
                BuildStatus::Crash => "the compiler died",
                BuildStatus::Error | BuildStatus::Ok => "the compiler refused",
            };
            view! {
                <p class="note" data-test="failed">"✕ failed: " {how}</p>
                <pre class="copy clip">{ids::shown(message)}</pre>
            }
            .into_any()
        }
        StateBuild::Missing => {
            let commit = state.commit.sha.as_str().parse().ok();
            let link = view
                .project
                .get_value()
                .zip(commit)
                .map(|(project, rev)| Page::Commit(project, rev, CommitQuery::default()).path());
            let label = format!("What state {} has", letter(n));
            view! {
                <p class="note plain" data-test="missing">"no build at this commit " {link.map(|href| view! { <a href=href>{label}</a> })}</p>
            }
            .into_any()
        }
    }
}

/// For a state without the build: the nearest it has, and in what the two configs differ.
fn nearest(view: View, n: usize, build: &BuildComparison) -> impl IntoView + use<> {
    let found = build.depth.as_ref()?.nearest.iter().find(|nearest| usize::try_from(nearest.state) == Ok(n))?;
    let config = found.config.clone();
    let href = view.page(|states, _| {
        if let Some(state) = states.get_mut(n) {
            state.config = Some(config);
        }
    });
    let value = |value: &Option<String>| value.as_deref().map_or_else(|| "none".to_owned(), ids::shown);
    let changes: Vec<String> = found
        .differs
        .iter()
        .map(|(name, asked, has)| format!("{} {} → {}", ids::shown(name), value(asked), value(has)))
        .collect();
    let changes = if changes.is_empty() { "the same values".to_owned() } else { changes.join(", ") };
    Some(view! {
        <p class="small" data-test="nearest">
            "nearest config here: " <a class="brk" href=href.path()>{ids::shown(&found.config)}</a> " (" {changes} ")"
        </p>
    })
}
