//! A list of rows of one height, of which only those in sight are in the page: 20,000 scroll as well as 20.

use leptos::{html, prelude::*};

use super::select::Selection;

/// Pixels of a row; the style sheet says the same.
const ROW: f64 = 17.0;
/// Rows drawn above and below the visible ones.
const SPARE: usize = 24;
/// The first drawn row is a multiple of this, so that not every pixel changes what is drawn.
const GRAIN: usize = 8;
/// Rows above one that was gone to.
const LEAD: usize = 6;

/// Pixels of a number of rows.
pub fn pixels(rows: usize) -> String {
    format!("{:.0}px", rows as f64 * ROW)
}

/// How many rows lie above a scroll offset.
fn rows_above(offset: i32) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, far below 2^31")]
    let rows = (f64::from(offset.max(0)) / ROW) as usize;
    rows
}

/// Scrolls a list so that a row is in sight, with some before it.
pub fn scroll_to(node: NodeRef<html::Div>, place: usize) {
    if let Some(node) = node.get_untracked() {
        #[expect(clippy::cast_possible_truncation, reason = "a scroll offset")]
        node.set_scroll_top((place.saturating_sub(LEAD) as f64 * ROW) as i32);
    }
}

/// The list. Rows are drawn once and stay while they are near the window.
#[component]
pub fn Scroller<K, R>(
    /// Rows in all.
    #[prop(into)]
    count: Signal<usize>,
    /// What makes the row at a place another one.
    key: K,
    /// Draws the row at a place.
    row: R,
    /// Hears clicks, and says what is under the pointer: one listener for all rows.
    selection: Selection,
    /// The scrolling element.
    node: NodeRef<html::Div>,
    /// Name on screen readers.
    label: String,
    /// Name in tests.
    test: &'static str,
) -> impl IntoView
where
    K: Fn(usize) -> u64 + Clone + Send + Sync + 'static,
    R: Fn(usize) -> AnyView + Clone + Send + Sync + 'static,
{
    let offset = RwSignal::new(0_i32);
    let height = RwSignal::new(720_i32);
    Effect::new(move |_| {
        if let Some(node) = node.get() {
            height.set(node.client_height().max(100));
        }
    });
    let shown = Memo::new(move |_| {
        let from = rows_above(offset.get()).saturating_sub(SPARE) / GRAIN * GRAIN;
        let to = rows_above(offset.get() + height.get()) + SPARE;
        (from, to.next_multiple_of(GRAIN))
    });
    view! {
        <div
            class="diffbox"
            tabindex="0"
            role="group"
            aria-label=label
            data-test=test
            node_ref=node
            on:click=move |event| selection.click(&event)
            on:mouseover=move |event| selection.describe(&event)
            on:scroll=move |_| {
                if let Some(node) = node.get_untracked() {
                    offset.set(node.scroll_top());
                    height.set(node.client_height());
                }
            }
        >
            <div class="diffall" style:height=move || pixels(count.get())>
                <For
                    each=move || {
                        let (from, to) = shown.get();
                        from..to.min(count.get())
                    }
                    key=move |place| key(*place)
                    children=row
                />
            </div>
        </div>
    }
}
