//! `index.html` for every address that is no API: with title, description and nonce of its own.

use axum::{
    extract::{OriginalUri, State},
    http::{HeaderValue, Method, StatusCode, header},
    response::{IntoResponse as _, Response},
};

use crate::{
    error::{AppError, Refusal, Result},
    page,
    state::AppState,
};

/// Every `GET` that no other route has.
pub async fn get_page(
    State(state): State<AppState>,
    method: Method,
    OriginalUri(uri): OriginalUri,
) -> Result<Response> {
    if uri.path().starts_with("/api/") {
        return Err(Refusal::not_found("such address").into());
    }
    if method != Method::GET && method != Method::HEAD {
        let message = "this address does not take this method";
        let code = lowerline_shared::problem::Code::MethodNotAllowed;
        return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, code, message).into());
    }
    let Some(app) = &state.app else {
        return Err(Refusal::not_found("such address").hint("the server was started without `--app`").into());
    };
    let nonce = nonce().map_err(|error| AppError::Internal(anyhow::anyhow!(error)))?;
    let described = page::describe(&state, uri.path(), uri.query().unwrap_or_default()).await;
    let status = if described.is_found { StatusCode::OK } else { StatusCode::NOT_FOUND };
    let html = app.shell.fill(&nonce, &page::head(&described, state.origin.as_deref()));
    let csp = format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self' \
         'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    );
    let mut response = (status, html).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_str(&csp).map_err(anyhow::Error::from)?);
    Ok(response)
}

/// 144 random bits as 24 letters that need no escaping in HTML.
fn nonce() -> std::result::Result<String, getrandom::Error> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut random = [0_u8; 24];
    getrandom::fill(&mut random)?;
    Ok(random.iter().map(|byte| char::from(LETTERS[usize::from(byte & 63)])).collect())
}
