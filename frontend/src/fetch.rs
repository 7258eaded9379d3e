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
    follow(address, read_json)
}

/// Follows the address of a text.
pub fn use_text(address: impl Fn() -> Option<String> + Send + Sync + 'static) -> Fetched<String> {
    follow(address, |text| Ok(text.to_owned()))
}

fn follow<T: Send + Sync + 'static>(
    address: impl Fn() -> Option<String> + Send + Sync + 'static,
    read: fn(&str) -> Result<T, String>,
) -> Fetched<T> {
    let fetched = Fetched {
        data: RwSignal::new(None),
        failure: RwSignal::new(None),
        busy: RwSignal::new(true),
        attempt: RwSignal::new(0),
    };
    let address = Memo::new(move |_| address());
    let newest = StoredValue::new(0_u64);
    Effect::new(move |_| {
        fetched.attempt.track();
        let Some(address) = address.get() else { return };
        newest.update_value(|ticket| *ticket += 1);
        let ticket = newest.get_value();
        fetched.busy.set(true);
        if fetched.failure.with_untracked(Option::is_some) {
            fetched.failure.set(None);
        }
        spawn_local(async move {
            let answer = get(&address, read).await;
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

fn read_json<T: DeserializeOwned>(body: &str) -> Result<T, String> {
    serde_json::from_str(body).map_err(|error| format!("The answer could not be read: {error}."))
}

/// Sends a text and reads the answer. Nothing is kept by it.
pub async fn post_text<T: DeserializeOwned>(address: &str, text: String) -> Result<T, Failure> {
    let request = gloo_net::http::Request::post(address).header("content-type", "text/plain").body(text);
    answer(async { request?.send().await }, read_json).await
}

/// One question.
async fn get<T>(address: &str, read: fn(&str) -> Result<T, String>) -> Result<T, Failure> {
    answer(gloo_net::http::Request::get(address).send(), read).await
}

async fn answer<T>(
    sent: impl Future<Output = Result<gloo_net::http::Response, gloo_net::Error>>,
    read: fn(&str) -> Result<T, String>,
) -> Result<T, Failure> {
    let failure = |status, message: String| Failure { status, code: None, message, hint: None, request_id: None };
    let response = sent.await.map_err(|_| failure(None, "The server could not be reached.".to_owned()))?;
    let status = response.status();
    let body = response.text().await.map_err(|_| failure(Some(status), "The answer broke off.".to_owned()))?;
    if response.ok() {
        return read(&body).map_err(|message| failure(Some(status), message));
    }
    Err(match serde_json::from_str::<Problem>(&body) {
        Ok(Problem { error }) => Failure {
            status: Some(status),
            code: Some(error.code),
            message: error.message,
            hint: error.hint,
            request_id: error.request_id,
        },
        Err(_) => failure(Some(status), format!("The server answered {status}.")),
    })
}
