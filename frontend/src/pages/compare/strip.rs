//! The stage strip: where a change began. The first line of any change is the first stage that differs.

use leptos::prelude::*;
use lowerline_shared::{
    api::BuildComparison,
    display,
    stage::Stage,
    strip::{Relation, Strip, StripCell, StripColumn},
    table::{Cell, Table},
};

use super::View;
use crate::parts::{
    export::{CopyTable, Takeaway},
    marks,
};

/// The panel; nothing for a build without stages to compare.
pub fn panel(view: View, build: &BuildComparison, names: &[String]) -> AnyView {
    let Some(strip) = build.depth.as_ref().map(|depth| depth.strip.clone()) else { return ().into_any() };
    let names = names.to_vec();
    view! {
        <section class="panel" data-test="strip">
            {move || {
                // Links hold the whole state of the page.
                view.state.with(|_| ());
                shown(view, &strip, &names)
            }}
        </section>
    }
    .into_any()
}

fn shown(view: View, strip: &Strip, names: &[String]) -> AnyView {
    let first = strip.first_difference;
    let heads = strip.columns.iter().map(|column| {
        let is_first = first == Some(column.stage);
        view! {
            <th scope="col" class:fdcol=is_first>
                {is_first.then(|| view! { <span class="fdmark">"first stage that differs ▼"</span> })}
                {column.stage.label()}
            </th>
        }
    });
    let rows = names.iter().enumerate().map(|(n, name)| {
        let cells = strip.columns.iter().map(|column| {
            let cell = column.cells.get(n).and_then(Option::as_ref);
            view! { <td class:fdcol=first == Some(column.stage)>{stage_cell(view, column, cell)}</td> }
        });
        view! { <tr><th scope="row">{marks::state_head(name)}</th>{cells.collect_view()}</tr> }
    });
    let link = first.filter(|stage| *stage != Stage::Hsaco).map(|stage| {
        let href = view.page(|_, query| query.stage = Some(stage)).path();
        view! { " " <a href=href data-test="open-text">"Open aligned " {stage.label()}</a> }
    });
    let table = export(strip, names);
    let takeaway =
        Signal::derive(move || Takeaway { page: view.page(|_, _| ()), table: Some(table.clone()), name: "stages" });
    view! {
        <header>
            <h2>"Stages"</h2>
            <span class="muted">"same letter and fill: equal but for names (machine code: same opcode histogram)"</span>
            <span class="end"><CopyTable takeaway/></span>
        </header>
        <div class="scroll">
            <table class="strip">
                <thead><tr><th scope="col"><span class="vh">"State"</span></th>{heads.collect_view()}</tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
        <p class="body ink2 brk" data-test="strip-sentence">{words(&strip.sentence(names))} {link}</p>
    }
    .into_any()
}

fn export(strip: &Strip, names: &[String]) -> Table {
    let cell = |cell: Option<&StripCell>| match cell {
        Some(StripCell { letter, amount: Some(amount), .. }) => Cell::Text(format!("{letter} ({amount})")),
        Some(StripCell { letter, .. }) => Cell::Text(letter.to_string()),
        None => Cell::Nothing,
    };
    let rows = names.iter().enumerate().map(|(n, name)| {
        let cells = strip.columns.iter().map(|column| cell(column.cells.get(n).and_then(Option::as_ref)));
        std::iter::once(Cell::Text(name.clone())).chain(cells).collect()
    });
    let stages = strip.columns.iter().map(|column| column.stage.label().to_owned());
    Table {
        title: format!("{}: stages", names.join(" → ")),
        note: strip.sentence(names).replace('`', ""),
        columns: std::iter::once("State".to_owned()).chain(stages).collect(),
        rows: rows.collect(),
        ..Table::default()
    }
}

/// A sentence with its names of operations between backticks set as code.
pub fn words(sentence: &str) -> impl IntoView + use<> {
    let parts = sentence.split('`').enumerate().map(|(n, part)| {
        let part = part.to_owned();
        if n % 2 == 1 { view! { <code>{part}</code> }.into_any() } else { part.into_any() }
    });
    parts.collect_view()
}

fn stage_cell(view: View, column: &StripColumn, cell: Option<&StripCell>) -> AnyView {
    let Some(cell) = cell else { return view! { <span class="stg none">"–"</span> }.into_any() };
    let fill = match cell.letter {
        'A' => "stg a",
        'B' => "stg b",
        _ => "stg c",
    };
    let unit = if column.stage.has_families() || column.stage == Stage::Cubin { "instr." } else { "ops" };
    let amount =
        cell.amount.map(|amount| format!("{} {unit}", display::count(i64::try_from(amount).unwrap_or(i64::MAX))));
    let title = match cell.relation {
        Relation::Equal => "the same bytes as the first state",
        Relation::EqualButNames => "equal but for names, paths, locations or numbering",
        Relation::EqualHistogram => "other bytes, the same opcode histogram",
        Relation::Differs => "differs from the first state",
    };
    let title = format!("{title}; {}", cell.digest);
    let inner = view! { <em>{cell.letter.to_string()}</em> {amount} };
    if column.stage == Stage::Hsaco {
        view! { <span class=fill title=title>{inner}</span> }.into_any()
    } else {
        let stage = column.stage;
        let href = view.page(|_, query| query.stage = Some(stage)).path();
        view! { <a class=fill href=href title=title>{inner}</a> }.into_any()
    }
}
