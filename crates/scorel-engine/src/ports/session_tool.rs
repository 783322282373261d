use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::{Tool, ToolCall, ToolOutcome, ToolPlan, ToolSpec};

/// A tool that plans its calls with what a session has for it, such as its files.
#[derive(Debug)]
pub struct SessionTool<S, E> {
    /// See [`Tool::spec`].
    pub spec: ToolSpec,
    /// The state that the session keeps for the tool.
    pub session: S,
    /// Plans a call with these arguments, or tells why it cannot run. It may block.
    pub plan: fn(&S, Value) -> Result<ToolPlan, E>,
}

impl<S, E> Tool for SessionTool<S, E>
where
    S: fmt::Debug + Send + Sync + 'static,
    E: Into<ToolOutcome> + fmt::Debug + Send + 'static,
{
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn plan(self: Arc<Self>, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
        ToolPlan::blocking(move || (self.plan)(&self.session, call.input))
    }
}
