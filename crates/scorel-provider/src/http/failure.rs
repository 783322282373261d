use std::time::SystemTime;

use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use scorel_engine::{ErrorCategory, ProviderError};

use super::classify::classify;
use super::error_body::ErrorBody;
use super::provider_error::provider_error;
use super::retry_after::retry_after;

/// The headers in which providers send a request's id: OpenAI, Anthropic, Azure, DeepSeek.
const REQUEST_ID_HEADERS: [&str; 4] = [
    "x-request-id",
    "request-id",
    "apim-request-id",
    "x-ds-trace-id",
];

/// The error for a response with a status other than 2xx.
pub(super) fn status_failure(
    host: &str,
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
) -> ProviderError {
    let body = if status.is_redirection() {
        redirection(headers)
    } else {
        ErrorBody::parse(body)
    };
    let (category, by_status) = classify(Some(status.as_u16()), &body);
    let retryable = retry_advice(headers, category).unwrap_or(by_status);
    ProviderError {
        retry_after: retry_after(headers, &body, SystemTime::now()),
        status: Some(status.as_u16()),
        ..provider_error(category, retryable, message(host, status, headers, &body))
    }
}

fn message(host: &str, status: StatusCode, headers: &HeaderMap, body: &ErrorBody) -> String {
    let mut message = format!("{host} answered with status {status}");
    // Providers ask for the id when a problem is reported to them.
    let mut ids = REQUEST_ID_HEADERS.iter();
    if let Some(id) = ids.find_map(|name| header(headers, name)) {
        message.push_str(" (request ");
        message.push_str(id);
        message.push(')');
    }
    if !body.message.is_empty() {
        message.push_str(": ");
        message.push_str(&body.message);
    }
    message
}

/// `x-should-retry`, which Anthropic and OpenAI send, overrides the status, except for an overflow:
/// the same request stays too large.
fn retry_advice(headers: &HeaderMap, category: ErrorCategory) -> Option<bool> {
    let advice = match header(headers, "x-should-retry") {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => None,
    };
    advice.filter(|_| category != ErrorCategory::ContextOverflow)
}

/// The target is shown without its query, which may hold a token.
fn redirection(headers: &HeaderMap) -> ErrorBody {
    let target = header(headers, "location").unwrap_or("nowhere");
    let target = target.split(['?', '#']).next().unwrap_or_default();
    ErrorBody::with_message(format!(
        "redirects are not followed; set the base URL for {target} instead"
    ))
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
