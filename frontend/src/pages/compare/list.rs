//! The builds that changed, in the order the address names.

use leptos::prelude::*;
use lowerline_shared::{
    api::{BuildComparison, CompareResponse, StateBuild},
    comparison, display, ids,
    order::{self, BuildOrder},
    quiet::quiet_change,
    table::{Cell, Table},
};

use super::View;
use crate::parts::marks;

/// Families named in a row.
const NAMED: usize = 4;

/// What became of a build from the first state to the last.
fn fate(build: &BuildComparison) -> &'static str {
    match (build.states.first(), build.states.last()) {
        (Some(StateBuild::Missing), Some(StateBuild::Built { .. })) => "added",
        (Some(_), Some(StateBuild::Missing)) => "removed",
        (Some(StateBuild::Failed { .. }), Some(StateBuild::Built { .. })) => "✕ → ✓ compiles again",
        (Some(StateBuild::Built { .. } | StateBuild::Missing), Some(StateBuild::Failed { .. })) => "✓ → ✕ fails",
        (Some(StateBuild::Failed { .. }), Some(StateBuild::Failed { .. })) => "✕ failed",
        _ => "",
    }
}

/// The panel.
pub fn panel(view: View, data: &CompareResponse, sort: BuildOrder) -> impl IntoView + use<> {
    let last = data.states.len().saturating_sub(1);
    let rows = order::sorted(&data.builds, sort).into_iter().map(|build| {
        let (key, target, config) = (build.kernel.key.clone(), build.target.clone(), build.config.clone());
        let page = view.page(|_, query| {
            query.kernel = Some(key);
            query.target = Some(target);
            query.config = Some(config);
        });
        let level = build.levels.last().map(std::slice::from_ref).unwrap_or_default();
        let (moved, _) = comparison::family_lines(level);
        let named = moved.iter().take(NAMED).filter_map(|line| {
            let change = comparison::difference(&line.rows.first().copied().flatten()?.counts, last)?;
            Some(view! { <span class="nw item">{marks::family_name(line.family)} " " <b>{display::signed(change)}</b></span> })
        });
        let more = moved.len().saturating_sub(NAMED);
        let (before, now) = order::instructions(build);
        let (registers_before, registers_now) = order::registers(build);
        let fate = fate(build);
        let quiet = if fate.is_empty() { quiet_change(build) } else { Vec::new() };
        view! {
            <tr data-test="changed-build">
                <th scope="row">
                    <a class="brk" href=page.path()>{marks::foreign(build.kernel.name.as_str())}</a>
                    <br/>
                    <span class="muted small brk">{ids::shown(&build.config)}</span>
                </th>
                <td>{build.target.to_string()}</td>
                <td class="wrap">
                    {(!fate.is_empty()).then(|| view! { <span class="badge">{fate}</span> " " })}
                    {named.collect_view()}
                    {quiet.into_iter().map(|text| view! { <span class="nw item muted">{text}</span> }).collect_view()}
                    {(more > 0).then(|| view! { <span class="muted">{format!("{more} more")}</span> })}
                </td>
                <td class="num">{marks::delta(before, now)}</td>
                <td class="num">{marks::delta(registers_before, registers_now)}</td>
                <td class="num muted">{display::count(i64::try_from(build.weight).unwrap_or(i64::MAX))}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    let head = |name: &'static str, order: BuildOrder| {
        let is_text = matches!(order, BuildOrder::Kernel | BuildOrder::Target);
        let sorted = (order == sort).then_some(if is_text { "ascending" } else { "descending" });
        let mark = sorted.map(|sorted| if sorted == "ascending" { " ▴" } else { " ▾" });
        let href = move || {
            view.state.with(|_| ());
            view.page(|_, query| query.sort = order).path()
        };
        let test = format!("sort-{}", order.id());
        view! { <th class:num=!is_text scope="col" aria-sort=sorted><a href=href data-test=test>{name}</a>{mark}</th> }
    };
    let foot =
        note(data).into_iter().map(|text| view! { <tr class="quiet"><td colspan="6">{text}</td></tr> }).collect_view();
    view! {
        <section class="panel">
            <div class="scroll">
                <table data-test="changed-builds">
                    <caption>
                        <b>"Changed builds"</b>
                        "machine code, last state against the first"
                    </caption>
                    <thead>
                        <tr>
                            {head("Kernel, config", BuildOrder::Kernel)}
                            {head("Target", BuildOrder::Target)}
                            <th scope="col">"What moved most"</th>
                            {head("Instructions", BuildOrder::Instructions)}
                            {head("Registers", BuildOrder::Registers)}
                            {head("Moved", BuildOrder::Weight)}
                        </tr>
                    </thead>
                    <tbody>{rows} {foot}</tbody>
                </table>
            </div>
        </section>
    }
}

/// What the list does not hold, counted.
fn note(data: &CompareResponse) -> Vec<String> {
    let equal =
        (data.unchanged > 0).then(|| format!("{} equal in all states", display::plural(data.unchanged, "build")));
    let more = (data.left_out > 0)
        .then(|| format!("{} more changed and are not listed", display::plural(data.left_out, "build")));
    equal.into_iter().chain(more).collect()
}

/// The list as a table that leaves the page.
pub fn export(data: &CompareResponse, names: &[String], sort: BuildOrder) -> Table {
    let last = data.states.len().saturating_sub(1);
    let rows = order::sorted(&data.builds, sort).into_iter().map(|build| {
        let (before, now) = order::instructions(build);
        let (registers_before, registers_now) = order::registers(build);
        let level = build.levels.last().map(std::slice::from_ref).unwrap_or_default();
        let moved = comparison::family_lines(level).0.into_iter().filter_map(|line| {
            let change = comparison::difference(&line.rows.first().copied().flatten()?.counts, last)?;
            Some(format!("{} {}", line.family.info().short, display::signed(change)))
        });
        let fate = fate(build);
        let quiet = if fate.is_empty() { quiet_change(build) } else { vec![fate.to_owned()] };
        vec![
            Cell::Text(ids::shown(build.kernel.name.as_str())),
            Cell::Text(build.target.to_string()),
            Cell::Text(ids::shown(&build.config)),
            Cell::Text(quiet.into_iter().chain(moved).collect::<Vec<_>>().join(", ")),
            Cell::difference(before, now),
            Cell::difference(registers_before, registers_now),
            Cell::Count(i64::try_from(build.weight).unwrap_or(i64::MAX)),
        ]
    });
    Table {
        title: format!("{}: changed builds", names.join(" → ")),
        note: note(data).join("; "),
        columns: ["Kernel", "Target", "Config", "What moved most", "Δ instructions", "Δ registers", "Moved"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.collect(),
        ..Table::default()
    }
}
