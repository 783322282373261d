use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_engine::{ToolCall, ToolOutcome, ToolUpdates};
use scorel_outside_tool::{ListedTool, OutsideRun, OutsideSource, unavailable};
use serde_json::Map;

const CHANGED: &str = "its description or its schema has changed since you were told of it; do not call it before your \
    tools are renewed, which a compaction does, or the user by renewing the instructions";

/// Calls of a tool of a set: it has to be still as the model was told.
pub(crate) struct SetRun {
    pub(crate) source: Arc<dyn OutsideSource>,
    pub(crate) told: Arc<ListedTool>,
    pub(crate) run: Arc<dyn OutsideRun>,
}

impl fmt::Debug for SetRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SetRun").field(&self.run).finish()
    }
}

impl OutsideRun for SetRun {
    fn refusal(&self) -> Option<ToolOutcome> {
        let known = self.source.known()?;
        let now = known.iter().find(|it| it.name == self.told.name);
        match now {
            Some(now) if now.is_told_by(&self.told) => self.run.refusal(),
            Some(_) => Some(ToolOutcome::failure("E_TOOL_CHANGED", CHANGED, Map::new())),
            None => {
                let reason = format!("{} does not list it any more", self.source.name());
                Some(unavailable(&reason))
            }
        }
    }

    fn is_believed(&self, call: &ToolCall) -> bool {
        self.run.is_believed(call)
    }

    fn run(
        self: Arc<Self>,
        call: ToolCall,
        updates: ToolUpdates,
    ) -> BoxFuture<'static, ToolOutcome> {
        Box::pin(async move {
            if let Err(outcome) = self.source.ready().await {
                return outcome;
            }
            // It may have been started for this call, and list other tools than before.
            match self.refusal() {
                Some(refusal) => refusal,
                None => Arc::clone(&self.run).run(call, updates).await,
            }
        })
    }
}
