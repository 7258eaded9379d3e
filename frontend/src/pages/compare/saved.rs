//! The saved view that adds PTX to SASS: never silently, always labelled, with its definition.

use leptos::prelude::*;
use lowerline_shared::{api::BuildComparison, comparison, family::META_FAMILIES, stage::Stage};

use super::View;
use crate::parts::marks;

/// What stands beside the resources: the toolchains, and the saved sums when asked for.
pub fn panel(view: View, build: &BuildComparison, names: &[String]) -> AnyView {
    let is_open = view.state.with(|(_, query)| query.view.as_deref() == Some(comparison::SUMS));
    let href = view.page(|_, query| query.view = (!is_open).then(|| comparison::SUMS.to_owned())).path();
    let sums = is_open.then(|| sums(build, names));
    view! {
        <div class="stack">
            {toolchains(build, names)}
            <section class="panel" data-test="saved-view">
                <header>
                    <h2>"PTX + SASS"</h2>
                    <span class="muted">"a saved view: the only sums over two levels"</span>
                    <span class="end"><a href=href data-test="toggle-view">{if is_open { "hide" } else { "show" }}</a></span>
                </header>
                {sums}
            </section>
        </div>
    }
    .into_any()
}

fn sums(build: &BuildComparison, names: &[String]) -> impl IntoView + use<> {
    let heads =
        names.iter().map(|name| view! { <th class="num" scope="col">{marks::state_head(name)}</th> }).collect_view();
    let rows = META_FAMILIES.iter().map(|meta| {
        let counts = comparison::saved_view(&build.levels, meta, names.len());
        let first = counts.first().copied().flatten();
        let cells = counts.iter().map(|count| {
            let class = if count.is_none() || *count == first { "" } else { "chg" };
            view! { <td class="num"><span class=class>{marks::count(*count)}</span></td> }
        });
        let members: Vec<&str> = meta.families.iter().map(|family| family.info().short).collect();
        let stages: Vec<&str> = meta.stages.iter().copied().map(Stage::label).collect();
        let definition = format!("{} in {}. {}", members.join(" + "), stages.join(" + "), meta.note);
        view! {
            <tr data-test=format!("view-{}", meta.id)>
                <th scope="row" title=definition>{meta.label}</th>
                {cells.collect_view()}
            </tr>
        }
    });
    view! {
        <div class="scroll">
            <table>
                <thead><tr><th scope="col">"Sum"</th>{heads}</tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
}

/// One row per tool, so that a change of compiler is seen before any number is read.
fn toolchains(build: &BuildComparison, names: &[String]) -> impl IntoView + use<> {
    let heads = names.iter().map(|name| view! { <th scope="col">{marks::state_head(name)}</th> }).collect_view();
    let rows = comparison::toolchain_rows(&build.states).into_iter().map(|(tool, versions)| {
        let first = versions.first().cloned().flatten();
        let cells = versions.into_iter().map(|version| {
            let class = if version.is_none() || version == first { "" } else { "chg" };
            view! { <td><span class=class>{version.unwrap_or_else(|| "–".to_owned())}</span></td> }
        });
        view! { <tr><th scope="row">{tool}</th>{cells.collect_view()}</tr> }
    });
    let rows = rows.collect_view();
    view! {
        <section class="panel" data-test="toolchains">
            <div class="scroll">
                <table>
                    <caption><b>"Toolchain"</b>"as recorded in metadata and in the binary"</caption>
                    <thead><tr><th scope="col">"Tool"</th>{heads}</tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
}
