//! All changes in view as a table: the same numbers as the lines, for reading, copying and saving.

use leptos::prelude::*;
use lowerline_shared::{
    api::{Series, TrendResponse},
    display,
    measure::Measure,
    plot::{self, Change},
    report::Resource,
    table::{Cell, Table},
};

use super::{View, axis, grid, measure};
use crate::parts::export::{CopyTable, Takeaway};

/// Rows shown; the export has all.
const SHOWN: usize = 100;

fn all(data: &TrendResponse) -> Vec<(&Series, Change)> {
    let mut rows: Vec<(&Series, Change)> = data
        .series
        .iter()
        .flat_map(|series| plot::plot(series).changes.into_iter().map(move |change| (series, change)))
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.1.at));
    rows
}

/// Every commit with every value.
pub fn export(data: &TrendResponse) -> Table {
    let (first, last) = data.positions;
    let mut columns = vec!["Commit".to_owned(), "Hash".to_owned(), "Day".to_owned()];
    columns.extend(data.series.iter().map(|series| format!("{} {}", series.target, export_name(&series.measure))));
    let commits = data.commits.iter().filter(|commit| (first..=last).contains(&commit.position));
    let rows = commits.map(|commit| {
        let head = [
            Cell::Text(commit.name().to_owned()),
            Cell::Text(commit.sha.to_string()),
            Cell::Text(display::day(commit.committed_at)),
        ];
        let values = data.series.iter().map(|series| match plot::value_at(series, commit.position) {
            None => Cell::Nothing,
            Some(value) if series.names.is_empty() => Cell::Number(value),
            Some(value) => Cell::Text(series.value_text(value)),
        });
        head.into_iter().chain(values).collect()
    });
    Table {
        title: format!("{} · {}", data.kernel.name, data.config),
        note: format!("Counts of scope {}; – where not built or failed.", data.scope.id()),
        rows: rows.collect(),
        columns,
        ..Table::default()
    }
}

/// A measure as addresses have it; of what is read in another unit than the API has it, the label with its unit.
fn export_name(measure: &Measure) -> String {
    match measure {
        Measure::Resource(resource @ Resource::OccupancyPermille) => resource.label().to_owned(),
        other => other.to_string(),
    }
}

/// The changes alone.
fn export_changes(data: &TrendResponse) -> Table {
    let rows = all(data).into_iter().map(|(series, change)| {
        let value = |value: f64| {
            if series.names.is_empty() { Cell::Number(value) } else { Cell::Text(series.value_text(value)) }
        };
        let (before, now) = (value(change.before), value(change.now));
        let target = Cell::Text(series.target.to_string());
        vec![Cell::Text(axis::name_at(data, change.at)), target, Cell::Text(export_name(&series.measure)), before, now]
    });
    Table {
        title: format!("{} · {}: changes", data.kernel.name, data.config),
        note: format!("Counts of scope {}.", data.scope.id()),
        columns: ["Commit", "Target", "Measure", "Before", "Now"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
        ..Table::default()
    }
}

/// The panel below the lines.
pub fn table(view: View, data: &TrendResponse) -> impl IntoView + use<> {
    let all = all(data);
    let hidden = all.len().saturating_sub(SHOWN);
    let rows = all.iter().take(SHOWN).map(|(series, change)| {
        let commit = axis::commit_at(data, change.at);
        let rev = commit.and_then(axis::rev_of);
        let parent = axis::commit_before(data, change.parent).and_then(axis::rev_of);
        let href =
            rev.zip(parent).map(|(rev, parent)| grid::comparison(view, data, &series.target, parent, rev).path());
        let name = axis::name_at(data, change.at);
        view! {
            <tr data-test="change">
                <th scope="row"><a href=href>{name}</a></th>
                <td>{series.target.to_string()}</td>
                <td>{measure::name(&series.measure)} " " <span class="muted">{measure::origin(series)}</span></td>
                <td class="num muted">{series.value_text(change.before)}</td>
                <td class="num">{series.value_text(change.now)}</td>
                <td class="num"><span class="dl">{series.delta_text(change.before, change.now)}</span></td>
            </tr>
        }
    });
    let table = export_changes(data);
    let takeaway =
        Signal::derive(move || Takeaway { page: view.page(|_| ()), table: Some(table.clone()), name: "changes" });
    view! {
        <section class="panel">
            <header>
                <h2>"Changes in view"</h2>
                <span class="muted">"newest first; a click opens the comparison"</span>
                <span class="end"><CopyTable takeaway/></span>
            </header>
            <div class="scroll">
                <table data-test="changes">
                    <thead>
                        <tr>
                            <th scope="col">"Commit"</th>
                            <th scope="col">"Target"</th>
                            <th scope="col">"Measure"</th>
                            <th class="num" scope="col">"Before"</th>
                            <th class="num" scope="col">"Now"</th>
                            <th class="num" scope="col">"Δ"</th>
                        </tr>
                    </thead>
                    <tbody>
                        {rows.collect_view()}
                        {all.is_empty().then(|| view! { <tr class="quiet"><td colspan="6">"Nothing moved."</td></tr> })}
                        {(hidden > 0)
                            .then(|| {
                                view! { <tr class="quiet"><td colspan="6">{format!("{hidden} older ones are in the export")}</td></tr> }
                            })}
                    </tbody>
                </table>
            </div>
        </section>
    }
}
