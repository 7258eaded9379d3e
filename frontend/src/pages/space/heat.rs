//! The best value over two knobs.

use leptos::prelude::*;
use lowerline_shared::{
    api::SpaceResponse,
    display, ids,
    permalink::SpaceQuery,
    space::{self, HeatCell},
};

use super::{Axes, View, name};
use crate::parts::{export::copy_table, marks};

/// Shades from least to most.
const SHADES: [&str; 5] = ["h0", "h1", "h2", "h3", "h4"];

/// The panel; nothing when fewer than two knobs vary.
pub fn panel(view: View, data: &SpaceResponse, query: &SpaceQuery, axes: &Axes) -> Option<impl IntoView + use<>> {
    let heat = space::heat(&data.configs, &query.heat, &axes.y)?;
    let heads = heat.columns.iter().map(|value| view! { <th scope="col">{marks::foreign(value)}</th> }).collect_view();
    let rows = heat.rows.iter().zip(&heat.cells).map(|(value, cells)| {
        let cells = cells.iter().map(|found| cell(found, heat.range)).collect_view();
        view! { <tr><th scope="row">{marks::foreign(value)}</th>{cells}</tr> }
    });
    let names: Vec<String> = space::varied(&data.configs).into_iter().map(|(name, _)| name).collect();
    let (first, second) = heat.knobs.clone();
    let select = |present: &str, other: &str, place: usize| {
        let options = names.iter().map(|name| {
            let selected = name == present;
            view! { <option value=name.clone() selected=selected>{name.clone()}</option> }
        });
        let options = options.collect_view();
        let (present, other) = (present.to_owned(), other.to_owned());
        view! {
            <label class="chip">
                <i>{if place == 0 { "rows=" } else { "columns=" }}</i>
                <select
                    aria-label=format!("Knob of the {}", if place == 0 { "rows" } else { "columns" })
                    data-test=format!("heat-{place}")
                    prop:value=present.clone()
                    on:change=move |event| {
                        let chosen = event_target_value(&event);
                        // The knob of the other side changes sides.
                        let other = if chosen == other { present.clone() } else { other.clone() };
                        view.push(|query| {
                            query.heat = if place == 0 { vec![chosen, other] } else { vec![other, chosen] };
                        });
                    }
                >
                    {options}
                </select>
            </label>
        }
    };
    let title =
        format!("{}: largest {} of the configs by two knobs", ids::shown(data.kernel.name.as_str()), name(&axes.y));
    let copy = copy_table(view.kept(Some(data)), "knobs", space::heat_table(&heat, title));
    let selects = (select(&first, &second, 0), select(&second, &first, 1));
    Some(view! {
        <section class="panel" data-test="heat">
            <header>
                <h2>{format!("{} by two knobs", name(&axes.y))}</h2>
                <span class="muted">"largest value of the configs in a cell"</span>
                <span class="grow"></span>
                {selects.0}
                {selects.1}
                {copy}
            </header>
            <div class="scroll">
                <table class="heatt spacet">
                    <thead>
                        <tr><th scope="col">{format!("{first} \\ {second}")}</th>{heads}</tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        </section>
    })
}

fn cell(cell: &HeatCell, range: Option<(f64, f64)>) -> impl IntoView + use<> {
    if cell.configs == 0 {
        return view! { <td class="muted">"·"</td> }.into_any();
    }
    let share = cell.best.zip(range).map(
        |(best, (least, most))| {
            if most > least { (best - least) / (most - least) } else { 1.0 }
        },
    );
    // Five steps; the last one is the largest value alone and its neighbours.
    let step = share.map_or(0, |share| [0.2, 0.4, 0.6, 0.8].iter().filter(|edge| share > **edge).count());
    let text = cell.best.map_or_else(|| "–".to_owned(), display::number);
    let many = (cell.configs > 1).then(|| format!(" of {}", cell.configs));
    let useless = (cell.useless > 0).then(|| format!(" · {} ✕", cell.useless));
    let title = format!("{}, {} of them dead or failed", display::plural(cell.configs, "config"), cell.useless);
    view! {
        <td class=SHADES[step] data-test="heat-cell" title=title>
            <span class="hc"><b>{text}</b><span class="small">{many}{useless}</span></span>
        </td>
    }
    .into_any()
}
