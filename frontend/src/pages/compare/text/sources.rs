//! Instructions by source line, both texts side by side.

use std::{collections::BTreeMap, sync::Arc};

use leptos::prelude::*;
use lowerline_shared::{
    comparison, display,
    permalink::PaneRef,
    table::{Cell, Table},
    worker::SourceCount,
};

use super::{
    View,
    doc::{Doc, Source},
    select::Selection,
};
use crate::parts::{
    export::{CopyTable, Takeaway},
    marks,
};

/// Instructions of a source line, file and line, on both sides; `None` where a side has none.
type SourceLine = ((String, u32), [Option<SourceCount>; 2]);

/// Source lines listed; the others are counted.
const LISTED: usize = 80;

/// The list, in order of source.
#[component]
pub fn Sources(view: View, panes: [PaneRef; 2], docs: [Arc<Doc>; 2], selection: Selection) -> impl IntoView {
    let mut lines: BTreeMap<(String, u32), [Option<SourceCount>; 2]> = BTreeMap::new();
    for (side, doc) in docs.iter().enumerate() {
        for (source, count) in doc.sources() {
            let entry = lines.entry((source.file.clone(), source.line)).or_default();
            if let Some(at) = entry.get_mut(side) {
                *at = Some(*count);
            }
        }
    }
    let same_stage = panes[0].stage == panes[1].stage;
    let mut heaviest: Vec<SourceLine> = lines.into_iter().collect();
    let weight =
        |counts: &[Option<SourceCount>; 2]| counts.iter().flatten().map(|count| count.count).max().unwrap_or(0);
    let all = heaviest.len();
    if all == 0 {
        return ().into_any();
    }
    let table = export(&heaviest, panes);
    let takeaway = Signal::derive(move || Takeaway {
        page: view.page(|_, _| ()),
        table: Some(table.clone()),
        name: "source-lines",
    });
    let whole = heaviest.iter().map(|(_, counts)| weight(counts)).max().unwrap_or(1).max(1);
    heaviest.sort_by_key(|(_, counts)| std::cmp::Reverse(weight(counts)));
    heaviest.truncate(LISTED);
    heaviest.sort_by(|(a, _), (b, _)| a.cmp(b));
    let rows = heaviest.into_iter().map(|((file, line), counts)| {
        let count = |side: usize| counts[side].map(|count| i64::from(count.count));
        let in_loop = |side: usize| marks::count(counts[side].map(|count| i64::from(count.in_loop)));
        let cells = [0, 1].map(|side| {
            let shade = u64::from(counts[side].map_or(0, |count| count.count)) * 100 / u64::from(whole);
            view! {
                <td class="num heatcell">
                    <i style:width=format!("{shade}%")></i>
                    <span>{marks::count(count(side))}</span>
                </td>
                <td class="num muted">{in_loop(side)}</td>
            }
        });
        let delta = same_stage.then(|| view! { <td class="num">{marks::delta(Some(count(0).unwrap_or(0)), Some(count(1).unwrap_or(0)))}</td> });
        let name = format!("{file}:{line}");
        let source = Source { file, line };
        view! {
            <tr data-test="source-line">
                <th scope="row"><button class="linkish" type="button" on:click=move |_| selection.pick_source(&source)>{name}</button></th>
                {cells.into_iter().collect_view()}
                {delta}
            </tr>
        }
    });
    let rows = rows.collect_view();
    let more = all.saturating_sub(LISTED);
    let heads = panes.map(|pane| {
        view! { <th class="num" scope="col">{pane.to_string()}</th> <th class="num" scope="col">"in a loop"</th> }
    });
    view! {
        <details class="sources" data-test="sources">
            <summary>{format!("Instructions by source line ({})", display::plural(all as u64, "line"))}</summary>
            <p class="acts body"><CopyTable takeaway/></p>
            <div class="scroll">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">"Source line"</th>
                            {heads.into_iter().collect_view()}
                            {same_stage.then(|| view! { <th class="num" scope="col">"Δ"</th> })}
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {(more > 0).then(|| view! { <p class="small muted body">{format!("{more} more source lines have fewer instructions and are not listed")}</p> })}
        </details>
    }
    .into_any()
}

/// Every line, in order of source.
fn export(lines: &[SourceLine], panes: [PaneRef; 2]) -> Table {
    let count = |count: u32| Cell::Count(i64::from(count));
    let rows = lines.iter().map(|((file, line), counts)| {
        let sides = counts.iter().flat_map(|counts| match counts {
            Some(counts) => [count(counts.count), count(counts.in_loop)],
            None => [Cell::Count(0), Cell::Count(0)],
        });
        [Cell::Text(file.clone()), count(*line)].into_iter().chain(sides).collect()
    });
    let heads = panes.iter().flat_map(|pane| [pane.to_string(), format!("{pane} in a loop")]);
    let columns = ["File", "Line"].map(str::to_owned).into_iter().chain(heads).collect();
    Table {
        title: format!("Instructions by source line: {} | {}", panes[0], panes[1]),
        columns: comparison::unique(columns),
        rows: rows.collect(),
        ..Table::default()
    }
}
