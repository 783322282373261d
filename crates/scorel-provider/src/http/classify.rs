use scorel_runtime::ErrorCategory;

use super::ErrorBody;

/// Where a failure was reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// As the status of the response.
    Status(u16),
    /// In the stream of a response that had begun well.
    Stream,
}

/// What kind of failure it is, and whether the same request may succeed later.
pub(crate) fn classify(origin: Origin, body: &ErrorBody) -> (ErrorCategory, bool) {
    let category = category(origin, body);
    let retryable = matches!(
        category,
        ErrorCategory::RateLimit
            | ErrorCategory::ServerError
            | ErrorCategory::Overloaded
            | ErrorCategory::BadModelOutput
    );
    (category, retryable)
}

fn category(origin: Origin, body: &ErrorBody) -> ErrorCategory {
    let status = match origin {
        Origin::Status(status) => Some(status),
        Origin::Stream => body.status,
    };
    let text = body.message.to_ascii_lowercase();
    by_meaning(origin, status, body, &text)
        .or_else(|| status.map(by_status))
        .unwrap_or_else(|| by_token(body))
}

/// What the body means more exactly than the status.
fn by_meaning(
    origin: Origin,
    status: Option<u16>,
    body: &ErrorBody,
    text: &str,
) -> Option<ErrorCategory> {
    let refused = matches!(status, Some(400 | 413 | 422) | None);
    if refused && is_overflow(body, text) {
        return Some(ErrorCategory::ContextOverflow);
    }
    match status {
        // Some hosts answer an overflow without a word.
        Some(400 | 413) if body.is_empty => Some(ErrorCategory::ContextOverflow),
        Some(429) if text.contains("request too large") => Some(ErrorCategory::ContextOverflow),
        Some(400) if is_bad_key(body, text) => Some(ErrorCategory::Auth),
        Some(400) if is_unknown_model(body, text) => Some(ErrorCategory::NotFound),
        Some(429) | None if is_quota(body, text) => Some(ErrorCategory::Quota),
        Some(400) | None if is_unpaid(body, text) => Some(ErrorCategory::Quota),
        _ if origin == Origin::Stream && body.has_token(&["tool_use_failed"]) => {
            Some(ErrorCategory::BadModelOutput)
        }
        Some(500..600) | None if is_overloaded(body, text) => Some(ErrorCategory::Overloaded),
        _ => None,
    }
}

fn by_status(status: u16) -> ErrorCategory {
    match status {
        401 | 403 => ErrorCategory::Auth,
        402 => ErrorCategory::Quota,
        404 => ErrorCategory::NotFound,
        408 | 409 | 425 | 429 => ErrorCategory::RateLimit,
        503 | 529 => ErrorCategory::Overloaded,
        500.. => ErrorCategory::ServerError,
        _ => ErrorCategory::InvalidRequest,
    }
}

/// For failures in a stream, which often name no status.
fn by_token(body: &ErrorBody) -> ErrorCategory {
    if body.has_token(&[
        "rate_limit_exceeded",
        "rate_limit_error",
        "tokens",
        "requests",
    ]) {
        ErrorCategory::RateLimit
    } else if body.has_token(&[
        "authentication_error",
        "permission_error",
        "invalid_api_key",
    ]) {
        ErrorCategory::Auth
    } else if body.has_token(&["not_found_error"]) {
        ErrorCategory::NotFound
    } else if body.has_token(&["invalid_request_error", "invalid_prompt"]) || is_bad_picture(body) {
        ErrorCategory::InvalidRequest
    } else {
        ErrorCategory::ServerError
    }
}

fn is_bad_key(body: &ErrorBody, text: &str) -> bool {
    body.has_token(&["invalid_api_key", "authentication_error", "api_key_invalid"])
        || text.contains("incorrect api key")
        || text.contains("api key not valid")
}

fn is_unknown_model(body: &ErrorBody, text: &str) -> bool {
    body.has_token(&["model_not_found"]) || text.contains("supported api model names are")
}

fn is_quota(body: &ErrorBody, text: &str) -> bool {
    if body.has_token(&["resource_exhausted"]) {
        // It says "quota" of limits by the minute, too. Those by the day are over for today, and
        // a limit of zero is that of an account that may not use the model.
        return body.tokens.iter().any(|token| token.contains("perday"))
            || text.contains("limit: 0");
    }
    let spent = [
        "insufficient_quota",
        "billing_hard_limit_reached",
        "usage_not_included",
    ];
    body.has_token(&spent)
        || text.contains("exceeded your current quota")
        || text.contains("billing_hard_limit")
}

/// There are a dozen codes for what can be wrong with a picture.
fn is_bad_picture(body: &ErrorBody) -> bool {
    body.tokens.iter().any(|token| token.contains("image"))
}

fn is_unpaid(body: &ErrorBody, text: &str) -> bool {
    body.has_token(&["billing_error"]) || text.contains("credit balance is too low")
}

fn is_overloaded(body: &ErrorBody, text: &str) -> bool {
    let busy = [
        "overloaded_error",
        "server_is_overloaded",
        "slow_down",
        "unavailable",
    ];
    body.has_token(&busy) || text.contains("overloaded")
}

fn is_overflow(body: &ErrorBody, text: &str) -> bool {
    let tokens = [
        "context_length_exceeded",
        "exceed_context_size_error",
        "too_many_prompt_tokens",
        "request_too_large",
        "model_context_window_exceeded",
    ];
    body.has_token(&tokens) || OVERFLOWS.iter().any(|parts| has_in_order(text, parts))
}

/// The words in which hosts say that the context is too long: parts that stand in this order.
const OVERFLOWS: &[&[&str]] = &[
    &["prompt is too long"],
    &["prompt too long"],
    &["input is too long for requested model"],
    &["total length of all messages is too long"],
    &["exceeds the context window"],
    &["context window exceeds limit"],
    &["context length exceeded"],
    &["exceed context limit"],
    &["context_length_exceeded"],
    &["maximum context length is"],
    &["maximum prompt length is"],
    &["greater than the context length"],
    &["exceeds the available context size"],
    &["too large for model with", "maximum context length"],
    &["input token count", "exceeds the maximum"],
    &["exceeds the maximum number of tokens allowed"],
    &["input tokens exceed the configured limit"],
    &["exceeded model token limit"],
    &["exceeds the limit of", "token"],
    &["token count", "exceeds the limit of"],
    &["reduce the length of the messages"],
    &["current length is", "while limit is"],
];

fn has_in_order(text: &str, parts: &[&str]) -> bool {
    let mut rest = Some(text);
    for part in parts {
        rest = rest
            .and_then(|rest| rest.split_once(part))
            .map(|(_, after)| after);
    }
    rest.is_some()
}

#[cfg(test)]
mod tests;
