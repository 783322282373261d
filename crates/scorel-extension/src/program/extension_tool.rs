use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_engine::{BlobSink, ToolCall, ToolOutcome, ToolUpdates};
use scorel_outside_tool::{OutsideRun, failed_call};
use scorel_proto::{SessionId, TurnId};
use serde_json::json;

use super::extension_program::ExtensionProgram;
use super::manifest_parts::ManifestTool;
use super::tool_reply;

/// Calls of a tool of an extension, for the turns of a session.
#[derive(Debug)]
pub(super) struct ExtensionTool {
    /// As its extension names it.
    tool: ManifestTool,
    program: Arc<ExtensionProgram>,
    scene: Arc<ToolScene>,
}

/// Where tools are called.
#[derive(Debug)]
pub struct ToolScene {
    pub session_id: SessionId,
    /// `None` outside of turns.
    pub turn_id: Option<TurnId>,
    pub directory: PathBuf,
    /// Takes what is too long for a result.
    pub blobs: Arc<dyn BlobSink>,
}

impl ExtensionTool {
    pub(super) const fn new(
        tool: ManifestTool,
        program: Arc<ExtensionProgram>,
        scene: Arc<ToolScene>,
    ) -> Self {
        Self {
            tool,
            program,
            scene,
        }
    }

    async fn call(&self, call: ToolCall, updates: ToolUpdates) -> ToolOutcome {
        let params = json!({
            "sessionId": self.scene.session_id,
            "turnId": self.scene.turn_id,
            "callId": call.id,
            "name": self.tool.name,
            "input": call.input,
            "cwd": self.scene.directory,
        });
        let answer = self
            .program
            .call_tool(&call.id, &params, self.tool.timeout, updates);
        match answer.await {
            Ok(reply) => tool_reply::outcome(reply, Arc::clone(&self.scene.blobs)).await,
            Err(error) => failed_call(&error),
        }
    }
}

impl OutsideRun for ExtensionTool {
    fn run(
        self: Arc<Self>,
        call: ToolCall,
        updates: ToolUpdates,
    ) -> BoxFuture<'static, ToolOutcome> {
        Box::pin(async move { self.call(call, updates).await })
    }
}
