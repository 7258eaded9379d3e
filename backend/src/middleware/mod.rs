//! What happens to every request and response.

pub mod auth;
pub mod headers;
pub mod problems;
pub mod request_id;
