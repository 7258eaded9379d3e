//! All basis vectors of a layout.

use leptos::prelude::*;

use lowerline_shared::{
    permalink::Page,
    table::{Cell, Table},
};

use super::{card::coordinates, model::Built};
use crate::parts::export::copy_table;

/// A row for each hardware dimension, its bits from the lowest on.
pub fn table(built: &Built, page: Page, text: &str) -> AnyView {
    let total: u32 = built.linear.inputs().iter().map(|extent| extent.bits).sum();
    let rows = built.linear.inputs().iter().map(|extent| {
        let vectors = built.linear.bases(extent.axis).into_iter().enumerate().map(|(bit, element)| {
            view! { <span class="basis"><i>{1_u64 << bit}</i>" → " {coordinates(&element)}</span> }
        });
        view! {
            <tr>
                <th scope="row">{extent.axis.to_string()}</th>
                <td class="num">{1_u64 << extent.bits}</td>
                <td class="mono">{vectors.collect_view()}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    let copy = copy_table(page, "bases", export(built, text));
    view! {
        <details data-test="bases">
            <summary>{format!("{total} basis vectors")}</summary>
            <table>
                <thead>
                    <tr>
                        <th scope="col">"Hardware"</th>
                        <th class="num" scope="col">"Size"</th>
                        <th scope="col">"Index of one bit → element"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
            {copy}
        </details>
    }
    .into_any()
}

/// A line for each basis vector.
fn export(built: &Built, text: &str) -> Table {
    let rows = built.linear.inputs().iter().flat_map(|extent| {
        built.linear.bases(extent.axis).into_iter().enumerate().map(|(bit, element)| {
            vec![
                Cell::Text(extent.axis.to_string()),
                Cell::Count(1_i64 << bit.min(62)),
                Cell::Text(coordinates(&element)),
            ]
        })
    });
    Table {
        title: "Basis vectors".to_owned(),
        note: text.to_owned(),
        columns: ["Hardware", "Index", "Element"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
        ..Table::default()
    }
}
