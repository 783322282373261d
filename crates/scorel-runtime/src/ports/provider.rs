use std::fmt;
use std::time::Duration;

use futures_util::stream::BoxStream;
use scorel_proto::{Context, StopReason, Usage};
use serde_json::Value;

use super::ToolSpec;

pub use scorel_proto::{ErrorCategory, ThinkingLevel};

/// A model that can be asked.
///
/// One provider value stands for one model at one endpoint, with its credentials resolved.
pub trait Provider: fmt::Debug + Send + Sync {
    /// What is known about the model.
    fn model(&self) -> &ModelInfo;

    /// Asks the model. Dropping the stream ends the request.
    ///
    /// The stream yields events until one [`ProviderEvent::Done`] or one error, then ends. A stream
    /// that the endpoint cut off ends with a retryable error of category
    /// [`ErrorCategory::StreamTruncated`], never with `Done`.
    fn stream(&self, request: ModelRequest) -> ProviderStream;
}

/// The events of one model call.
pub type ProviderStream = BoxStream<'static, Result<ProviderEvent, ProviderError>>;

/// What is known about a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// The provider's name, such as `openai` or `demo`.
    pub provider: String,
    /// The model's id at the provider.
    pub id: String,
    /// How many tokens a request and its answer may have together.
    pub context_window: u64,
    /// How many tokens an answer may have.
    pub max_output_tokens: u64,
}

/// One request to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// The system prompt; empty for none.
    pub system: String,
    /// The conversation. Every tool call in it has its result.
    pub messages: Context,
    /// The tools that the model may call.
    pub tools: Vec<ToolSpec>,
    /// How much the model should think.
    pub thinking: ThinkingLevel,
}

/// One event of a model's answer.
///
/// Blocks are numbered from zero in the order in which they begin. A delta for an index that was
/// not seen before begins that block.
#[derive(Debug, Clone, PartialEq)]
pub enum ProviderEvent {
    /// The endpoint began to answer.
    Start {
        /// The model that answers, as the endpoint names it; it may differ from the one asked.
        model: Option<String>,
    },
    /// More text.
    Text {
        /// Which block.
        block: usize,
        /// The text to add.
        delta: String,
    },
    /// What to send back with a text block, even if the block stays empty.
    TextMeta {
        /// Which block.
        block: usize,
        /// What to send back with the block.
        provider: Value,
    },
    /// More reasoning.
    Thinking {
        /// Which block.
        block: usize,
        /// The text to add.
        delta: String,
    },
    /// Facts about a thinking block that came whole.
    ThinkingMeta {
        /// Which block.
        block: usize,
        /// The provider's proof of the reasoning.
        signature: Option<String>,
        /// Whether the reasoning is hidden.
        redacted: bool,
        /// What to send back with the block.
        provider: Option<Value>,
    },
    /// A tool call begins.
    ToolCallStart {
        /// Which block.
        block: usize,
        /// The call's id; made by the wire where the endpoint gives none.
        id: String,
        /// The tool's name.
        name: String,
        /// What to send back with the block.
        provider: Option<Value>,
    },
    /// More of a tool call's arguments.
    ToolCallDelta {
        /// Which block.
        block: usize,
        /// The text to add to the arguments' JSON.
        delta: String,
    },
    /// The answer is complete.
    Done {
        /// Why the model stopped.
        stop_reason: StopReason,
        /// What the call used, where the endpoint said so.
        usage: Option<Usage>,
        /// What to send back with the whole message.
        provider: Option<Value>,
    },
}

/// Why a model call failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ProviderError {
    /// What kind of failure it is.
    pub category: ErrorCategory,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// How long the endpoint asked to wait.
    pub retry_after: Option<Duration>,
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    /// The failure in words, without credentials.
    pub message: String,
    /// What the failed call used, where the endpoint said so.
    pub usage: Option<Usage>,
}
