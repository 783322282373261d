//! Models: how they are named, how much they think, how a call of one fails.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much a model should think before it answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingLevel {
    /// Whatever the provider does when nothing is said.
    #[default]
    Default,
    /// Not at all, where the model can.
    None,
    /// As little as possible.
    Minimal,
    /// A little.
    Low,
    /// More.
    Medium,
    /// Much.
    High,
}

/// What kind of failure ended a model call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCategory {
    /// The key is missing or wrong, or may not use the model.
    Auth,
    /// The endpoint has no such model or path.
    NotFound,
    /// The request is larger than the model's context.
    ContextOverflow,
    /// The endpoint refuses the request.
    InvalidRequest,
    /// The account has nothing left.
    Quota,
    /// Too many requests or tokens for now.
    RateLimit,
    /// The endpoint failed.
    ServerError,
    /// The endpoint has too much to do.
    Overloaded,
    /// The connection failed.
    Network,
    /// The endpoint stopped in the middle of its answer.
    StreamTruncated,
    /// The endpoint was silent for too long.
    Timeout,
    /// The model wrote something that its provider rejects.
    BadModelOutput,
    /// The answer reached the limit of output tokens, and the provider calls that a failure.
    Length,
}
