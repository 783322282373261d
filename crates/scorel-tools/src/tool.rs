//! What every tool is.

use std::fmt;
use std::sync::Arc;

use scorel_runtime::ToolSpec;
use serde_json::Value;

use crate::error::ToolError;
use crate::pace::Pace;
use crate::roots::Roots;

/// One tool.
pub(crate) trait Tool: fmt::Debug + Send + Sync {
    /// What the model is told about it.
    fn spec(&self) -> ToolSpec;

    /// Runs one call on the calling thread, which it may block.
    fn run(&self, call: &Call, input: Value) -> Result<Report, ToolError>;
}

/// What a call has besides its arguments.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The session's roots.
    pub(crate) roots: Arc<Roots>,
    /// When to end.
    pub(crate) pace: Pace,
}

/// What a call gives.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Report {
    /// For the model.
    pub(crate) text: String,
    /// For user interfaces.
    pub(crate) details: Value,
}
