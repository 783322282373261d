//! HTTP to a provider: connections, timeouts, and the classification of failures.
//!
//! In: a request with complete headers. Out: the byte stream of a successful response, or a
//! `ProviderError` with a category, whether to retry and after how long. Nothing here depends on
//! the API: providers mix each other's error formats, so one set of rules covers all.

mod body;
mod classify;
mod client;
mod content_encoding;
mod duration_text;
mod error_body;
mod error_text;
mod failure;
mod html_page;
mod page_guard;
mod provider_error;
mod rate_limit_reset;
mod retry_after;
mod timeouts;

pub(crate) use body::{BodyError, idle_limited};
pub(crate) use classify::classify;
pub(crate) use client::Http;
pub(crate) use error_body::ErrorBody;
pub(crate) use error_text::{error_text, redacted};
pub(crate) use provider_error::provider_error;
pub(crate) use retry_after::retry_after;
pub use timeouts::Timeouts;
