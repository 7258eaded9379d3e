//! All basis vectors of a layout.

use leptos::prelude::*;

use super::{card::coordinates, model::Built};

/// A row for each hardware dimension, its bits from the lowest on.
pub fn table(built: &Built) -> AnyView {
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
        </details>
    }
    .into_any()
}
