//! The table: one row a question, one column a target.

use leptos::prelude::*;
use lowerline_shared::{
    api::{LoweringResponse, TargetLowering},
    display,
    family::Family,
    ids,
    lowering::{self, LoweringCell, LoweringRow},
    target,
};

use super::View;
use crate::parts::marks;

/// Width of the bar of shared bytes.
const BAR: f64 = 92.0;

/// The panel.
pub fn panel(view: View, data: &LoweringResponse) -> impl IntoView + use<> {
    let heads = data.targets.iter().map(|column| head(view, column)).collect_view();
    let ttir = data.targets.iter().map(|column| {
        let text = lowering::ttir(data, column);
        let badge = (!text.is_empty()).then(|| view! { <span class="badge">{text.clone()}</span> });
        let none = text.is_empty().then(|| view! { <span class="muted">"–"</span> });
        view! { <td class="num" data-test=format!("ttir-{}", column.target)>{badge}{none}</td> }
    });
    let rows = lowering::rows(data).into_iter().map(|row| body_row(data, row)).collect_view();
    let locks = data.targets.iter().map(|column| {
        view! { <td class="num small wrap">{target::arch_lock(&column.target)}</td> }
    });
    let title = match data.targets.len() {
        1 => "One target".to_owned(),
        number => format!("One source, {number} targets"),
    };
    view! {
        <section class="panel" data-test="lowering">
            <div class="scroll">
                <table class="low">
                    <caption><b>{title}</b><span data-test="ttir-sentence">{lowering::ttir_sentence(data)}</span></caption>
                    <thead><tr><th scope="col"><span class="vh">"What"</span></th>{heads}</tr></thead>
                    <tbody>
                        <tr>
                            <th scope="row">"TTIR " <span class="muted small">"same letter = same meaning"</span></th>
                            {ttir.collect_view()}
                        </tr>
                        {rows}
                        <tr>
                            <th scope="row">"Loads on " <span class="muted small">"architecture lock"</span></th>
                            {locks.collect_view()}
                        </tr>
                    </tbody>
                </table>
            </div>
        </section>
    }
}

fn head(view: View, column: &TargetLowering) -> impl IntoView + use<> {
    let target = column.target.clone();
    let href = view.page(|query| query.target = Some(target)).path();
    let failed = lowering::failure(column).map(|why| {
        view! { <br/><span class="badge warn" title=why>"✕ failed"</span> }
    });
    let reconstruction = match &column.build {
        lowerline_shared::api::StateBuild::Built { reconstruction: Some(text), .. } => Some(view! {
            <br/>
            <span class="badge dash" title=ids::shown(text)>"reconstructed"</span>
        }),
        _ => None,
    };
    view! {
        <th class="num" scope="col" data-test=format!("column-{}", column.target)>
            <a href=href title="Show its decisions"><b class="strong">{column.target.to_string()}</b></a>
            <br/>
            <span class="muted">{target::hardware_family(&column.target)}</span>
            {failed}
            {reconstruction}
        </th>
    }
}

/// The family whose mark stands before a row.
fn mark(id: &str) -> Option<Family> {
    match id {
        "matrix_count" => Some(Family::TensorCompute),
        "staging" => Some(Family::FragmentStaging),
        "shared_store" => Some(Family::SharedStore),
        "shared_load" => Some(Family::SharedLoad),
        "async" => Some(Family::AsyncCopy),
        _ => None,
    }
}

fn body_row(data: &LoweringResponse, row: LoweringRow) -> impl IntoView + use<> {
    let id = row.id;
    let mark = mark(id).map(marks::family_mark);
    let has_base = data.base.is_some();
    let cells = data.targets.iter().zip(row.cells).map(|(column, cell)| {
        let class = if matches!(id, "matrix" | "matrix_each") { "mono small brk" } else { "" };
        let text = text(id, &cell);
        let empty = cell.text.is_empty().then(|| view! { <span class="muted">"–"</span> });
        let bar = (id == "shared").then(|| shared_bar(column, cell.number)).flatten();
        let limit = column.shared_limit.filter(|_| bar.is_some()).map(|limit| {
            view! { <br/><span class="muted small">"of " {display::count(limit)}</span> }
        });
        let delta = has_base.then(|| difference(&cell)).flatten();
        view! {
            <td class="num" data-test=format!("{id}-{}", column.target)>
                {bar}<span class=class>{text}</span>{empty}{limit}{delta}
            </td>
        }
    });
    let note = (!row.note.is_empty()).then(|| view! { <span class="muted small">{row.note}</span> });
    view! { <tr data-test=format!("row-{id}")><th scope="row">{mark}{row.label} " " {note}</th>{cells.collect_view()}</tr> }
}

fn text(id: &str, cell: &LoweringCell) -> AnyView {
    match id {
        "layouts" => {
            let lines = cell.text.iter().map(|line| view! { {line.clone()}<br/> });
            view! { <span class="lk">{lines.collect_view()}</span> }.into_any()
        }
        "launchable" => match cell.text.split_first() {
            Some((word, why)) if word == "no" => {
                view! { <span class="badge warn">"✕ no"</span><span class="lk">{why.join(", ")}</span> }.into_any()
            }
            Some((word, _)) => view! { "✓ " {word.clone()} }.into_any(),
            None => ().into_any(),
        },
        "matrix_count" | "registers" => view! { <b>{cell.text.join(", ")}</b> }.into_any(),
        _ => {
            let lines = cell.text.iter().enumerate().map(|(n, line)| {
                view! { {(n > 0).then(|| view! { <br/> })}{line.clone()} }
            });
            lines.collect_view().into_any()
        }
    }
}

fn difference(cell: &LoweringCell) -> Option<AnyView> {
    if let Some(before) = &cell.base_text {
        return Some(view! { <br/><span class="small muted brk">"was " {before.clone()}</span> }.into_any());
    }
    let moved = cell.base.is_some() && cell.base != cell.number;
    moved.then(|| view! { <br/><span class="small">{marks::delta(cell.base, cell.number)}</span> }.into_any())
}

/// What a block takes of what it may have.
fn shared_bar(column: &TargetLowering, taken: Option<i64>) -> Option<impl IntoView + use<>> {
    let (taken, limit) = taken.zip(column.shared_limit)?;
    let longest = taken.max(limit).max(1) as f64;
    let (bar, tick) = (taken as f64 / longest * BAR, limit as f64 / longest * BAR);
    let label = format!("{} of {} bytes", display::count(taken), display::count(limit));
    Some(view! {
        <svg class="i" viewBox="0 0 92 12" width="92" height="12" role="img" aria-label=label>
            <rect class="h1" y="2" width=format!("{tick:.1}") height="8"></rect>
            <rect class="fl-shared_load" y="2" width=format!("{bar:.1}") height="8"></rect>
            <path class="gapx" d=format!("M{:.1} 0V12", (tick - 1.0).max(0.5))></path>
        </svg>
        <br/>
    })
}
