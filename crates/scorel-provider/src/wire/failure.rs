use std::time::SystemTime;

use reqwest::header::HeaderMap;
use scorel_engine::{ErrorCategory, ProviderError};
use scorel_proto::Usage;

use crate::http::{ErrorBody, classify, provider_error, retry_after};

/// An error that the provider reported inside the stream of a response with status 200.
pub(crate) fn stream_failure(body: &ErrorBody, usage: Option<Usage>) -> ProviderError {
    let (category, retryable) = classify(None, body);
    let message = if body.message.is_empty() {
        "no reason given"
    } else {
        &body.message
    };
    let message = format!("the provider reported an error during its reply: {message}");
    ProviderError {
        retry_after: retry_after(&HeaderMap::new(), body, SystemTime::now()),
        usage,
        ..provider_error(category, retryable, message)
    }
}

/// The connection ended before the provider said that the reply is complete. Retryable: the calls of
/// a truncated reply are never run, so nothing has happened yet.
pub(super) fn truncated(started: bool, usage: Option<Usage>) -> ProviderError {
    let message = if started {
        "the provider closed the connection in the middle of its reply"
    } else {
        "the provider closed the connection without a reply"
    };
    ProviderError {
        usage,
        ..provider_error(ErrorCategory::StreamTruncated, true, message)
    }
}
