//! Answers that axum and tower-http make themselves become problems like all others.

use axum::{
    extract::Request,
    http::{StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use lowerline_shared::problem::Code;

use crate::error::{AppError, Refusal};

/// Replaces an error without a JSON body. Pages that are not found have an HTML body and stay.
pub async fn layer(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let status = response.status();
    if !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let content_type = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if content_type.is_some_and(|kind| kind.starts_with("application/json") || kind.starts_with("text/html")) {
        return response;
    }
    let (code, message) = match status {
        StatusCode::NOT_FOUND => (Code::NotFound, "there is nothing at this address"),
        StatusCode::METHOD_NOT_ALLOWED => (Code::MethodNotAllowed, "this address does not take this method"),
        StatusCode::REQUEST_TIMEOUT => (Code::Timeout, "the request took too long"),
        StatusCode::PAYLOAD_TOO_LARGE => (Code::TooLarge, "the body is larger than this address takes"),
        StatusCode::FORBIDDEN => (Code::Forbidden, "a page of another site may not send this"),
        status if status.is_client_error() => (Code::InvalidField, "the request cannot be read"),
        _ => (Code::Internal, "internal error"),
    };
    let mut replaced = AppError::from(Refusal::new(status, code, message)).into_response();
    if let Some(allow) = response.headers().get(header::ALLOW) {
        replaced.headers_mut().insert(header::ALLOW, allow.clone());
    }
    replaced
}
