use scorel_engine::ErrorCategory;

use super::classify;
use crate::http::ErrorBody;

fn status(status: u16, body: &str) -> (ErrorCategory, bool) {
    classify(Some(status), &ErrorBody::parse(body.as_bytes()))
}

#[test]
fn an_empty_account_is_not_worth_a_retry() {
    let body =
        r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#;
    assert_eq!(status(429, body), (ErrorCategory::Quota, false));
    assert_eq!(status(402, "{}"), (ErrorCategory::Quota, false));
}

#[test]
fn a_quota_by_the_minute_is_worth_a_retry() {
    let exhausted = |quota: &str, words: &str| {
        let details = format!(r#"[{{"violations":[{{"quotaId":"{quota}"}}]}}]"#);
        let message = format!("You exceeded your current quota{words}");
        status(
            429,
            &format!(
                r#"{{"error":{{"status":"RESOURCE_EXHAUSTED","message":"{message}","details":{details}}}}}"#
            ),
        )
    };
    let minute = exhausted("RequestsPerMinutePerProject", ", limit: 10");
    assert_eq!(minute, (ErrorCategory::RateLimit, true));
    let day = exhausted("RequestsPerDayPerProject", ", limit: 250");
    assert_eq!(day, (ErrorCategory::Quota, false));
    let none = exhausted("RequestsPerMinutePerProject", ", limit: 0");
    assert_eq!(none, (ErrorCategory::Quota, false));
}

#[test]
fn an_unpaid_account_and_a_body_too_large_are_recognised_behind_their_statuses() {
    let failure = |kind: &str, words: &str| {
        format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"{words}"}}}}"#)
    };
    let unpaid = failure("invalid_request_error", "Your credit balance is too low");
    assert_eq!(status(400, &unpaid), (ErrorCategory::Quota, false));
    let large = failure("request_too_large", "Request exceeds the maximum size");
    assert_eq!(status(413, &large), (ErrorCategory::ContextOverflow, false));
    let words = "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000";
    let long = failure("invalid_request_error", words);
    assert_eq!(status(400, &long), (ErrorCategory::ContextOverflow, false));
}

#[test]
fn a_bad_key_is_recognised_behind_status_400() {
    let body =
        r#"{"code":"Client specified an invalid argument","error":"Incorrect API key provided"}"#;
    assert_eq!(status(400, body), (ErrorCategory::Auth, false));
    let body =
        r#"{"error":{"status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}"#;
    assert_eq!(status(400, body), (ErrorCategory::Auth, false));
}

#[test]
fn an_unknown_model_is_recognised_behind_status_400() {
    let body = r#"{"error":{"message":"The supported API model names are a and b"}}"#;
    assert_eq!(status(400, body), (ErrorCategory::NotFound, false));
}

#[test]
fn server_statuses_are_worth_a_retry() {
    assert_eq!(status(529, ""), (ErrorCategory::Overloaded, true));
    assert_eq!(status(503, ""), (ErrorCategory::Overloaded, true));
    assert_eq!(status(500, "<html>"), (ErrorCategory::ServerError, true));
    assert_eq!(status(524, ""), (ErrorCategory::ServerError, true));
}

#[test]
fn other_refusals_are_not() {
    assert_eq!(
        status(422, r#"{"detail":[]}"#),
        (ErrorCategory::InvalidRequest, false)
    );
    assert_eq!(status(403, ""), (ErrorCategory::Auth, false));
}

#[test]
fn every_status_has_its_category() {
    for (code, category, retryable) in [
        (400, ErrorCategory::InvalidRequest, false),
        (401, ErrorCategory::Auth, false),
        (402, ErrorCategory::Quota, false),
        (403, ErrorCategory::Auth, false),
        (404, ErrorCategory::NotFound, false),
        (408, ErrorCategory::RateLimit, true),
        (409, ErrorCategory::ServerError, true),
        (413, ErrorCategory::InvalidRequest, false),
        (422, ErrorCategory::InvalidRequest, false),
        (425, ErrorCategory::RateLimit, true),
        (429, ErrorCategory::RateLimit, true),
        (500, ErrorCategory::ServerError, true),
        (502, ErrorCategory::ServerError, true),
        (503, ErrorCategory::Overloaded, true),
        (504, ErrorCategory::ServerError, true),
        (520, ErrorCategory::ServerError, true),
        (529, ErrorCategory::Overloaded, true),
    ] {
        let found = status(code, r#"{"error":{"message":"no"}}"#);
        assert_eq!(found, (category, retryable), "{code}");
    }
}

/// A word of each host that is known to say so in its own way.
#[test]
fn a_context_that_is_too_long_is_recognised_in_the_words_of_every_host() {
    for words in [
        "prompt is too long: 213462 tokens > 200000 maximum",
        "Your input exceeds the context window of this model",
        "context_length_exceeded",
        "Context length exceeded",
        "This model's maximum context length is 131072 tokens",
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
        "the request exceeds the maximum number of tokens allowed",
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
        "Please reduce the length of the messages or completion",
        "prompt token count of 150000 exceeds the limit of 128000",
        "Input has 150000 tokens, which exceeds the limit of 128000 tokens",
        "the request exceeds the available context size, try increasing it",
        "the number of tokens to keep is greater than the context length",
        "invalid params, context window exceeds limit",
        "Your request exceeded model token limit: 262144",
        "Prompt has 40000 tokens: too large for model with 32768 maximum context length",
        "input tokens exceed the configured limit of 272000 tokens",
        "prompt too long; exceeded max context length by 4 tokens",
        "total length of all messages is too long",
        "current length is 140000 while limit is 131072",
        "Input is too long for requested model.",
    ] {
        let body = format!(r#"{{"error":{{"message":"{words}"}}}}"#);
        let overflow = (ErrorCategory::ContextOverflow, false);
        assert_eq!(status(400, &body), overflow, "{words}");
    }
    for code in ["too_many_prompt_tokens", "exceed_context_size_error"] {
        let body = format!(r#"{{"error":{{"message":"no","type":"{code}"}}}}"#);
        let overflow = (ErrorCategory::ContextOverflow, false);
        assert_eq!(status(400, &body), overflow, "{code}");
    }
    let other = r#"{"error":{"message":"the number of tools exceeds the limit of 128"}}"#;
    assert_eq!(status(400, other), (ErrorCategory::InvalidRequest, false));
}

#[test]
fn litellm_refuses_keys_and_models_with_status_400() {
    let no_database = r#"{"error":{"message":"No connected db.","type":"no_db_connection","param":null,"code":"400"}}"#;
    assert_eq!(status(400, no_database), (ErrorCategory::Auth, false));
    let unknown = r#"{"error":{"message":"/chat/completions: Invalid model name passed in model=tinny. Call `/v1/models` to view available models for your key.","type":"invalid_request_error","param":null,"code":"400"}}"#;
    assert_eq!(status(400, unknown), (ErrorCategory::NotFound, false));
}
