//! The drawn tile: one picture element per element of the tensor, scaled up, with grid lines and names where they fit.

use std::sync::Arc;

use leptos::{ev::KeyboardEvent, html::Canvas, prelude::*};
use lowerline_analyzer::layout::Axis;
use wasm_bindgen::{Clamped, JsCast as _, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData, MouseEvent};

use super::{
    State,
    colour::{By, rgb},
    model::Built,
};

/// Width and height of the drawing in pixels, at most; only a tile of more elements than that is larger.
const EXTENT: u32 = 640;
/// A cell is never larger.
const LARGEST_CELL: u32 = 36;
/// From this size on cells have lines between them, and names in them.
const LINED_CELL: u32 = 5;
const NAMED_CELL: u32 = 30;

/// Pixels of one cell.
fn cell(built: &Built) -> u32 {
    let (columns, rows) = (built.tile.columns.max(1), built.tile.rows.max(1));
    (EXTENT / columns).min(EXTENT / rows).clamp(1, LARGEST_CELL)
}

/// The tile.
#[component]
pub fn TileCanvas(
    state: State,
    tile: Arc<Built>,
    name: &'static str,
    #[prop(into)] by: Signal<String>,
    hovered: RwSignal<Option<(u32, u32)>>,
    shown: Signal<Option<(u32, u32)>>,
) -> impl IntoView {
    let canvas = NodeRef::<Canvas>::new();
    let size = cell(&tile);
    let (columns, rows) = (tile.tile.columns, tile.tile.rows);
    let built = tile.clone();
    Effect::new(move |_| {
        let (Some(canvas), Some(by)) = (canvas.get(), By::of(&by.get(), &built)) else { return };
        let started = now();
        if draw(&canvas, &built, by, size).is_some() {
            // Read by the measurement in e2e/bench.mjs.
            let _ = canvas.set_attribute("data-drawn-ms", &format!("{:.1}", now() - started));
            let _ = canvas.set_attribute("data-by", &by.id());
        }
    });
    let mark = NodeRef::<leptos::html::Span>::new();
    Effect::new(move |_| {
        let Some(mark) = mark.get() else { return };
        let place = shown.get().filter(|(row, column)| *row < rows && *column < columns);
        let style = web_sys::HtmlElement::style(&mark);
        let px = |value: u32| format!("{value}px");
        let _ = style.set_property("display", if place.is_some() { "block" } else { "none" });
        if let Some((row, column)) = place {
            let _ = style.set_property("left", &px(column * size));
            let _ = style.set_property("top", &px(row * size));
            let _ = style.set_property("width", &px(size));
            let _ = style.set_property("height", &px(size));
        }
    });
    let at = move |event: &MouseEvent| {
        let canvas = canvas.get_untracked()?;
        // The picture may be shown smaller than it is.
        let shown = canvas.get_bounding_client_rect();
        let share = |offset: i32, shown: f64, cells: u32| element(f64::from(offset) / shown, cells);
        Some((share(event.offset_y(), shown.height(), rows)?, share(event.offset_x(), shown.width(), columns)?))
    };
    let keys = move |event: KeyboardEvent| {
        let (row, column) = shown.get_untracked().unwrap_or((0, 0));
        let to = match event.key().as_str() {
            "ArrowUp" => (row.saturating_sub(1), column),
            "ArrowDown" => ((row + 1).min(rows - 1), column),
            "ArrowLeft" => (row, column.saturating_sub(1)),
            "ArrowRight" => (row, (column + 1).min(columns - 1)),
            _ => return,
        };
        event.prevent_default();
        hovered.set(None);
        state.change(|query| query.at = Some(to));
    };
    let legend = tile.clone();
    view! {
        <div class="tile">
            <div class="tilebox">
                <canvas
                    node_ref=canvas
                    width=columns * size
                    height=rows * size
                    tabindex="0"
                    role="img"
                    aria-label=format!("Tile {name}, {rows} rows and {columns} columns; arrow keys move the selected element")
                    data-test=format!("tile-{}", name.to_lowercase())
                    on:mousemove=move |event| hovered.set(at(&event))
                    on:mouseleave=move |_| hovered.set(None)
                    on:click=move |event| state.change(|query| query.at = at(&event))
                    on:keydown=keys
                ></canvas>
                <span class="mark" node_ref=mark aria-hidden="true"></span>
            </div>
            <p class="small muted">
                {format!("{rows} × {columns}, dim 0 down, dim 1 across. ")}
                {move || {
                    let by = By::of(&by.get(), &legend);
                    by.map(|by| format!("Coloured by {}: {} of them.", by.id(), by.indices(&legend).1))
                }}
            </p>
        </div>
    }
}

