//! The element under the pointer: its hardware index, bit by bit.

use std::{fmt::Write as _, sync::Arc};

use leptos::prelude::*;
use lowerline_analyzer::layout::Axis;

use lowerline_shared::{
    permalink::{LayoutsQuery, Page},
    table::{Cell, Table},
};

use super::{State, colour::bank, model::Built};
use crate::parts::export::copy_table;

/// Heads of the columns.
const HEADS: [&str; 4] = ["Hardware", "Index", "Bits", "Basis vectors that add up to it"];

/// A line for each hardware dimension.
pub fn card(state: State, built: Arc<Built>, text: String, shown: Signal<Option<(u32, u32)>>) -> impl IntoView {
    view! {
        <div class="elementcard" role="status" data-test="element">
            {move || match shown.get().filter(|(row, column)| *row < built.tile.rows && *column < built.tile.columns) {
                None => view! { <p class="muted">"Point at an element, or walk with the arrow keys."</p> }.into_any(),
                Some((row, column)) => {
                    let query = LayoutsQuery { at: Some((row, column)), ..state.query.get() };
                    let copy = copy_table(Page::Layouts(query), "element", export(&built, &text, row, column));
                    view! { {element(&built, row, column)} {copy} }.into_any()
                }
            }}
        </div>
    }
}

fn export(built: &Built, text: &str, row: u32, column: u32) -> Table {
    let rows = built.linear.inputs().iter().map(|extent| {
        let index = built.tile.index(row, column, extent.axis).unwrap_or(0);
        vec![
            Cell::Text(extent.axis.to_string()),
            Cell::count(i64::try_from(index).ok()),
            Cell::Text(bits(index, extent.bits)),
            Cell::Text(vectors(built, extent.axis, index)),
        ]
    });
    Table {
        title: format!("Element {}", place(built, row, column)),
        note: text.to_owned(),
        columns: HEADS.map(str::to_owned).to_vec(),
        rows: rows.collect(),
        ..Table::default()
    }
}

fn place(built: &Built, row: u32, column: u32) -> String {
    if built.tile.rows == 1 { format!("({column})") } else { format!("({row}, {column})") }
}

fn element(built: &Built, row: u32, column: u32) -> AnyView {
    let rows = built.linear.inputs().iter().map(|extent| {
        let index = built.tile.index(row, column, extent.axis).unwrap_or(0);
        let bits = bits(index, extent.bits);
        let vectors = vectors(built, extent.axis, index);
        view! {
            <tr>
                <th scope="row">{extent.axis.to_string()}</th>
                <td class="num">{index}</td>
                <td class="mono">{bits}</td>
                <td class="mono brk">{vectors}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    let place = place(built, row, column);
    let [hardware, index, bit, vector] = HEADS;
    let copies = (built.tile.copies_bits > 0)
        .then(|| format!("held {} times; this is the first holder", 1_u64 << built.tile.copies_bits));
    let offset = built.tile.index(row, column, Axis::Offset).filter(|_| built.linear.input_bits(Axis::Offset) > 0);
    let in_bank = offset.and_then(|offset| u32::try_from(offset).ok()).map(|offset| {
        format!("byte {}, bank {}", u64::from(offset) * u64::from(built.bits) / 8, bank(offset, built.bits))
    });
    view! {
        <table>
            <caption>
                <b>"Element " {place}</b>
                {copies}
                {in_bank}
            </caption>
            <thead>
                <tr>
                    <th scope="col">{hardware}</th>
                    <th class="num" scope="col">{index}</th>
                    <th scope="col">{bit}</th>
                    <th scope="col">{vector}</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}

/// Highest bit first.
fn bits(index: u64, count: u32) -> String {
    if count == 0 {
        return "–".to_owned();
    }
    (0..count).rev().map(|bit| if index >> bit & 1 == 1 { '1' } else { '0' }).collect()
}

/// The images of the bits that are set.
fn vectors(built: &Built, axis: Axis, index: u64) -> String {
    let mut text = String::new();
    for (bit, element) in built.linear.bases(axis).iter().enumerate() {
        if index >> bit & 1 == 1 {
            let plus = if text.is_empty() { "" } else { " ⊕ " };
            let _ = write!(text, "{plus}{}", coordinates(element));
        }
    }
    if text.is_empty() { "–".to_owned() } else { text }
}

/// `(3, 0)`.
pub fn coordinates(element: &[u64]) -> String {
    let parts: Vec<String> = element.iter().map(ToString::to_string).collect();
    format!("({})", parts.join(", "))
}
