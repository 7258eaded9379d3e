//! Families per target as stacked bars.

use leptos::prelude::*;
use lowerline_shared::{
    api::LoweringResponse,
    display,
    family::{Family, Palette},
    lowering,
    stage::Stage,
};

use super::View;
use crate::parts::{export::copy_table, marks};

/// Geometry of the drawing.
const LEFT: f64 = 70.0;
const WIDTH: f64 = 770.0;
const ROW: f64 = 26.0;

/// A target, its instructions, and the families they are of.
type Bar = (String, i64, Vec<(Family, i64)>);

/// The panel.
pub fn panel(view: View, data: &LoweringResponse) -> Option<impl IntoView + use<>> {
    let bars: Vec<Bar> = data
        .targets
        .iter()
        .filter_map(|column| {
            let level = column.levels.iter().find(|level| level.stage != Stage::Ptx)?;
            let families = level.families.iter().filter(|(family, _)| family.info().in_total).copied().collect();
            Some((column.target.to_string(), level.instructions, families))
        })
        .collect();
    let longest = bars.iter().map(|(_, total, _)| *total).max().filter(|longest| *longest > 0)?;
    let height = ROW * bars.len() as f64;
    let rows = bars.iter().enumerate().map(|(n, (target, total, families))| {
        let top = ROW * n as f64 + 4.0;
        let mut x = LEFT;
        let parts = families.iter().map(|(family, count)| {
            let width = *count as f64 / longest as f64 * (WIDTH - 60.0);
            let from = x;
            x += width;
            view! {
                <rect
                    class=format!("fl-{} sb", family.info().id)
                    x=format!("{from:.1}")
                    y=format!("{top:.0}")
                    width=format!("{:.1}", (width - 0.5).max(0.5))
                    height="18"
                >
                    <title>{format!("{target}: {} {}", family.info().label, display::count(*count))}</title>
                </rect>
            }
        });
        let parts = parts.collect_view();
        view! {
            <text class="tb" x="0" y=format!("{:.0}", top + 14.0)>{target.clone()}</text>
            {parts}
            <text x=format!("{:.1}", x + 6.0) y=format!("{:.0}", top + 14.0)>{display::count(*total)}</text>
        }
    });
    let rows = rows.collect_view();
    let legend =
        Palette::ALL.into_iter().map(|palette| view! { <span>{marks::palette_mark(palette)}{palette.label()}</span> });
    let copy = copy_table(view.kept(Some(data)), "families", lowering::tables::families(data));
    let view_box = format!("0 0 {:.0} {height:.0}", LEFT + WIDTH);
    Some(view! {
        <section class="panel" data-test="families">
            <header><h2>"Families per target"</h2><span class="muted">"static instructions of the machine code"</span><span class="end">{copy}</span></header>
            <div class="body scroll">
                <svg class="wide" viewBox=view_box width="840" height=format!("{height:.0}") role="img" aria-label="Families per target">
                    {rows}
                </svg>
            </div>
            <div class="lgrow top1">
                <div class="lg">
                    {legend.collect_view()}
                    <span class="muted">"lightness inside a hue = family; padding left out"</span>
                </div>
            </div>
        </section>
    })
}
