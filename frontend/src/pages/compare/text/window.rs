//! The part of the diff that is on the screen: rows have one height, so that 20,000 of them scroll as well as 20.

use std::sync::Arc;

use leptos::{ev, html, prelude::*};
use lowerline_shared::{
    display,
    fold::{self, Entry},
    stage::Stage,
};

use super::{Pair, View, rows};
use crate::browser;

/// Pixels of a row; the style sheet says the same.
const ROW: f64 = 17.0;
/// Rows drawn above and below the visible ones.
const SPARE: usize = 20;
/// Unchanged rows kept beside a change.
const CONTEXT: usize = 4;
/// Lines of the minimap.
const MAP: usize = 300;

/// Pixels of a number of rows.
fn pixels(rows: usize) -> String {
    format!("{:.0}px", rows as f64 * ROW)
}

/// How many rows lie above a scroll offset.
fn rows_above(offset: i32) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, far below 2^31")]
    let rows = (f64::from(offset.max(0)) / ROW) as usize;
    rows
}

/// The scrolling window and its keys.
#[component]
pub fn Window(view: View, stage: Stage, stages: Vec<Stage>, pair: Arc<Pair>) -> impl IntoView {
    let changed: Arc<Vec<bool>> = Arc::new(pair.aligned.rows.iter().map(|row| rows::is_change(row.kind)).collect());
    let opened: RwSignal<Vec<usize>> = RwSignal::new(Vec::new());
    let entries = Memo::new({
        let changed = changed.clone();
        move |_| Arc::new(fold::fold(&changed, CONTEXT, &opened.get()))
    });
    let node: NodeRef<html::Div> = NodeRef::new();
    let offset = RwSignal::new(0_i32);
    let height = RwSignal::new(600_i32);
    let current = RwSignal::new(None::<usize>);
    let stops = fold::stops(&changed);
    let go_to = move |row: usize| {
        current.set(Some(row));
        let place = entries.with_untracked(|entries| entries.iter().position(|entry| *entry == Entry::Row(row)));
        if let (Some(place), Some(node)) = (place, node.get_untracked()) {
            #[expect(clippy::cast_possible_truncation, reason = "a scroll offset")]
            node.set_scroll_top((place.saturating_sub(6) as f64 * ROW) as i32);
        }
    };
    let keys = window_event_listener(ev::keydown, {
        let stops = stops.clone();
        move |event| {
            if browser::is_typing() || event.ctrl_key() || event.meta_key() || event.alt_key() {
                return;
            }
            let here = current.get_untracked();
            match event.key().as_str() {
                "j" | "n" => {
                    let next = stops.iter().copied().find(|stop| here.is_none_or(|here| *stop > here));
                    next.into_iter().for_each(go_to);
                }
                "k" | "p" => {
                    let before = stops.iter().rev().copied().find(|stop| here.is_some_and(|here| *stop < here));
                    before.into_iter().for_each(go_to);
                }
                "e" => opened.set(entries.with_untracked(|entries| {
                    entries
                        .iter()
                        .filter_map(|e| if let Entry::Fold(from, _) = e { Some(*from) } else { None })
                        .collect()
                })),
                "[" | "]" => step_stage(view, stage, &stages, event.key() == "]"),
                _ => {}
            }
        }
    });
    on_cleanup(move || keys.remove());
    let map = fold::minimap(&changed, MAP);
    let total = changed.len();
    let to_row = move |event: ev::MouseEvent| {
        use wasm_bindgen::JsCast as _;
        let map = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let Some(bounds) = map.map(|map| map.get_bounding_client_rect()) else { return };
        let part = (f64::from(event.client_y()) - bounds.top()) / bounds.height().max(1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the rows")]
        let row = (part * total as f64).clamp(0.0, total as f64) as usize;
        let nearest = stops.iter().copied().min_by_key(|stop| stop.abs_diff(row));
        nearest.into_iter().for_each(go_to);
    };
    view! {
        <div class="diffwrap">
            <div
                class="diffbox"
                tabindex="0"
                role="group"
                aria-label="Aligned text"
                data-test="diff"
                node_ref=node
                on:scroll=move |_| {
                    if let Some(node) = node.get_untracked() {
                        offset.set(node.scroll_top());
                        height.set(node.client_height());
                    }
                }
            >
                <div class="diffall" style:height=move || entries.with(|entries| pixels(entries.len()))>
                    {move || {
                        let from = rows_above(offset.get()).saturating_sub(SPARE);
                        let to = rows_above(offset.get() + height.get()) + SPARE;
                        let here = current.get();
                        entries.with(|entries| {
                            let shown = entries.iter().enumerate().take(to).skip(from);
                            shown.map(|(place, entry)| row(&pair, place, *entry, here, opened)).collect_view()
                        })
                    }}
                </div>
            </div>
            <div class="mini" on:click=to_row title="Changes over the whole text">
                <svg viewBox=format!("0 0 40 {MAP}") preserveAspectRatio="none" width="100%" height="100%" aria-hidden="true">
                    {map
                        .into_iter()
                        .map(|(top, length)| view! { <rect class="m-ins" x="4" y=top width="32" height=length.max(1)></rect> })
                        .collect_view()}
                </svg>
            </div>
        </div>
        <p class="keys">
            <span><kbd>"j"</kbd><kbd>"k"</kbd>"changes"</span>
            <span><kbd>"["</kbd><kbd>"]"</kbd>"stages"</span>
            <span><kbd>"e"</kbd>"expand"</span>
        </p>
    }
}

fn row(pair: &Pair, place: usize, entry: Entry, here: Option<usize>, opened: RwSignal<Vec<usize>>) -> AnyView {
    let top = pixels(place);
    match entry {
        Entry::Row(n) => {
            let Some(row) = pair.aligned.rows.get(n) else { return ().into_any() };
            let cells = rows::cells(pair, *row);
            let kind = if rows::is_change(row.kind) { "change" } else { "same" };
            view! { <div class="dr" class:cur=here == Some(n) data-test=kind style:top=top>{cells}</div> }.into_any()
        }
        Entry::Fold(from, to) => {
            let text = format!("{} unchanged lines", display::count(i64::try_from(to - from).unwrap_or(i64::MAX)));
            view! {
                <div class="dr fold" style:top=top>
                    <button type="button" data-test="fold" on:click=move |_| opened.update(|opened| opened.push(from))>
                        "⋯ " {text}
                    </button>
                </div>
            }
            .into_any()
        }
    }
}

/// The next stage in lowering order, of those the build has as text.
fn step_stage(view: View, stage: Stage, stages: &[Stage], down: bool) {
    let Some(here) = stages.iter().position(|other| *other == stage) else { return };
    let next = if down { here + 1 } else { here.wrapping_sub(1) };
    if let Some(next) = stages.get(next).copied() {
        view.replace(|_, query| query.stage = Some(next));
    }
}
