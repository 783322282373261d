//! Thinking levels, and categories of failed model calls.

use crate::named::named;

named! {
    /// The amount of reasoning before an answer. Up to `high`, a level that a model does not support is mapped to
    /// the nearest one; `xhigh` and `max` are refused for a model that lacks them.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum ThinkingLevel {
        /// The provider's default: the request does not mention reasoning.
        #[default]
        Default = "default",
        /// No reasoning, if the model supports that.
        None = "none",
        /// The least reasoning that the model supports.
        Minimal = "minimal",
        /// Little reasoning.
        Low = "low",
        /// A medium amount of reasoning.
        Medium = "medium",
        /// Extensive reasoning.
        High = "high",
        /// More than `high`, for models that have it.
        Xhigh = "xhigh",
        /// The most reasoning that a model can do, for models that have it.
        Max = "max",
    }
}

named! {
    /// The category of a failed model call, by which the daemon decides whether to retry.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ErrorCategory {
        /// The API key is missing or invalid, or lacks access to the model.
        Auth = "auth",
        /// The endpoint does not know the model or the path.
        NotFound = "not_found",
        /// The request exceeds the model's context window.
        ContextOverflow = "context_overflow",
        /// The endpoint rejected the request as invalid.
        InvalidRequest = "invalid_request",
        /// The account's quota or credit is exhausted.
        Quota = "quota",
        /// The rate limit was exceeded.
        RateLimit = "rate_limit",
        /// The endpoint reported an internal error.
        ServerError = "server_error",
        /// The endpoint reported that it is overloaded.
        Overloaded = "overloaded",
        /// The connection could not be made or was lost.
        Network = "network",
        /// The stream ended before the answer was complete.
        StreamTruncated = "stream_truncated",
        /// The endpoint did not respond, or sent nothing, for longer than the timeout.
        Timeout = "timeout",
        /// The provider rejected the model's own output, such as a malformed tool call.
        BadModelOutput = "bad_model_output",
        /// The answer reached the limit of output tokens, and the provider reports that as an error.
        Length = "length",
    }
}
