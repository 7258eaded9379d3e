//! Address → data. Old data stays while new data loads; an answer that comes after a newer question is dropped.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};
use lowerline_shared::problem::{Code, Problem};
use serde::de::DeserializeOwned;

/// Why there is no data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// HTTP status; `None` when nobody answered.
    pub status: Option<u16>,
    /// The server's code, when it gave one.
    pub code: Option<Code>,
    /// A sentence for people.
    pub message: String,
    /// What to try.
    pub hint: Option<String>,
    /// For the server's log.
    pub request_id: Option<String>,
}

impl Failure {
    /// A failure that is told in a sentence.
    pub fn new(status: Option<u16>, message: impl Into<String>) -> Self {
        Self { status, code: None, message: message.into(), hint: None, request_id: None }
    }

    /// Whether the thing asked for does not exist.
    pub fn is_not_found(&self) -> bool {
        self.code == Some(Code::NotFound) || self.status == Some(404)
    }
}

/// Data that follows an address.
pub struct Fetched<T: Send + Sync + 'static> {
    /// The last data that came.
    pub data: RwSignal<Option<Arc<T>>>,
    /// Why the last question had no answer.
    pub failure: RwSignal<Option<Failure>>,
    /// Whether an answer is awaited.
    pub busy: RwSignal<bool>,
    attempt: RwSignal<u32>,
}

impl<T: Send + Sync + 'static> Clone for Fetched<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Fetched<T> {}

impl<T: Send + Sync + 'static> Fetched<T> {
    /// Asks the same question again.
    pub fn retry(self) {
        self.attempt.update(|attempt| *attempt += 1);
    }
}

/// Follows an address; `None` asks nothing and keeps what is there.
pub fn use_fetch<T>(address: impl Fn() -> Option<String> + Send + Sync + 'static) -> Fetched<T>
where
    T: DeserializeOwned + Send + Sync + 'static,
{
    use_answer(address, |address: String| async move { get_json(&address).await })
}

/// Follows a question of any kind; `None` asks nothing and keeps what is there.
pub fn use_answer<K, T, F>(
    question: impl Fn() -> Option<K> + Send + Sync + 'static,
    answer: impl Fn(K) -> F + 'static,
) -> Fetched<T>
where
    K: Clone + PartialEq + Send + Sync + 'static,
    T: Send + Sync + 'static,
    F: Future<Output = Result<T, Failure>> + 'static,
{
    let fetched = Fetched {
        data: RwSignal::new(None),
        failure: RwSignal::new(None),
        busy: RwSignal::new(true),
        attempt: RwSignal::new(0),
    };
    let question = Memo::new(move |_| question());
    let newest = StoredValue::new(0_u64);
    Effect::new(move |_| {
        fetched.attempt.track();
        let Some(question) = question.get() else { return };
        newest.update_value(|ticket| *ticket += 1);
        let ticket = newest.get_value();
        fetched.busy.set(true);
        if fetched.failure.with_untracked(Option::is_some) {
            fetched.failure.set(None);
        }
        let answer = answer(question);
        spawn_local(async move {
            let answer = answer.await;
            // The page may be gone, or may have asked for something else.
            if newest.try_get_value() != Some(ticket) {
                return;
            }
            match answer {
                Ok(data) => fetched.data.set(Some(Arc::new(data))),
                Err(failure) => fetched.failure.set(Some(failure)),
            }
            fetched.busy.set(false);
        });
    });
    fetched
}

/// Asks once for JSON.
async fn get_json<T: DeserializeOwned>(address: &str) -> Result<T, Failure> {
    read_json(&get(address).await?)
}

fn read_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(body)
        .map_err(|error| Failure::new(Some(200), format!("The answer could not be read: {error}.")))
}

/// Sends a text and reads the answer. Nothing is kept by it.
pub async fn post_text<T: DeserializeOwned>(address: &str, text: String) -> Result<T, Failure> {
    let request = gloo_net::http::Request::post(address).header("content-type", "text/plain").body(text);
    read_json(&answer(async { request?.send().await }).await?)
}

/// Asks once for bytes.
pub async fn get(address: &str) -> Result<Vec<u8>, Failure> {
    answer(gloo_net::http::Request::get(address).send()).await
}

/// The body of an answer, or the server's words.
async fn answer(
    sent: impl Future<Output = Result<gloo_net::http::Response, gloo_net::Error>>,
) -> Result<Vec<u8>, Failure> {
    let response = sent.await.map_err(|_| Failure::new(None, "The server could not be reached."))?;
    let status = response.status();
    let body = response.binary().await.map_err(|_| Failure::new(Some(status), "The answer broke off."))?;
    if response.ok() {
        return Ok(body);
    }
    Err(match serde_json::from_slice(&body) {
        Ok(Problem { error }) => Failure {
            status: Some(status),
            code: Some(error.code),
            message: error.message,
            hint: error.hint,
            request_id: error.request_id,
        },
        Err(_) => Failure::new(Some(status), format!("The server answered {status}.")),
    })
}
