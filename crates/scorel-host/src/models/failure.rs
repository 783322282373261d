//! What is said on the wire of providers that cannot be used.

use scorel_proto::{ErrorCode, RpcError};
use scorel_provider::{ListError, SetupError};
use scorel_runtime::ProviderError;
use serde_json::{Value, json};

use super::ModelError;

/// A model that was named cannot be used.
pub(super) fn unfit(error: &ModelError) -> RpcError {
    let unknown = matches!(
        error,
        ModelError::Setup(
            SetupError::UnknownProvider { .. }
                | SetupError::MissingModel { .. }
                | SetupError::NotTheDemo { .. }
        )
    );
    let mut refused = unusable(error.provider().unwrap_or_default(), error);
    if unknown {
        refused.code = ErrorCode::InvalidParams;
        refused.details["field"] = json!("model");
    }
    refused
}

/// The configuration of a provider cannot work.
pub(super) fn unusable(provider: &str, error: &ModelError) -> RpcError {
    let mut details = json!({ "provider": provider });
    match error {
        ModelError::NoKey { variables, .. } => details["keyVariables"] = json!(variables),
        ModelError::Setup(SetupError::UnknownProvider { suggestion, .. }) => {
            details["suggestion"] = json!(suggestion);
        }
        ModelError::Setup(SetupError::NotTheDemo { suggestion, .. }) => {
            details["suggestion"] = json!(suggestion);
        }
        _ => {}
    }
    refused(error.to_string(), details)
}

/// A provider's endpoint could not be asked.
pub(super) fn unlisted(provider: &str, error: ListError) -> RpcError {
    match error {
        ListError::Setup(error) => unusable(provider, &error.into()),
        ListError::Call(error) => failed(provider, &error),
    }
}

/// A provider's endpoint did not answer well.
pub(super) fn failed(provider: &str, error: &ProviderError) -> RpcError {
    let mut details = json!({
        "provider": provider,
        "category": error.category,
        "retryable": error.retryable,
    });
    if let Some(status) = error.status {
        details["status"] = json!(status);
    }
    refused(error.message.clone(), details)
}

fn refused(message: String, details: Value) -> RpcError {
    RpcError::new(ErrorCode::ProviderError, message).with_details(details)
}