/// The cell at a share of the whole.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the number of cells")]
fn element(share: f64, cells: u32) -> Option<u32> {
    share.is_finite().then(|| ((share * f64::from(cells)).max(0.0) as u32).min(cells.saturating_sub(1)))
}

fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}

fn context(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context("2d").ok().flatten()?.dyn_into().ok()
}

fn draw(canvas: &HtmlCanvasElement, built: &Built, by: By, size: u32) -> Option<()> {
    let (columns, rows) = (built.tile.columns, built.tile.rows);
    let (indices, count) = by.indices(built);
    let colours: Vec<[u8; 3]> = (0..count.min(4096)).map(|index| rgb(index, count)).collect();
    let mut pixels = Vec::with_capacity(indices.len() * 4);
    for index in &indices {
        let colour = colours.get(*index as usize).copied().unwrap_or_else(|| rgb(*index, count));
        pixels.extend_from_slice(&colour);
        pixels.push(255);
    }
    let picture = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&pixels), columns, rows).ok()?;
    let small = document().create_element("canvas").ok()?.dyn_into::<HtmlCanvasElement>().ok()?;
    small.set_width(columns);
    small.set_height(rows);
    context(&small)?.put_image_data(&picture, 0.0, 0.0).ok()?;
    let large = context(canvas)?;
    let (width, height) = (f64::from(columns * size), f64::from(rows * size));
    large.set_image_smoothing_enabled(false);
    large.draw_image_with_html_canvas_element_and_dw_and_dh(&small, 0.0, 0.0, width, height).ok()?;
    if size >= LINED_CELL {
        lines(&large, size, columns, rows);
    }
    if size >= NAMED_CELL {
        names(&large, built, size)?;
    }
    Some(())
}

fn lines(context: &CanvasRenderingContext2d, size: u32, columns: u32, rows: u32) {
    let (width, height) = (f64::from(columns * size), f64::from(rows * size));
    context.set_fill_style_str("rgba(255, 255, 255, 0.45)");
    for column in 1..columns {
        context.fill_rect(f64::from(column * size), 0.0, 1.0, height);
    }
    for row in 1..rows {
        context.fill_rect(0.0, f64::from(row * size), width, 1.0);
    }
}

/// `thread:register`, or the offset.
fn names(context: &CanvasRenderingContext2d, built: &Built, size: u32) -> Option<()> {
    context.set_fill_style_str("#161b22");
    context.set_font("10px sans-serif");
    context.set_text_align("center");
    context.set_text_baseline("middle");
    let offset = built.linear.input_bits(Axis::Offset) > 0;
    for row in 0..built.tile.rows {
        for column in 0..built.tile.columns {
            let index = |axis| built.tile.index(row, column, axis);
            let name = if offset {
                index(Axis::Offset)?.to_string()
            } else {
                format!("{}:{}", index(Axis::Lane)?, index(Axis::Register)?)
            };
            let middle = |cell: u32| f64::from(cell * size) + f64::from(size) / 2.0;
            context.fill_text(&name, middle(column), middle(row)).map_err(|_: JsValue| ()).ok()?;
        }
    }
    Some(())
}
