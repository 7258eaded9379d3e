//! The heat strip: targets × commits, shaded by the share of variants that changed.

use leptos::prelude::*;
use lowerline_shared::{
    api::{CommitRow, TargetChange},
    comparison::compared,
    ids::{ProjectSlug, Rev},
    permalink::Page,
    target,
};

use super::targets_of;

/// Commits drawn; the table below has more.
const COLUMNS: usize = 12;
const CELL_WIDTH: usize = 104;
const CELL_HEIGHT: usize = 34;
const HEAD_WIDTH: usize = 172;
const HEAD_HEIGHT: usize = 30;

/// Shade and text of a cell. The shade says how many, never how bad.
fn cell(change: &TargetChange, first: bool) -> (&'static str, String) {
    let failed = if change.failed > 0 { format!(" · {} ✕", change.failed) } else { String::new() };
    let whole = compared(change);
    if first {
        return ("h0", format!("{} builds{failed}", change.builds));
    }
    if whole == 0 {
        return ("h0", format!("{} first{failed}", change.added));
    }
    let share = change.changed * 100 / whole;
    let shade = match (change.changed, share) {
        (0, _) => "h0",
        (_, ..25) => "h1",
        (_, ..50) => "h2",
        (_, ..100) => "h3",
        _ => "h4",
    };
    (shade, format!("{}/{whole}{failed}", change.changed))
}

/// The panel.
pub fn panel(project: &ProjectSlug, rows: &[CommitRow]) -> impl IntoView + use<> {
    let shown: Vec<&CommitRow> = rows.iter().take(COLUMNS).rev().collect();
    let targets = targets_of(rows);
    let width = HEAD_WIDTH + shown.len() * CELL_WIDTH;
    let height = HEAD_HEIGHT + targets.len() * CELL_HEIGHT + 6;
    let heads = shown.iter().enumerate().map(|(n, row)| {
        let x = HEAD_WIDTH + n * CELL_WIDTH + CELL_WIDTH / 2;
        view! { <text class="tb" x=x y="18" text-anchor="middle">{row.commit.name().to_owned()}</text> }
    });
    let lines = targets.iter().enumerate().map(|(line, name)| {
        let top = HEAD_HEIGHT + line * CELL_HEIGHT;
        let cells = shown.iter().enumerate().map(|(n, row)| {
            let left = HEAD_WIDTH + n * CELL_WIDTH;
            let Some(change) = row.targets.iter().find(|change| change.target == *name) else {
                return view! { <text class="tx" x=left + CELL_WIDTH / 2 y=top + 21 text-anchor="middle">"·"</text> }
                    .into_any();
            };
            let (shade, text) = cell(change, row.commit.parent.is_none());
            let ink = if shade == "h4" { "onh" } else { "onl" };
            let rev = row.commit.sha.as_str().parse::<Rev>().ok();
            let href = rev.map(|rev| Page::Commit(project.clone(), rev).path()).unwrap_or_default();
            let label = format!("{name} at {}: {text}", row.commit.name());
            view! {
                <a href=href aria-label=label data-test="heat-cell">
                    <rect class=shade x=left y=top width=CELL_WIDTH height=CELL_HEIGHT></rect>
                    <text class=ink x=left + CELL_WIDTH / 2 y=top + 21 text-anchor="middle">{text}</text>
                </a>
            }
            .into_any()
        });
        view! {
            <text class="tb" x="0" y=top + 21>{name.to_string()}</text>
            <text class="tx" x="56" y=top + 21>{target::hardware_family(name)}</text>
            {cells.collect_view()}
        }
    });
    let more = rows.len().saturating_sub(COLUMNS);
    view! {
        <section class="panel" data-test="heat">
            <header>
                <h2>"Commits × targets"</h2>
                <span class="muted">"against the parent, machine code and resources"</span>
            </header>
            <div class="body scroll">
                <svg
                    class="heat"
                    viewBox=format!("0 0 {width} {height}")
                    width=width
                    height=height
                    role="group"
                    aria-label="Commits by targets: variants changed of variants compared"
                >
                    {heads.collect_view()}
                    {lines.collect_view()}
                </svg>
            </div>
            <div class="lgrow top1">
                <div class="lg">
                    <span>
                        <svg class="i" width="64" height="12" viewBox="0 0 64 12" aria-hidden="true">
                            <rect class="h0" width="12" height="12"></rect>
                            <rect class="h1" x="13" width="12" height="12"></rect>
                            <rect class="h2" x="26" width="12" height="12"></rect>
                            <rect class="h3" x="39" width="12" height="12"></rect>
                            <rect class="h4" x="52" width="12" height="12"></rect>
                        </svg>
                        "\u{a0} none, < 25 %, < 50 %, < 100 %, all: share of variants that changed"
                    </span>
                    <span>"n/m: n of m variants changed"</span>
                    <span>"✕ failed builds"</span>
                    {(more > 0).then(|| view! { <span>{format!("{more} older commits in the table below")}</span> })}
                </div>
            </div>
        </section>
    }
}
