//! The work on whole artifacts, in a Web Worker beside the page.
//!
//! [`desk`] answers questions of [`lowerline_shared::worker`], `text` reads artifacts line by line. The worker opens no
//! connection, and its content security policy allows none: bytes come from the page, be it from the server or from files
//! of this machine.

mod desk;
mod text;

use std::cell::RefCell;

use desk::{Desk, Reply};
use js_sys::{Array, JsString};
use lowerline_shared::worker::{Answer, Question};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Sends one answer. What cannot be sent has no other way to be told.
fn send(id: &JsValue, reply: &Reply) {
    let json = serde_json::to_string(&reply.answer).unwrap_or_else(|error| {
        let why = format!("the worker's answer cannot be written: {error}");
        serde_json::to_string(&Answer::Refused { why }).unwrap_or_default()
    });
    let message = Array::of2(id, &JsValue::from_str(&json));
    let buffers = Array::new();
    for part in &reply.parts {
        message.push(part);
        buffers.push(&part.buffer());
    }
    let _ = scope().post_message_with_transfer(&message, &buffers);
}

fn answer(desk: &mut Desk, message: &Array) {
    let id = message.get(0);
    let text = message.get(1).dyn_into::<JsString>().map(String::from).unwrap_or_default();
    let parts = message.slice(2, message.length());
    let reply = match serde_json::from_str::<Question>(&text) {
        Ok(question) => desk.answer(question, &parts, &|done, total| {
            send(&id, &Reply::new(Answer::Progress { done, total }));
        }),
        Err(error) => {
            Reply::refused(format!("this page and its worker are of two versions ({error}): reload the page"))
        }
    };
    send(&id, &reply);
}

fn main() {
    console_error_panic_hook::set_once();
    let desk = RefCell::new(Desk::default());
    let listen = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        if let Ok(message) = event.data().dyn_into::<Array>() {
            answer(&mut desk.borrow_mut(), &message);
        }
    });
    scope().set_onmessage(Some(listen.as_ref().unchecked_ref()));
    listen.forget();
}
