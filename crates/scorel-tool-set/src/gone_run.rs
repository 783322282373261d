use std::future::ready;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_engine::{ToolCall, ToolOutcome, ToolUpdates};
use scorel_outside_tool::{OutsideRun, unavailable};

/// Calls of a tool whose program is not there.
#[derive(Debug)]
pub(crate) struct GoneRun {
    pub(crate) reason: String,
}

impl OutsideRun for GoneRun {
    fn refusal(&self) -> Option<ToolOutcome> {
        Some(unavailable(&self.reason))
    }

    fn run(self: Arc<Self>, _: ToolCall, _: ToolUpdates) -> BoxFuture<'static, ToolOutcome> {
        Box::pin(ready(unavailable(&self.reason)))
    }
}
