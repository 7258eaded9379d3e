//! How fast the analyzer is as WebAssembly: the half of `cargo bench -p lowerline-analyzer --bench wasm` that runs in node.
//!
//! `globalThis.artifacts` is an array of `Uint8Array`s; `globalThis.best` becomes the milliseconds of the quickest of
//! [`ROUNDS`] rounds in which each is analyzed once, and `globalThis.functions` how many functions that found, by which both halves
//! show that they did the same work.

use js_sys::{Array, Date, Reflect, Uint8Array, global};
use lowerline_analyzer::{Limits, analyze};
use wasm_bindgen::{JsCast as _, JsValue};

/// As many as the native half makes.
const ROUNDS: usize = 5;

fn set(name: &str, value: f64) {
    // Of a plain object, setting cannot fail.
    let _ = Reflect::set(&global(), &name.into(), &value.into());
}

fn main() {
    console_error_panic_hook::set_once();
    let given = Reflect::get(&global(), &JsValue::from_str("artifacts")).unwrap_or_default();
    let given = given.dyn_into::<Array>().unwrap_or_default();
    let artifacts: Vec<Vec<u8>> = given.iter().map(|bytes| Uint8Array::new(&bytes).to_vec()).collect();
    let limits = Limits::default();
    let mut best = f64::INFINITY;
    let mut functions = 0;
    for _ in 0..ROUNDS {
        let start = Date::now();
        functions =
            artifacts.iter().map(|bytes| analyze(bytes, &limits).map_or(0, |report| report.functions.len())).sum();
        best = best.min(Date::now() - start);
    }
    set("best", best);
    set("functions", functions as f64);
}
