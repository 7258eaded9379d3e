//! The worker beside the page: questions to it, answers from it. It is started by the first page that asks, and again when
//! it died.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use js_sys::{Array, Function, JsString, Promise, Uint8Array, WebAssembly};
use leptos::prelude::{document, window};
use lowerline_shared::worker::{Answer, Question};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

/// An answer with its parts.
pub struct Reply {
    /// What it says.
    pub answer: Answer,
    parts: Array,
}

impl Reply {
    /// A part as bytes; empty when there is none.
    pub fn bytes(&self, part: u32) -> Vec<u8> {
        self.parts.get(part).dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec()).unwrap_or_default()
    }

    /// A part as words; empty when there is none.
    pub fn words(&self, part: u32) -> Vec<u32> {
        let bytes = self.parts.get(part).dyn_into::<Uint8Array>();
        bytes.map(|bytes| js_sys::Uint32Array::new(&bytes.buffer()).to_vec()).unwrap_or_default()
    }
}

/// Told of files done and in all.
pub type Progress = Rc<dyn Fn(u64, u64)>;

struct Waiting {
    done: Function,
    progress: Option<Progress>,
}

/// A running worker.
struct Link {
    worker: Worker,
    waiting: RefCell<HashMap<u32, Waiting>>,
    asked: Cell<u32>,
    /// Settles when the module was handed over.
    ready: Promise,
}

thread_local! {
    static LINK: RefCell<Option<Rc<Link>>> = const { RefCell::new(None) };
}

fn address(name: &str) -> Option<String> {
    document().query_selector(&format!("meta[name={name}]")).ok().flatten()?.get_attribute("content")
}

/// Compiles the module here, where fetching is allowed, and hands it over.
async fn hand_over(worker: Worker) -> Result<(), JsValue> {
    let module = address("worker-module").unwrap_or_default();
    let response = window().fetch_with_str(&module);
    let module = JsFuture::from(WebAssembly::compile_streaming(&response)).await?;
    worker.post_message(&module)
}

fn start() -> Option<Rc<Link>> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(&address("worker")?, &options).ok()?;
    let given = worker.clone();
    let ready = wasm_bindgen_futures::future_to_promise(async move {
        hand_over(given).await?;
        Ok(JsValue::UNDEFINED)
    });
    let link = Rc::new(Link { worker, waiting: RefCell::default(), asked: Cell::new(0), ready });
    let listen = Closure::<dyn FnMut(MessageEvent)>::new({
        let link = Rc::downgrade(&link);
        move |event: MessageEvent| {
            if let (Some(link), Ok(message)) = (link.upgrade(), event.data().dyn_into::<Array>()) {
                link.hear(&message);
            }
        }
    });
    link.worker.set_onmessage(Some(listen.as_ref().unchecked_ref()));
    listen.forget();
    let die = Closure::<dyn FnMut(JsValue)>::new(|_| stop());
    link.worker.set_onerror(Some(die.as_ref().unchecked_ref()));
    die.forget();
    Some(link)
}

/// Ends the worker; every question that waits is answered with why not.
fn stop() {
    let Some(link) = LINK.with_borrow_mut(Option::take) else { return };
    link.worker.terminate();
    for (_, waiting) in link.waiting.take() {
        let _ = waiting.done.call1(&JsValue::NULL, &JsValue::UNDEFINED);
    }
}

impl Link {
    fn hear(&self, message: &Array) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an id that this page gave")]
        let Some(id) = message.get(0).as_f64().map(|id| id as u32) else { return };
        let json = message.get(1).dyn_into::<JsString>().map(String::from).unwrap_or_default();
        if json.starts_with(r#"{"is":"progress""#) {
            let told = self.waiting.borrow().get(&id).and_then(|waiting| waiting.progress.clone());
            if let (Some(told), Ok(Answer::Progress { done, total })) = (told, serde_json::from_str(&json)) {
                told(done, total);
            }
            return;
        }
        if let Some(waiting) = self.waiting.borrow_mut().remove(&id) {
            let _ = waiting.done.call1(&JsValue::NULL, message);
        }
    }
}

/// Starts the worker, so that the first question does not wait for it.
pub fn warm_up() {
    let link = LINK.with_borrow_mut(|link| {
        if link.is_none() {
            *link = start();
        }
        link.clone()
    });
    if let Some(link) = link {
        spawn_local(async move {
            let _ = JsFuture::from(link.ready.clone()).await;
        });
    }
}

/// Asks, with parts that are copied.
pub async fn ask(question: &Question, parts: &[JsValue]) -> Result<Reply, String> {
    ask_long(question, parts, None).await
}

/// Asks something that takes long.
pub async fn ask_long(question: &Question, parts: &[JsValue], progress: Option<Progress>) -> Result<Reply, String> {
    const NO_START: &str = "The worker beside this page could not be started. Reload the page.";
    warm_up();
    let link = LINK.with_borrow(Clone::clone).ok_or_else(|| NO_START.to_owned())?;
    if JsFuture::from(link.ready.clone()).await.is_err() {
        stop();
        return Err(NO_START.to_owned());
    }
    let id = link.asked.get();
    link.asked.set(id.wrapping_add(1));
    let json = serde_json::to_string(question).map_err(|error| error.to_string())?;
    let message = Array::of2(&JsValue::from(id), &JsValue::from_str(&json));
    for part in parts {
        message.push(part);
    }
    let answered = Promise::new(&mut |done, _| {
        link.waiting.borrow_mut().insert(id, Waiting { done, progress: progress.clone() });
    });
    link.worker.post_message(&message).map_err(|_| "The browser refused to hand the files over.".to_owned())?;
    let message = JsFuture::from(answered).await.ok().and_then(|message| message.dyn_into::<Array>().ok());
    let message = message.ok_or("The worker beside this page died, perhaps of too large a file. Try again.")?;
    let json = message.get(1).dyn_into::<JsString>().map(String::from).unwrap_or_default();
    match serde_json::from_str(&json) {
        Ok(Answer::Refused { why }) => Err(why),
        Ok(answer) => Ok(Reply { answer, parts: message.slice(2, message.length()) }),
        Err(error) => Err(format!("The worker's answer could not be read ({error}). Reload the page.")),
    }
}
