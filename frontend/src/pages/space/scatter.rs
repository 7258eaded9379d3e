//! Configs as points: what a block takes against what it gives.

use leptos::prelude::*;
use lowerline_shared::{
    api::{SpaceConfig, SpaceResponse},
    display,
    measure::Measure,
    plot,
    report::Resource,
    space,
};

use super::{Axes, name};

/// Geometry of the drawing.
const LEFT: f64 = 58.0;
const TOP: f64 = 14.0;
const WIDTH: f64 = 780.0;
const HEIGHT: f64 = 280.0;

/// The panel.
pub fn panel(data: &SpaceResponse, axes: &Axes) -> AnyView {
    let points: Vec<(&SpaceConfig, f64, Option<f64>)> = data
        .configs
        .iter()
        .filter_map(|config| Some((config, space::value(config, &axes.x)?, space::value(config, &axes.y))))
        // Where nothing was measured because it cannot be launched, the point stands on the floor.
        .filter(|(config, _, y)| y.is_some() || config.unlaunchable.is_some())
        .collect();
    let missing = data.configs.len() - points.len();
    if points.is_empty() {
        return view! {
            <section class="panel" data-test="scatter">
                <header><h2>{format!("{} against {}", name(&axes.y), name(&axes.x))}</h2></header>
                <p class="body muted">"No config has both."</p>
            </section>
        }
        .into_any();
    }
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0_f64, f64::max);
    let limit =
        data.shared_limit.filter(|_| axes.x == Measure::Resource(Resource::SharedBytes)).map(|limit| limit as f64);
    let right = plot::round_up(largest(&mut points.iter().map(|(_, x, _)| *x)).max(limit.unwrap_or(0.0) * 1.05));
    let top = plot::round_up(largest(&mut points.iter().filter_map(|(.., y)| *y)));
    let x_of = |x: f64| LEFT + x / right * WIDTH;
    let y_of = |y: f64| TOP + HEIGHT - y / top * HEIGHT;
    let marks =
        points.iter().map(|(config, x, y)| mark(config, x_of(*x), y_of(y.unwrap_or(0.0)), *y, axes)).collect_view();
    let zone = limit.map(|limit| {
        let x = x_of(limit);
        let label = format!("limit {}", display::number(limit));
        view! {
            <rect class="gapbox" x=format!("{x:.1}") y=TOP width=format!("{:.1}", LEFT + WIDTH - x) height=HEIGHT></rect>
            <path class="hitst" d=format!("M{x:.1} {TOP}V{}", TOP + HEIGHT)></path>
            <text class="tb" x=format!("{:.1}", x - 5.0) y=TOP + 10.0 text-anchor="end">{label}</text>
        }
    });
    let x_ticks = (0..=4).map(|n| {
        let value = right * f64::from(n) / 4.0;
        let x = x_of(value);
        view! {
            <path class="ax" d=format!("M{x:.1} {}v4", TOP + HEIGHT)></path>
            <text class="tx" x=format!("{x:.1}") y=TOP + HEIGHT + 17.0 text-anchor="middle">{display::number(value)}</text>
        }
    });
    let y_ticks = (0..=4).map(|n| {
        let value = top * f64::from(n) / 4.0;
        let y = y_of(value);
        view! {
            <path class="gr" d=format!("M{LEFT} {y:.1}H{}", LEFT + WIDTH)></path>
            <text class="tx" x=LEFT - 6.0 y=format!("{:.1}", y + 4.0) text-anchor="end">{display::number(value)}</text>
        }
    });
    let title = format!("{} against {}", name(&axes.y), name(&axes.x));
    let label = format!("{title}: {} configs", points.len());
    view! {
        <section class="panel" data-test="scatter">
            <header>
                <h2>{title}</h2>
                <span class="muted">{display::plural(points.len() as u64, "config")}</span>
                {(missing > 0).then(|| view! { <span class="badge">{format!("{missing} without both values")}</span> })}
            </header>
            <div class="body scroll">
                <svg class="wide" viewBox="0 0 860 336" width="860" height="336" role="img" aria-label=label>
                    {y_ticks.collect_view()}
                    {zone}
                    <path class="ax" d=format!("M{LEFT} {}H{}", TOP + HEIGHT, LEFT + WIDTH)></path>
                    {x_ticks.collect_view()}
                    <text class="tx" x=LEFT + WIDTH / 2.0 y=TOP + HEIGHT + 36.0 text-anchor="middle">{name(&axes.x)}</text>
                    {marks}
                </svg>
            </div>
            <div class="lgrow top1">
                <div class="lg">
                    <span><svg class="i" width="12" height="12" viewBox="0 0 12 12"><circle class="sp" cx="6" cy="6" r="4"></circle></svg>"config"</span>
                    <span><svg class="i" width="12" height="12" viewBox="0 0 12 12"><circle class="sp dup" cx="6" cy="6" r="4"></circle></svg>"same kernel as another"</span>
                    <span><svg class="i" width="12" height="12" viewBox="0 0 12 12"><circle class="sp warn" cx="6" cy="6" r="4"></circle></svg>"spills or uses the stack"</span>
                    <span><svg class="i" width="12" height="12" viewBox="0 0 12 12"><path class="hitst" d="M2 2l8 8M10 2l-8 8"></path></svg>"cannot be launched"</span>
                </div>
            </div>
        </section>
    }
    .into_any()
}

fn mark(config: &SpaceConfig, x: f64, y: f64, value: Option<f64>, axes: &Axes) -> AnyView {
    let reason = space::skip_reason(config).map(|why| format!(" · {why}")).unwrap_or_default();
    let value = value.map_or_else(|| "–".to_owned(), display::number);
    let at = space::value(config, &axes.x).map_or_else(|| "–".to_owned(), display::number);
    let title = format!("{}: {} {value}, {} {at}{reason}", config.config, name(&axes.y), name(&axes.x));
    if config.unlaunchable.is_some() {
        let cross = format!("M{:.1} {:.1}l8 8M{:.1} {:.1}l-8 8", x - 4.0, y - 12.0, x + 4.0, y - 12.0);
        return view! { <path class="hitst" data-test="point-dead" d=cross><title>{title}</title></path> }.into_any();
    }
    let class = match (config.same_as.is_some(), config.spills) {
        (true, _) => "sp dup",
        (false, true) => "sp warn",
        (false, false) => "sp",
    };
    view! {
        <circle class=class data-test="point" cx=format!("{x:.1}") cy=format!("{y:.1}") r="4.5"><title>{title}</title></circle>
    }
    .into_any()
}
