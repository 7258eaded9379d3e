//! The chart library: loaded once, when the first chart is on the page, from the address `index.html` names.

use std::cell::RefCell;

use js_sys::{JSON, Promise, Reflect};
use leptos::prelude::{document, window};
use wasm_bindgen::{JsCast as _, JsValue, prelude::*};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, HtmlScriptElement};

use super::figure::{Figure, Palette};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = Plotly, catch)]
    fn react(chart: &Element, data: &JsValue, layout: &JsValue, config: &JsValue) -> Result<Promise, JsValue>;
    #[wasm_bindgen(js_namespace = Plotly, catch)]
    fn purge(chart: &Element) -> Result<(), JsValue>;
}

thread_local! {
    /// The one load; every chart waits for it.
    static LOADING: RefCell<Option<Promise>> = const { RefCell::new(None) };
}

fn start_loading() -> Promise {
    Promise::new(&mut |loaded, failed| {
        let script =
            document().create_element("script").ok().and_then(|element| element.dyn_into::<HtmlScriptElement>().ok());
        let address = document().query_selector("meta[name=plotly]").ok().flatten();
        let address = address.and_then(|meta| meta.get_attribute("content"));
        let (Some(script), Some(address), Some(head)) = (script, address, document().head()) else {
            let _ = failed.call0(&JsValue::NULL);
            return;
        };
        script.set_src(&address);
        let _ = script.add_event_listener_with_callback("load", &loaded);
        let _ = script.add_event_listener_with_callback("error", &failed);
        let _ = head.append_child(&script);
    })
}

/// Starts the download, or waits for it. False when it failed; the next call tries again.
pub async fn load() -> bool {
    if Reflect::has(&window(), &JsValue::from_str("Plotly")).unwrap_or(false) {
        return true;
    }
    let promise = LOADING.with_borrow_mut(|loading| loading.get_or_insert_with(start_loading).clone());
    let loaded = JsFuture::from(promise).await.is_ok();
    if !loaded {
        LOADING.with_borrow_mut(|loading| *loading = None);
    }
    loaded
}

/// Lets the browser paint: each chart is drawn in a task of its own, so that the first is on the screen before the last
/// is made.
async fn turn() {
    let next = Promise::new(&mut |done, _| {
        let _ = window().set_timeout_with_callback(&done);
    });
    let _ = JsFuture::from(next).await;
}

/// Draws or redraws; the library must be loaded.
pub async fn draw(chart: &Element, figure: &Figure) -> bool {
    turn().await;
    if !chart.is_connected() {
        return false;
    }
    let parse = |value: &serde_json::Value| JSON::parse(&value.to_string());
    let (Ok(data), Ok(layout), Ok(config)) = (
        parse(&figure.data),
        parse(&figure.layout),
        JSON::parse(r#"{"staticPlot":true,"displayModeBar":false,"responsive":false}"#),
    ) else {
        return false;
    };
    match react(chart, &data, &layout, &config) {
        Ok(promise) => JsFuture::from(promise).await.is_ok(),
        Err(_) => false,
    }
}

/// Frees what the library keeps for a chart.
pub fn forget(chart: &Element) {
    let _ = purge(chart);
}

/// Colours of a chart as the style sheet has them now.
pub fn palette(line: &str) -> Palette {
    let root = document().document_element();
    let style = root.and_then(|root| window().get_computed_style(&root).ok().flatten());
    let read = |name: &str| {
        let value = style.as_ref().and_then(|style| style.get_property_value(name).ok());
        value.map(|value| value.trim().to_owned()).unwrap_or_default()
    };
    Palette {
        line: read(line),
        panel: read("--panel"),
        ink: read("--ink"),
        ink_2: read("--ink-2"),
        hatch: read("--hatch"),
        axis: read("--line-2"),
        select: read("--select"),
        font: read("--sans"),
    }
}
