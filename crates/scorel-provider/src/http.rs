//! The way to an endpoint: connections, time limits, failures.

mod body;
mod classify;
mod client;
mod error_body;
mod error_text;
mod retry_after;
mod timeouts;

pub(crate) use body::{ReadError, idle_limited};
pub(crate) use classify::{Origin, classify};
pub(crate) use client::{Call, Http};
pub(crate) use error_body::ErrorBody;
pub(crate) use error_text::error_text;
pub(crate) use retry_after::retry_after;
pub use timeouts::Timeouts;
