use scorel_engine::{ErrorCategory, ProviderError};

use crate::http::provider_error;

/// The rest of a text after its streamed prefix. Text that was already shown cannot be taken back, so
/// a contradiction is only logged.
pub(super) fn missing<'a>(streamed: &str, whole: &'a str) -> &'a str {
    whole.strip_prefix(streamed).unwrap_or_else(|| {
        tracing::warn!("the streamed text differs from the final text");
        ""
    })
}

/// The streamed arguments of a call differ from the final ones. Unlike a text, a call with the wrong
/// arguments must not run.
pub(super) fn contradiction() -> ProviderError {
    let message = "the streamed arguments of a tool call differ from the final ones";
    provider_error(ErrorCategory::BadModelOutput, true, message)
}
