//! The pages: a client-side rendered Leptos application.
//!
//! Modules in reading order: [`app`] (address → page), [`shell`] (the bar around every page), [`pages`], [`parts`]
//! (what pages are made of), [`chart`] (series → plotly), [`fetch`] (address → data), [`lazy`] (pages in parts of their
//! own), [`worker`] (work beside the page), [`browser`] (clipboard, files,
//! theme). No number is computed here that `lowerline-shared` could compute, and no foreign text becomes markup.

#![expect(clippy::needless_pass_by_value, reason = "components own their properties")]

mod app;
mod blobs;
mod browser;
mod chart;
mod fetch;
mod lazy;
mod pages;
mod parts;
mod shell;
mod theme;
mod worker;

use leptos::prelude::*;
use wasm_bindgen::JsCast as _;

fn main() {
    console_error_panic_hook::set_once();
    let Some(root) = document().get_element_by_id("app") else { return };
    root.set_text_content(None);
    mount_to(root.unchecked_into(), app::App).forget();
}
