//! Sorts provider failures into categories.
//!
//! Statuses alone do not suffice: a context overflow, a bad key, an unknown model and an unpaid
//! account all come as 400 from some host, and 429 stands both for "slow down" and for "your quota
//! is used up". So the body's codes and, where a host sends no codes, its wording come first. All
//! codes and phrases below were seen in recorded error bodies or are documented by the provider.

use scorel_engine::ErrorCategory;

use super::ErrorBody;

/// The category, and whether the same request may succeed later. `status` is that of the response; `None` for
/// a failure that is reported in the body of one with status 200.
pub(crate) fn classify(status: Option<u16>, body: &ErrorBody) -> (ErrorCategory, bool) {
    let category = category(status, body);
    let retryable = matches!(
        category,
        ErrorCategory::RateLimit
            | ErrorCategory::ServerError
            | ErrorCategory::Overloaded
            | ErrorCategory::BadModelOutput
    );
    (category, retryable)
}

fn category(of_response: Option<u16>, body: &ErrorBody) -> ErrorCategory {
    let status = of_response.or(body.status);
    let text = body.message.to_ascii_lowercase();
    by_body(of_response.is_none(), status, body, &text)
        .or_else(|| status.map(by_status))
        .unwrap_or_else(|| by_token(body))
}

fn by_body(
    is_in_stream: bool,
    status: Option<u16>,
    body: &ErrorBody,
    text: &str,
) -> Option<ErrorCategory> {
    let rejected = matches!(status, Some(400 | 413 | 422) | None);
    if rejected && is_overflow(body, text) {
        return Some(ErrorCategory::ContextOverflow);
    }
    match status {
        // Cerebras answers an overflow with an empty body.
        Some(400 | 413) if body.is_empty => Some(ErrorCategory::ContextOverflow),
        // OpenAI: the request alone exceeds the limit per minute, so waiting does not help.
        Some(429) if text.contains("request too large") => Some(ErrorCategory::ContextOverflow),
        Some(400) if is_bad_key(body, text) => Some(ErrorCategory::Auth),
        Some(400) if is_unknown_model(body, text) => Some(ErrorCategory::NotFound),
        Some(429) | None if is_quota(body, text) => Some(ErrorCategory::Quota),
        Some(400) | None if is_unpaid(body, text) => Some(ErrorCategory::Quota),
        // Groq: the model produced a call that its server could not parse. Another sample may do.
        _ if is_in_stream && body.has_token(&["tool_use_failed"]) => {
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
        408 | 425 | 429 => ErrorCategory::RateLimit,
        // A conflict with another request: it passes, but nothing says that there were too many.
        409 => ErrorCategory::ServerError,
        // 529 is Anthropic's status for `overloaded_error`.
        503 | 529 => ErrorCategory::Overloaded,
        500.. => ErrorCategory::ServerError,
        _ => ErrorCategory::InvalidRequest,
    }
}

/// For failures inside a stream, which often carry a code but no status.
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
    } else if body.has_token(&["invalid_request_error", "invalid_prompt"]) || is_bad_image(body) {
        ErrorCategory::InvalidRequest
    } else {
        ErrorCategory::ServerError
    }
}

/// Gemini (`API_KEY_INVALID`) and xAI ("Incorrect API key") reject a bad key with 400. So does
/// litellm without a database, in which it would look for any key but its master key.
fn is_bad_key(body: &ErrorBody, text: &str) -> bool {
    let tokens = [
        "invalid_api_key",
        "authentication_error",
        "api_key_invalid",
        "no_db_connection",
    ];
    body.has_token(&tokens)
        || text.contains("incorrect api key")
        || text.contains("api key not valid")
}

/// OpenAI's Responses API (`model_not_found`), DeepSeek and litellm reject an unknown model with 400.
fn is_unknown_model(body: &ErrorBody, text: &str) -> bool {
    body.has_token(&["model_not_found"])
        || text.contains("supported api model names are")
        || text.contains("invalid model name passed in")
}

fn is_quota(body: &ErrorBody, text: &str) -> bool {
    if body.has_token(&["resource_exhausted"]) {
        // Gemini uses one status for limits per minute and per day, and says "quota" in both. Only
        // a daily limit is not worth a retry, or a limit of zero: the account may not use the
        // model at all.
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

/// The Responses API has a dozen codes for invalid images; all contain the word.
fn is_bad_image(body: &ErrorBody) -> bool {
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
        // llama.cpp
        "exceed_context_size_error",
        // Perplexity
        "too_many_prompt_tokens",
        "request_too_large",
        "model_context_window_exceeded",
    ];
    body.has_token(&tokens) || OVERFLOWS.iter().any(|parts| has_in_order(text, parts))
}

/// The words for a context overflow of hosts without a code: parts that occur in this order.
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
