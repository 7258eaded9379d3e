//! The error body and its closed list of codes.

use serde::{Deserialize, Serialize};

/// Why a request was refused. Codes are never reused; clients switch on the code, people read the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The body is not the JSON this route takes.
    InvalidJson,
    /// A field holds something outside its bounds.
    InvalidField,
    /// A stage nobody knows.
    UnknownStage,
    /// The manifest names a digest that was never sent.
    UnknownDigest,
    /// The bytes do not hash to the digest they were sent under.
    DigestMismatch,
    /// Compressed bytes that do not inflate, or more than the limit when they do.
    BadCompression,
    /// More bytes than the limit of this route.
    TooLarge,
    /// A build of this commit already has another artifact.
    DifferentContent,
    /// No token, or one that is not good for this project.
    Unauthorized,
    /// A good token for something else.
    Forbidden,
    /// Nothing of that name.
    NotFound,
    /// The address exists, the method does not.
    MethodNotAllowed,
    /// The body stopped coming.
    Timeout,
    /// Too many requests or too much work queued.
    Busy,
    /// The database or the disk does not answer.
    Unavailable,
    /// Our fault.
    Internal,
}

/// The body of every error answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The machine's part.
    pub error: ProblemBody,
}

/// What was wrong, where, and what to try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemBody {
    /// Closed list.
    pub code: Code,
    /// One sentence for people.
    pub message: String,
    /// Path of the offending field (`builds[3].artifacts[0].stage`), when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What to try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// For the log line of this request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}
