use std::time::SystemTime;

use reqwest::header::HeaderMap;
use scorel_proto::Usage;
use scorel_runtime::{ErrorCategory, ProviderError};

use crate::http::{ErrorBody, Origin, classify, retry_after};

/// The error that an endpoint reported inside its stream.
pub(crate) fn stream_failure(body: &ErrorBody, usage: Option<Usage>) -> ProviderError {
    let (category, retryable) = classify(Origin::Stream, body);
    let message = if body.message.is_empty() {
        "without a reason"
    } else {
        &body.message
    };
    ProviderError {
        category,
        retryable,
        retry_after: retry_after(&HeaderMap::new(), body, SystemTime::now()),
        status: None,
        message: format!("the endpoint ended its answer with an error: {message}"),
        usage,
    }
}

/// The connection ended before the endpoint said why it stopped.
pub(crate) fn truncated(started: bool, usage: Option<Usage>) -> ProviderError {
    let message = if started {
        "the endpoint closed the connection in the middle of its answer"
    } else {
        "the endpoint closed the connection without an answer"
    };
    ProviderError {
        category: ErrorCategory::StreamTruncated,
        retryable: true,
        retry_after: None,
        status: None,
        message: message.to_owned(),
        usage,
    }
}
