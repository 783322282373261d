//! The source of tools, with one.

use std::future::ready;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use scorel_engine::{Tool, ToolCall, ToolClass, ToolOutcome, ToolPlan, ToolSpec};
use scorel_host::{ToolPlace, ToolSource};
use scorel_proto::{SessionId, TurnError};
use serde_json::json;

use crate::pins::Pins;

const DESCRIPTION: &str = "Lists the files that the user has pinned. Change one only if you must.";

#[derive(JsonSchema)]
struct NoArguments {}

#[derive(Debug)]
struct PinnedFilesTool {
    spec: ToolSpec,
    session_id: SessionId,
    pins: Arc<Pins>,
}

/// The pins as a source of tools. A shared handle, since its tools hold it too.
#[derive(Debug)]
pub struct PinTools(pub Arc<Pins>);

impl ToolSource for PinTools {
    fn name(&self) -> &str {
        "pins"
    }

    fn tools(
        &self,
        place: &ToolPlace,
    ) -> BoxFuture<'static, Result<Vec<Arc<dyn Tool>>, TurnError>> {
        let spec = ToolSpec::of::<NoArguments>("PinnedFiles", DESCRIPTION, ToolClass::Inspect);
        let tool: Arc<dyn Tool> = Arc::new(PinnedFilesTool {
            spec: spec.read_only(),
            session_id: place.session_id,
            pins: Arc::clone(&self.0),
        });
        Box::pin(ready(Ok(vec![tool])))
    }
}

impl Tool for PinnedFilesTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// It shows what the user has told the session, so it has no effects to be judged.
    fn plan(self: Arc<Self>, _: ToolCall) -> BoxFuture<'static, ToolPlan> {
        let plan = ToolPlan::new(Vec::new(), |_, _| async move {
            match self.pins.paths(self.session_id).await {
                Ok(paths) => ToolOutcome::success(paths.join("\n"), &json!({ "paths": paths })),
                Err(error) => ToolOutcome::error(error.to_string()),
            }
        });
        Box::pin(ready(plan))
    }
}
