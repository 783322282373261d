use scorel_engine::{ErrorCategory, ProviderError};

/// An error without status, delay and usage.
pub(crate) fn provider_error(
    category: ErrorCategory,
    retryable: bool,
    message: impl Into<String>,
) -> ProviderError {
    ProviderError {
        category,
        retryable,
        retry_after: None,
        status: None,
        message: message.into(),
        hint: None,
        usage: None,
    }
}
