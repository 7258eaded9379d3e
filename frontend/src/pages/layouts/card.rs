//! The element under the pointer: its hardware index, bit by bit.

use std::{fmt::Write as _, sync::Arc};

use leptos::prelude::*;
use lowerline_analyzer::layout::Axis;

use super::{colour::bank, model::Built};

/// A line for each hardware dimension.
pub fn card(built: Arc<Built>, shown: Signal<Option<(u32, u32)>>) -> impl IntoView {
    view! {
        <div class="elementcard" role="status" data-test="element">
            {move || match shown.get().filter(|(row, column)| *row < built.tile.rows && *column < built.tile.columns) {
                None => view! { <p class="muted">"Point at an element, or walk with the arrow keys."</p> }.into_any(),
                Some((row, column)) => element(&built, row, column),
            }}
        </div>
    }
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
    let place = if built.tile.rows == 1 { format!("({column})") } else { format!("({row}, {column})") };
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
                    <th scope="col">"Hardware"</th>
                    <th class="num" scope="col">"Index"</th>
                    <th scope="col">"Bits"</th>
                    <th scope="col">"Basis vectors that add up to it"</th>
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
