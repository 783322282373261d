use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use scorel_engine::{
    ArgumentError, BlobSink, Effect, Tool, ToolCall, ToolClass, ToolContext, ToolOutcome, ToolPlan,
    ToolSpec,
};
use scorel_process::ServiceError;
use scorel_proto::{SessionId, TurnId};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::extension_program::ExtensionProgram;
use super::manifest_parts::ManifestTool;
use super::tool_reply;

/// A tool of an extension, for the turns of a session.
#[derive(Debug)]
pub struct ExtensionTool {
    spec: ToolSpec,
    /// As its extension names it.
    tool: ManifestTool,
    /// Of all that the model is told of it.
    digest: String,
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
    /// A tool under the name by which the model calls it. One that changes nothing runs beside others.
    pub fn new(
        name: String,
        tool: ManifestTool,
        program: Arc<ExtensionProgram>,
        scene: Arc<ToolScene>,
    ) -> Self {
        let parameters = Arc::clone(tool.schema.json());
        let told = format!("{name}\n{}\n{parameters}", tool.description);
        Self {
            spec: ToolSpec {
                name,
                description: tool.description.clone(),
                parameters,
                read_only: tool.read_only,
                class: ToolClass::Outside,
            },
            digest: format!("{:x}", Sha256::digest(told.as_bytes())),
            tool,
            program,
            scene,
        }
    }

    async fn run(&self, call: ToolCall, context: ToolContext) -> ToolOutcome {
        let params = json!({
            "sessionId": self.scene.session_id,
            "turnId": self.scene.turn_id,
            "callId": call.id,
            "name": self.tool.name,
            "input": call.input,
            "cwd": self.scene.directory,
        });
        // Dropped by a cancel, the call is withdrawn.
        let answer = tokio::select! {
            biased;
            () = context.cancel.cancelled() => {
                return ToolOutcome::failure("E_CANCELLED", "the call was cancelled", Map::new());
            }
            answer = self
                .program
                .call_tool(&call.id, &params, self.tool.timeout, context.updates) => answer,
        };
        match answer {
            Ok(reply) => tool_reply::outcome(reply, Arc::clone(&self.scene.blobs)).await,
            Err(error) => failure(&error),
        }
    }
}

impl Tool for ExtensionTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn plan(self: Arc<Self>, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
        if let Err((field, reason)) = self.tool.schema.check(&call.input) {
            let message = match &field {
                Some(field) => format!("`{field}`: {reason}"),
                None => reason,
            };
            let error = ArgumentError { field, message };
            return Box::pin(ready(ToolPlan::answered(error)));
        }
        let effect = Effect::CallOutside {
            tool: self.spec.name.clone(),
            input: call.input.clone(),
            digest: Some(self.digest.clone()),
        };
        let run = move |_, context| async move { self.run(call, context).await };
        Box::pin(ready(ToolPlan::new(vec![effect], run)))
    }
}

fn failure(error: &ServiceError) -> ToolOutcome {
    let (code, facts) = match error {
        ServiceError::Unavailable { state, .. } => {
            ("E_UNAVAILABLE", Map::from_iter([fact("state", *state)]))
        }
        ServiceError::Lost { .. } => ("E_UNAVAILABLE", Map::new()),
        ServiceError::Overdue { .. } => ("E_TIMEOUT", Map::new()),
        ServiceError::Answered(_) => ("E_TOOL_FAILED", Map::new()),
    };
    ToolOutcome::failure(code, &error.to_string(), facts)
}

fn fact(name: &str, value: impl serde::Serialize) -> (String, Value) {
    (name.to_owned(), json!(value))
}
