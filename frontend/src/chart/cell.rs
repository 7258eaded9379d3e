//! One chart on the page: drawn by plotly, pointed at and clicked by us, with a link at every change.

use std::sync::Arc;

use leptos::{ev::MouseEvent, html, prelude::*, task::spawn_local};
use lowerline_shared::plot::{self, Change, Plot};

use super::{
    figure::{Kind, figure, pixels_from_top},
    plotly,
};
use crate::theme::Theme;

/// Links over changes; with more of them they would cover each other, and the table of changes has them all.
const LINKS: usize = 40;

/// The charts of a page share this: they redraw together.
#[derive(Clone, Copy)]
pub struct Charts {
    resized: RwSignal<u32>,
    failed: RwSignal<bool>,
}

impl Charts {
    /// Starts loading the library and follows the width of the window.
    pub fn provide() -> Self {
        let charts = Self { resized: RwSignal::new(0), failed: RwSignal::new(false) };
        let resize = window_event_listener(leptos::ev::resize, move |_| charts.resized.update(|n| *n += 1));
        on_cleanup(move || resize.remove());
        spawn_local(async move {
            if !plotly::load().await {
                let _ = charts.failed.try_set(true);
            }
        });
        provide_context(charts);
        charts
    }

    /// Whether the library could not be loaded.
    pub fn has_failed(self) -> bool {
        self.failed.get()
    }
}

/// Where a change leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepLink {
    /// The comparison.
    pub href: String,
    /// The present page with the step selected: what Back returns to.
    pub keep: String,
    /// For screen readers.
    pub label: String,
}

fn fraction_under(event: &MouseEvent, chart: &web_sys::Element) -> f64 {
    let bounds = chart.get_bounding_client_rect();
    (f64::from(event.client_x()) - bounds.left()) / bounds.width().max(1.0)
}

/// The chart.
#[component]
pub fn Chart(
    /// What is drawn.
    plot: Arc<Plot>,
    /// How.
    kind: Kind,
    /// Custom property that holds the colour of the line.
    colour: String,
    /// First and last position.
    axis: (u32, u32),
    /// Selected position.
    #[prop(into)]
    at: Signal<Option<u32>>,
    /// Takes the position under the pointer.
    hovered: RwSignal<Option<u32>>,
    /// Where the crosshair is.
    #[prop(into)]
    cross: Signal<Option<u32>>,
    /// Takes the position that was clicked beside a change.
    pick: Callback<u32>,
    /// Where the changes lead.
    links: Vec<(Change, StepLink)>,
) -> impl IntoView {
    let theme: Theme = expect_context();
    let charts: Charts = expect_context();
    let node: NodeRef<html::Div> = NodeRef::new();
    let (first, last) = axis;
    let drawn = plot.clone();
    Effect::new(move |_| {
        theme.drawn.track();
        charts.resized.track();
        let at = at.get();
        let Some(node) = node.get() else { return };
        let (plot, colour) = (drawn.clone(), colour.clone());
        spawn_local(async move {
            if !plotly::load().await {
                return;
            }
            let width = u32::try_from(node.client_width()).unwrap_or(300).max(40);
            let figure = figure(&plot, kind, &plotly::palette(&colour), axis, at, width);
            if plotly::draw(&node, &figure).await {
                let _ = node.set_attribute("data-drawn", "true");
            }
        });
    });
    on_cleanup(move || {
        if let Some(node) = node.try_get_untracked().flatten() {
            plotly::forget(&node);
        }
    });
    let position = move |event: &MouseEvent| {
        let node = node.get_untracked()?;
        Some(plot::position_under(fraction_under(event, &node), first, last))
    };
    let percent = move |at: u32| format!("{:.3}%", plot::fraction_of(at, first, last) * 100.0);
    let top = if plot.top > 0.0 { plot.top } else { 1.0 };
    let shown = if links.len() <= LINKS { links.len() } else { 0 };
    let steps = links.into_iter().take(shown).map(|(change, link)| {
        view! {
            <a
                class="step"
                href=link.href
                data-keep=link.keep
                data-test="step"
                data-at=change.at
                aria-label=link.label
                style:left=percent(change.at)
                style:top=format!("{:.1}px", pixels_from_top(change.now, top))
            ></a>
        }
    });
    view! {
        <div
            class="chart"
            on:mousemove=move |event| hovered.set(position(&event))
            on:mouseleave=move |_| hovered.set(None)
            on:click=move |event| {
                let on_step = event.target().is_some_and(|target| is_step(&target));
                if let Some(at) = position(&event).filter(|_| !on_step) {
                    pick.run(at);
                }
            }
        >
            <div class="plot" node_ref=node></div>
            <div
                class="cross"
                hidden=move || cross.get().is_none()
                style:left=move || percent(cross.get().unwrap_or(first))
            ></div>
            {steps.collect_view()}
        </div>
    }
}

fn is_step(target: &web_sys::EventTarget) -> bool {
    use wasm_bindgen::JsCast as _;
    target.dyn_ref::<web_sys::Element>().is_some_and(|element| element.class_list().contains("step"))
}
