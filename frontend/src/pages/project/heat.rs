//! The heat strip: targets × commits, shaded by the largest share of instructions that moved in a build.

use leptos::prelude::*;
use lowerline_shared::{
    api::{CommitRow, TargetChange},
    comparison::compared,
    display,
    ids::{ProjectSlug, Rev, TargetName},
    permalink::{CommitQuery, Page},
    target,
};

use super::targets_of;

/// Commits drawn; the table below has more.
const COLUMNS: usize = 12;

/// Shade and text of a cell. The shade says how many, never how bad.
fn shade(change: &TargetChange, first: bool) -> (&'static str, String) {
    let failed = if change.failed > 0 { format!(" · {} ✕", change.failed) } else { String::new() };
    let whole = compared(change);
    if first {
        return ("h0", format!("{} builds{failed}", change.builds));
    }
    if whole == 0 {
        return ("h0", format!("{} first{failed}", change.added));
    }
    let shade = match (change.changed, change.moved_permille) {
        (0, _) => "h0",
        (_, ..100) => "h1",
        (_, ..250) => "h2",
        (_, ..500) => "h3",
        _ => "h4",
    };
    let moved = match change.moved_permille {
        0 => String::new(),
        share => format!(" · {}", display::permille(share)),
    };
    let added = if change.added > 0 { format!(" · {} new", change.added) } else { String::new() };
    (shade, format!("{}/{whole}{moved}{added}{failed}", change.changed))
}

fn cell(project: &ProjectSlug, row: &CommitRow, target: &TargetName) -> AnyView {
    let Some(change) = row.targets.iter().find(|change| change.target == *target) else {
        return view! { <td class="muted">"·"</td> }.into_any();
    };
    let (shade, text) = shade(change, row.commit.parent.is_none());
    let rev = row.commit.sha.as_str().parse::<Rev>().ok();
    let href = rev.map(|rev| Page::Commit(project.clone(), rev, CommitQuery::default()).path());
    let label = format!("{target} at {}: {text}", row.commit.name());
    view! { <td class=shade><a href=href aria-label=label data-test="heat-cell">{text}</a></td> }.into_any()
}

/// The panel.
pub fn panel(project: &ProjectSlug, rows: &[CommitRow]) -> impl IntoView + use<> {
    let shown: Vec<&CommitRow> = rows.iter().take(COLUMNS).rev().collect();
    let heads = shown.iter().map(|row| view! { <th scope="col">{row.commit.name().to_owned()}</th> });
    let lines = targets_of(rows).into_iter().map(|target| {
        let cells = shown.iter().map(|row| cell(project, row, &target));
        view! {
            <tr>
                <th scope="row"><b>{target.to_string()}</b>" "<span class="muted">{target::hardware_family(&target)}</span></th>
                {cells.collect_view()}
            </tr>
        }
    });
    let more = rows.len().saturating_sub(COLUMNS);
    let keys = ["h0", "h1", "h2", "h3", "h4"].map(|shade| view! { <i class=format!("key {shade}")></i> });
    view! {
        <section class="panel" data-test="heat">
            <div class="scroll">
                <table class="heatt">
                    <caption><b>"Commits × targets"</b>"against the parent, machine code and resources"</caption>
                    <thead><tr><th scope="col"><span class="vh">"Target"</span></th>{heads.collect_view()}</tr></thead>
                    <tbody>{lines.collect_view()}</tbody>
                </table>
            </div>
            <div class="lgrow top1">
                <div class="lg">
                    <span>
                        {keys.into_iter().collect_view()}
                        "\u{a0}none, < 10 %, < 25 %, < 50 %, more: largest share of instructions that moved in a build"
                    </span>
                    <span>"n/m: n of m variants changed"</span>
                    <span>"✕ failed builds"</span>
                    {(more > 0).then(|| view! { <span>{format!("{more} older commits in the table below")}</span> })}
                </div>
            </div>
        </section>
    }
}
