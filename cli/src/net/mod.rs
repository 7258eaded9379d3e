//! The way to the server: three requests, each repeatable, each repeated when it makes sense ([`retry`]).

mod retry;
mod upload;

use std::time::Duration;

use lowerline_shared::{
    api::{BlobStored, DigestsRequest, MissingResponse, PushRequest, PushResponse},
    ids::{Digest, ProjectSlug},
    limits,
    problem::Problem,
};
use serde::{Serialize, de::DeserializeOwned};
use ureq::{
    Agent, Body,
    http::{Response, StatusCode},
};

use crate::{exit::Failure, output::escape};

pub use upload::{Uploaded, upload};

/// Longest answer that is read. The largest real one, 16,384 digests, is a quarter of it.
const ANSWER_BYTES: u64 = limits::JSON_BYTES;

/// One server, one project, one token.
pub struct Client {
    agent: Agent,
    /// Address without a slash at the end.
    server: String,
    project: ProjectSlug,
    token: Option<String>,
}

/// What one try brought.
enum Answer {
    /// A status and a body.
    Status { status: StatusCode, retry_after: Option<Duration>, location: Option<String>, body: Vec<u8> },
    /// No answer.
    Broken(ureq::Error),
}

fn read(response: Result<Response<Body>, ureq::Error>) -> Answer {
    let mut response = match response {
        Ok(response) => response,
        Err(error) => return Answer::Broken(error),
    };
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let retry_after = header("retry-after").and_then(|value| value.trim().parse().ok()).map(Duration::from_secs);
    let location = header("location");
    let status = response.status();
    match response.body_mut().with_config().limit(ANSWER_BYTES).read_to_vec() {
        Ok(body) => Answer::Status { status, retry_after, location, body },
        Err(error) => Answer::Broken(error),
    }
}

/// The server's own words about a refusal, or the bare status when a proxy answered.
fn refusal(what: &str, status: StatusCode, location: Option<&str>, body: &[u8]) -> Failure {
    if status.is_redirection() {
        let place = location.map(|place| format!(" to {}", escape(place))).unwrap_or_default();
        return Failure::Server(format!("{what}: the server redirects{place}; use the address it names as --server"));
    }
    let mut field = None;
    let words = match serde_json::from_slice::<Problem>(body) {
        Ok(Problem { error }) => {
            let code = serde_json::to_value(error.code).ok();
            let code = code.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
            let place = error.field.as_ref().map(|field| format!(" at {}", escape(field))).unwrap_or_default();
            let hint = error.hint.map(|hint| format!("\n{}", escape(&hint))).unwrap_or_default();
            let request = error.request_id.map(|id| format!(", request {}", escape(&id))).unwrap_or_default();
            field = error.field;
            format!("{}{place} ({code}{request}){hint}", escape(&error.message))
        }
        Err(_) => format!("the answer has no reason; is this a Lowerline server? (HTTP {status})"),
    };
    let hint = match status {
        StatusCode::UNAUTHORIZED => "\ngive a write token in LOWERLINE_TOKEN",
        _ => "",
    };
    Failure::Refused { words: format!("{what}: {words}{hint}"), field }
}

impl Client {
    /// A client; nothing is sent yet.
    pub fn new(server: String, project: ProjectSlug, token: Option<&str>) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirected PUT would be sent as GET, and the token to a host nobody named.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("lowerline/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(Duration::from_secs(10)))
            .timeout_send_body(Some(Duration::from_mins(5)))
            // A manifest of tens of thousands of builds is one transaction.
            .timeout_recv_response(Some(Duration::from_mins(5)))
            .timeout_recv_body(Some(Duration::from_mins(1)))
            .build();
        Self { agent: config.into(), server, project, token: token.map(str::to_owned) }
    }

    fn url(&self, rest: &str) -> String {
        format!("{}/api/v1/projects/{}/{rest}", self.server, self.project)
    }

    /// The public address of a path the server named.
    pub fn page(&self, path: &str) -> String {
        format!("{}{path}", self.server)
    }

    fn bearer(&self) -> Option<String> {
        self.token.as_ref().map(|token| format!("Bearer {token}"))
    }

    fn finish<T: DeserializeOwned>(what: &str, answer: Answer) -> Result<T, Failure> {
        match answer {
            Answer::Broken(error) => Err(Failure::Server(format!(
                "{what}: {}\ncheck --server and the network; everything sent so far is kept",
                escape(&error.to_string())
            ))),
            Answer::Status { status, body, .. } if status.is_success() => {
                serde_json::from_slice(&body).map_err(|error| {
                    Failure::Server(format!(
                        "{what}: the server's answer is not understood ({error}); are both of one version?"
                    ))
                })
            }
            Answer::Status { status, location, body, .. } => Err(refusal(what, status, location.as_deref(), &body)),
        }
    }

    fn post<T: DeserializeOwned>(&self, what: &str, rest: &str, body: &impl Serialize) -> Result<T, Failure> {
        let bytes =
            serde_json::to_vec(body).map_err(|error| Failure::Usage(format!("cannot write the request: {error}")))?;
        if bytes.len() as u64 > limits::MANIFEST_BYTES {
            return Err(Failure::Usage(format!(
                "the manifest has {} bytes, a server takes {}; push fewer folders at a time",
                bytes.len(),
                limits::MANIFEST_BYTES
            )));
        }
        let answer = retry::repeat(|| {
            let mut request = self.agent.post(self.url(rest)).content_type("application/json");
            if let Some(bearer) = self.bearer() {
                request = request.header("authorization", bearer);
            }
            read(request.send(&bytes[..]))
        });
        Self::finish(what, answer)
    }

    /// Which of these does the server lack?
    pub fn missing(&self, digests: &[Digest]) -> Result<Vec<Digest>, Failure> {
        let mut missing = Vec::new();
        for digests in digests.chunks(limits::DIGESTS_PER_QUESTION) {
            let request = DigestsRequest { digests: digests.to_vec() };
            let answer: MissingResponse = self.post("asking which blobs are missing", "blobs/missing", &request)?;
            missing.extend(answer.missing);
        }
        Ok(missing)
    }

    /// Sends one blob, compressed.
    fn put(&self, digest: Digest, compressed: &[u8]) -> Result<BlobStored, Failure> {
        let answer = retry::repeat(|| {
            let mut request = self
                .agent
                .put(self.url(&format!("blobs/{digest}")))
                .content_type("application/octet-stream")
                .header("content-encoding", "zstd");
            if let Some(bearer) = self.bearer() {
                request = request.header("authorization", bearer);
            }
            read(request.send(compressed))
        });
        Self::finish(&format!("sending blob {digest}"), answer)
    }

    /// Records the manifest.
    pub fn push(&self, request: &PushRequest) -> Result<PushResponse, Failure> {
        self.post("recording the push", "pushes", request)
    }
}
