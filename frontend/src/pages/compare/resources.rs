//! Registers, shared memory, occupancy over the states.

use leptos::prelude::*;
use lowerline_shared::{api::BuildComparison, comparison, report::Resource};

use crate::parts::marks;

/// What a build takes; spills and stack in use are marked, nothing else is judged.
pub fn panel(build: &BuildComparison, names: &[String]) -> impl IntoView + use<> {
    let heads =
        names.iter().map(|name| view! { <th class="num" scope="col">{marks::state_head(name)}</th> }.into_any());
    let deltas = (1..names.len()).map(|n| {
        let class = if n == 1 { "num gl" } else { "num" };
        view! { <th class=class scope="col">{marks::difference_head(n, names)}</th> }.into_any()
    });
    let heads = heads.chain(deltas).collect_view();
    let rows = build.resources.iter().map(|row| {
        let caution = matches!(row.resource, Resource::VectorSpills | Resource::ScalarSpills | Resource::StackBytes);
        let first = row.values.first().copied().flatten();
        let values = row.values.iter().enumerate().map(|(n, value)| {
            let spills = caution && value.is_some_and(|value| value > 0);
            let class = if n > 0 && value.is_some() && first.is_some() && *value != first { "chg" } else { "" };
            let mark = spills.then(|| view! { <span class="badge warn">"!"</span> " " });
            view! { <td class="num">{mark}<span class=class>{marks::resource(row.resource, *value)}</span></td> }
                .into_any()
        });
        let deltas = row.values.iter().skip(1).enumerate().map(|(n, value)| {
            let class = if n == 0 { "num gl" } else { "num" };
            view! { <td class=class>{marks::resource_delta(row.resource, first, *value)}</td> }.into_any()
        });
        // Of one state, nothing can have moved.
        let still = row.values.len() > 1 && !comparison::has_moved(&row.values);
        view! {
            <tr class:quiet=still data-test=format!("resource-{}", row.resource.id())>
                <th scope="row">{row.resource.label()}</th>
                {values.chain(deltas).collect_view()}
            </tr>
        }
    });
    let empty = build.resources.is_empty();
    view! {
        <section class="panel" data-test="resources">
            <div class="scroll">
                <table>
                    <caption><b>"Resources"</b>"binary and metadata"</caption>
                    <thead><tr><th scope="col"><span class="vh">"Resource"</span></th>{heads}</tr></thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
            {empty.then(|| view! { <p class="body muted">"No state says what it takes."</p> })}
        </section>
    }
}
