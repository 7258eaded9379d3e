//! The browser around the page: clipboard, downloads, addresses, settings that stay on this machine.

use js_sys::Array;
use leptos::prelude::*;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// Whether the reader has marked text, to copy it.
pub fn has_marked_text() -> bool {
    let get = js_sys::Reflect::get(&window(), &JsValue::from_str("getSelection"));
    let selection = get.ok().and_then(|get| get.dyn_into::<js_sys::Function>().ok()?.call0(&window()).ok());
    let collapsed = selection.and_then(|all| js_sys::Reflect::get(&all, &JsValue::from_str("isCollapsed")).ok());
    collapsed.is_some_and(|collapsed| collapsed.is_falsy())
}

/// `https://host` of the page.
pub fn origin() -> String {
    window().location().origin().unwrap_or_default()
}

/// The full address of a path.
pub fn absolute(path: &str) -> String {
    format!("{}{path}", origin())
}

/// Puts text on the clipboard; false when the browser refuses (no permission, no secure context).
pub async fn copy(text: &str) -> bool {
    let navigator = window().navigator();
    let has_clipboard = js_sys::Reflect::get(&navigator, &JsValue::from_str("clipboard"));
    if !has_clipboard.is_ok_and(|clipboard| clipboard.is_object()) {
        return false;
    }
    JsFuture::from(navigator.clipboard().write_text(text)).await.is_ok()
}

/// Hands a text to the browser as a file.
pub fn download(name: &str, mime: &str, text: &str) {
    let parts = Array::of1(&JsValue::from_str(text));
    let kind = BlobPropertyBag::new();
    kind.set_type(mime);
    if let Ok(blob) = Blob::new_with_str_sequence_and_options(&parts, &kind) {
        save(name, &blob);
    }
}

/// Hands bytes to the browser as a file.
pub fn save(name: &str, blob: &Blob) {
    let Ok(address) = Url::create_object_url_with_blob(blob) else { return };
    if let Some(link) = document().create_element("a").ok().and_then(|a| a.dyn_into::<HtmlAnchorElement>().ok()) {
        link.set_href(&address);
        link.set_download(name);
        link.click();
    }
    let _ = Url::revoke_object_url(&address);
}

/// A setting of this browser; `None` when unset or storage is closed.
pub fn setting(key: &str) -> Option<String> {
    window().local_storage().ok().flatten()?.get_item(key).ok().flatten()
}

/// Keeps a setting; forgotten silently where storage is closed.
pub fn keep_setting(key: &str, value: &str) {
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = storage.set_item(key, value);
    }
}

/// Whether the keyboard belongs to a text field or control now, so that letters are no commands.
pub fn is_typing() -> bool {
    document()
        .active_element()
        .is_some_and(|element| matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT"))
}
