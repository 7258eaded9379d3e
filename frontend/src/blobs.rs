//! Questions to the worker about blobs, which it is given first where it lacks them.

use lowerline_shared::{
    api_path,
    ids::Digest,
    worker::{Answer, Question},
};
use wasm_bindgen::JsValue;

use crate::{
    fetch::{self, Failure},
    worker::{self, Reply},
};

/// Where the blobs of a page are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blobs {
    /// On the server, by digest.
    Server,
    /// Among the files taken by the worker.
    Local,
}

/// A failure that the worker told.
pub fn failed(message: String) -> Failure {
    Failure::new(None, message)
}

/// Asks about blobs of the server; those that the worker does not have are fetched and the question is asked again.
pub async fn ask(blobs: Blobs, question: &Question, digests: &[Digest]) -> Result<Reply, Failure> {
    let reply = worker::ask(question, &[]).await.map_err(failed)?;
    if reply.answer != Answer::NotKept {
        return Ok(reply);
    }
    if blobs == Blobs::Local {
        return Err(failed("This file is not there any more: drop it again.".to_owned()));
    }
    for digest in digests {
        let bytes = fetch::get(&api_path::blob(digest)).await?;
        let buffer = js_sys::Uint8Array::from(bytes.as_slice()).buffer();
        let keep = Question::Keep { digest: *digest };
        worker::ask(&keep, &[JsValue::from(buffer)]).await.map_err(failed)?;
    }
    worker::ask(question, &[]).await.map_err(failed)
}
