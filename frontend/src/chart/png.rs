//! A picture of the server as PNG: issues and chats take no SVG.

use js_sys::{Function, Promise};
use leptos::prelude::document;
use wasm_bindgen::{JsCast as _, JsValue, prelude::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, CanvasRenderingContext2d, HtmlCanvasElement, HtmlImageElement};

use crate::browser;

/// Pixels of the PNG for one of the picture, so that its letters stay sharp where it is shown larger.
const SCALE: u32 = 2;

/// Draws the picture at an address of this server and hands it to the browser as a file. False when it could not be
/// fetched or is too large to draw.
pub async fn save(address: &str, name: &str) -> bool {
    match draw(address).await {
        Some(blob) => {
            browser::save(name, &blob);
            true
        }
        None => false,
    }
}

async fn draw(address: &str) -> Option<Blob> {
    let image = HtmlImageElement::new().ok()?;
    image.set_src(address);
    JsFuture::from(image.decode()).await.ok()?;
    let canvas = document().create_element("canvas").ok()?.dyn_into::<HtmlCanvasElement>().ok()?;
    canvas.set_width(image.natural_width() * SCALE);
    canvas.set_height(image.natural_height() * SCALE);
    let context = canvas.get_context("2d").ok()??.dyn_into::<CanvasRenderingContext2d>().ok()?;
    let (width, height) = (f64::from(canvas.width()), f64::from(canvas.height()));
    context.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, width, height).ok()?;
    let made = Promise::new(&mut |done: Function, failed: Function| {
        let take = Closure::once_into_js(move |blob: JsValue| {
            let _ = done.call1(&JsValue::NULL, &blob);
        });
        if canvas.to_blob(take.unchecked_ref()).is_err() {
            let _ = failed.call0(&JsValue::NULL);
        }
    });
    // No blob comes of a canvas beyond what the browser can hold.
    JsFuture::from(made).await.ok()?.dyn_into::<Blob>().ok()
}
