use std::fmt;

use futures_util::future::BoxFuture;
use scorel_proto::Block;
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The tools of one session.
pub trait Toolbox: fmt::Debug + Send + Sync {
    /// The tools, in a stable order.
    fn specs(&self) -> &[ToolSpec];

    /// Runs one call to its end.
    ///
    /// Never fails: unknown tools, bad arguments and panics become outcomes with `is_error`. When
    /// `cancel` fires, an interruptible tool ends early and returns what it has; any other tool
    /// finishes. The future must not be dropped before it completes.
    fn call(
        &self,
        call: ToolCall,
        updates: ToolUpdates,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, ToolOutcome>;
}

/// What the model is told about a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name that the model calls it by.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its arguments, an object schema.
    pub parameters: Value,
    /// Whether it changes nothing, so that adjacent calls may run in parallel.
    pub read_only: bool,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The call's id, as the model gave it.
    pub id: String,
    /// The tool's name, as the model gave it.
    pub name: String,
    /// The arguments.
    pub input: Value,
    /// The arguments as the model wrote them, when they are not a JSON object.
    pub invalid_input: Option<String>,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutcome {
    /// What the model gets: text and images.
    pub content: Vec<Block>,
    /// Whether the call failed.
    pub is_error: bool,
    /// What a user interface may show; the model never gets it.
    pub details: Option<Value>,
}

impl ToolOutcome {
    /// A failed call with a text for the model.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            content: vec![Block::text(text)],
            is_error: true,
            details: None,
        }
    }
}

/// Where a running call puts its latest output. Each value replaces the one before, so a slow
/// reader costs nothing.
pub type ToolUpdates = watch::Sender<Option<Value>>;
