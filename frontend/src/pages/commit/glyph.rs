//! A cell of the matrix: a bar per display group, up for more, down for fewer, and the two numbers people ask first.

use leptos::prelude::*;
use lowerline_shared::{
    api::{BuildCell, BuildStatus},
    display,
    family::Palette,
    report::Resource,
};

use crate::parts::marks;

/// Half the height of a glyph, in pixels.
const HALF: f64 = 12.0;
const STEP: f64 = 6.2;
const BAR: f64 = 4.6;

fn group_change(cell: &BuildCell, palette: Palette) -> i64 {
    let own = cell.moved.iter().filter(|(family, ..)| family.info().palette == palette);
    own.map(|(_, before, now)| now.saturating_sub(*before)).sum()
}

/// Height of a bar: the logarithm of the change, full from 256 on, so that small changes are seen beside large ones.
fn height(change: i64) -> f64 {
    ((change.unsigned_abs() as f64 + 1.0).log2() / 8.0).min(1.0) * HALF
}

fn bars(changes: &[(Palette, i64)]) -> impl IntoView + use<> {
    let bars = changes.iter().enumerate().filter(|(_, (_, change))| *change != 0).map(|(n, (palette, change))| {
        let high = height(*change);
        let top = if *change > 0 { HALF + 1.0 - high } else { HALF + 2.0 };
        view! {
            <rect
                class=format!("gl-{}", palette.id())
                x=format!("{:.1}", 1.0 + n as f64 * STEP)
                y=format!("{top:.1}")
                width=BAR.to_string()
                height=format!("{high:.1}")
            ></rect>
        }
    });
    view! {
        <svg viewBox="0 0 50 26" width="50" height="26" aria-hidden="true">
            <path class="ax" d="M0 13.5H50"></path>
            {bars.collect_view()}
        </svg>
    }
}

/// The cell. `href` leads to the comparison; `None` where there is no parent.
pub fn cell(cell: &BuildCell, href: Option<String>) -> AnyView {
    if cell.status != BuildStatus::Ok {
        let title = cell.message.as_deref().map(lowerline_shared::ids::shown);
        let words = if cell.status_changed { "fails now" } else { "failed" };
        return view! { <td class="failed" title=title data-test="cell-failed">"✕"<br/><span class="muted small">{words}</span></td> }
            .into_any();
    }
    if cell.status_changed {
        return view! {
            <td class="fixed"><a href=href data-test="cell-compiles"><span class="muted small">"compiles again"</span></a></td>
        }
        .into_any();
    }
    if cell.added {
        return view! { <td class="fixed"><span class="muted small">"new here"</span></td> }.into_any();
    }
    let decisions: Vec<String> =
        cell.decisions.iter().map(|(measure, before, now)| format!("{} {before} → {now}", measure.label())).collect();
    let decisions = decisions.join(", ");
    if cell.changed && cell.moved.is_empty() && cell.resources.is_empty() {
        let title = "Counts by family and resources are equal; opcodes of one family, or their places in loops, differ";
        return view! { <td><a href=href title=title aria-label=title data-test="cell-opcodes">"opcodes"</a></td> }
            .into_any();
    }
    if cell.moved.is_empty() && cell.resources.is_empty() && !decisions.is_empty() {
        return view! {
            <td class="eq"><a href=href title=decisions.clone() aria-label=decisions data-test="cell-decided">"= d"</a></td>
        }
        .into_any();
    }
    if cell.moved.is_empty() && cell.resources.is_empty() {
        let equal = href.map(|href| view! { <a href=href>"="</a> });
        return view! { <td class="eq">{equal}</td> }.into_any();
    }
    let changes: Vec<(Palette, i64)> =
        Palette::ALL.into_iter().map(|palette| (palette, group_change(cell, palette))).collect();
    let counted = cell.moved.iter().filter(|(family, ..)| family.info().in_total);
    let instructions: i64 = counted.map(|(_, before, now)| now.saturating_sub(*before)).sum();
    let registers = cell.resources.iter().find(|(resource, ..)| *resource == Resource::Registers);
    let registers = registers.map_or(0, |(_, before, now)| now.saturating_sub(*before));
    let spoken: Vec<String> = changes
        .iter()
        .filter(|(_, change)| *change != 0)
        .map(|(palette, change)| format!("{} {}", palette.label(), display::signed(*change)))
        .collect();
    let label = format!(
        "{} on {}: instructions {}, registers {}; {} {decisions}",
        lowerline_shared::ids::shown(&cell.kernel),
        cell.target,
        display::signed(instructions),
        display::signed(registers),
        spoken.join(", "),
    );
    let text = |value: i64| if value == 0 { "=".to_owned() } else { display::signed(value) };
    view! {
        <td>
            <a href=href aria-label=label.clone() title=label data-test="cell-changed">
                <span class="cellx">
                    {bars(&changes)}
                    <span><b>{text(instructions)}</b>" i"<br/><b>{text(registers)}</b>" r"</span>
                </span>
            </a>
        </td>
    }
    .into_any()
}

/// What the bars say.
pub fn legend() -> impl IntoView {
    let groups =
        Palette::ALL.into_iter().map(|palette| view! { <span>{marks::palette_mark(palette)} {palette.label()}</span> });
    view! {
        <div class="lgrow top1">
            <div class="lg">{groups.collect_view()}</div>
            <p class="small muted">
                "bar up: more, down: fewer, height: logarithm of the change; i instructions without padding, r registers, d decisions alone"
            </p>
        </div>
    }
}
