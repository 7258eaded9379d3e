//! The one error type of the edge, and how it becomes a response.

use std::{borrow::Cow, fmt};

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use lowerline_shared::{
    ids::InvalidName,
    permalink::InvalidQuery,
    problem::{Code, Problem, ProblemBody},
};

use crate::middleware::request_id;

/// Seconds after which a client that was told "busy" or "unavailable" may try again.
const RETRY_AFTER_SECONDS: u16 = 2;

/// A request refused for a reason the client can act on.
#[derive(Debug)]
pub struct Refusal {
    /// HTTP status.
    pub status: StatusCode,
    /// The machine's part.
    pub code: Code,
    /// One sentence for people.
    pub message: String,
    /// Path of the offending field.
    pub field: Option<String>,
    /// What to try.
    pub hint: Option<Cow<'static, str>>,
}

impl Refusal {
    /// A refusal without field and hint.
    pub fn new(status: StatusCode, code: Code, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), field: None, hint: None }
    }

    /// A field outside its bounds: 422.
    pub fn field(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::unprocessable(Code::InvalidField, message).at(field)
    }

    /// Understood, and refused for its content: 422.
    pub fn unprocessable(code: Code, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    /// Something else is already there: 409.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, Code::DifferentContent, message)
    }

    /// Nothing of that name: 404.
    pub fn not_found(what: impl fmt::Display) -> Self {
        Self::new(StatusCode::NOT_FOUND, Code::NotFound, format!("there is no {what}"))
    }

    /// Bytes over the limit of the route: 413.
    pub fn too_large(limit: u64) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, Code::TooLarge, format!("the body is larger than {limit} bytes"))
    }

    /// Too much work queued: 503, to be retried.
    pub fn busy() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, Code::Busy, "too many analyses are queued")
    }

    /// Names the offending field.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Says what to try.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The client's to fix.
    #[error("{}", .0.message)]
    Refused(Box<Refusal>),
    /// The database or the disk does not answer; a retry may help.
    #[error("unavailable: {0:#}")]
    Unavailable(anyhow::Error),
    /// Ours to fix. Logged, never shown.
    #[error("internal: {0:#}")]
    Internal(#[from] anyhow::Error),
}

/// What handlers return.
pub type Result<T> = std::result::Result<T, AppError>;

impl From<Refusal> for AppError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

impl From<InvalidName> for AppError {
    fn from(invalid: InvalidName) -> Self {
        Refusal::field(invalid.what.trim_start_matches("a "), invalid.to_string()).into()
    }
}

impl From<InvalidQuery> for AppError {
    fn from(invalid: InvalidQuery) -> Self {
        let message = format!("`{}` is no value of `{}`", invalid.value, invalid.field);
        Refusal::field(invalid.field, message).hint(invalid.expected).into()
    }
}

impl From<std::io::Error> for AppError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::Unavailable(error.into()),
            _ => Self::Internal(error.into()),
        }
    }
}

impl From<crate::db::Error> for AppError {
    fn from(error: crate::db::Error) -> Self {
        if crate::db::is_outage(&error) { Self::Unavailable(error.into()) } else { Self::Internal(error.into()) }
    }
}

impl IntoResponse for AppError {
    fn into_response(self) -> Response {
        let request_id = request_id::current();
        let refusal = match self {
            Self::Refused(refusal) => *refusal,
            Self::Unavailable(error) => {
                tracing::warn!(request_id, error = format!("{error:#}"), "unavailable");
                Refusal::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    Code::Unavailable,
                    "the database or the disk does not answer",
                )
                .hint("try again in a moment")
            }
            Self::Internal(error) => {
                tracing::error!(request_id, error = format!("{error:#}"), "internal error");
                Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, Code::Internal, "internal error")
                    .hint("the server's log has the reason under this request id")
            }
        };
        let body = Problem {
            error: ProblemBody {
                code: refusal.code,
                message: refusal.message,
                field: refusal.field,
                hint: refusal.hint.map(Cow::into_owned),
                request_id: Some(request_id),
            },
        };
        let mut response = (refusal.status, Json(body)).into_response();
        if refusal.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER_SECONDS));
        }
        if refusal.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
