use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_engine::{BlobSink, ToolCall, ToolOutcome, ToolUpdates};
use scorel_outside_tool::{ListedTool, OutsideReading, OutsideRun, failed_call};
use scorel_process::ServiceError;

use crate::call_reply::outcome;
use crate::client::McpClient;

/// Calls of a tool of a server, for the turns of a session.
#[derive(Debug)]
pub struct McpTool {
    client: Arc<McpClient>,
    tool: Arc<ListedTool>,
    /// Takes what is too long for a result.
    blobs: Arc<dyn BlobSink>,
}

impl McpClient {
    /// Returns whether a tool only reads, as far as that is known, by what it says of itself.
    pub fn reading(&self, says_read_only: bool) -> OutsideReading {
        match says_read_only && self.settings().trust_read_only {
            true => OutsideReading::Believed,
            // Else it would run beside others by its own word.
            false => OutsideReading::Unknown,
        }
    }
}

impl McpTool {
    pub fn new(client: Arc<McpClient>, tool: Arc<ListedTool>, blobs: Arc<dyn BlobSink>) -> Self {
        Self {
            client,
            tool,
            blobs,
        }
    }

    fn failed(&self, error: &ServiceError) -> ToolOutcome {
        let mut outcome = failed_call(error);
        let login = self.client.login();
        if let (Some(login), Some(details)) = (login, &mut outcome.details)
            && matches!(error, ServiceError::Unavailable { .. })
        {
            details["error"]["details"]["login"] = login.into();
        }
        outcome
    }
}

impl OutsideRun for McpTool {
    fn run(
        self: Arc<Self>,
        call: ToolCall,
        updates: ToolUpdates,
    ) -> BoxFuture<'static, ToolOutcome> {
        Box::pin(async move {
            let name = &self.tool.name;
            let reading = self.client.reading(self.tool.says_read_only);
            let is_read_only = reading == OutsideReading::Believed;
            let called = self.client.call(name, &call.input, is_read_only, updates);
            match called.await {
                Ok(reply) => outcome(reply, Arc::clone(&self.blobs)).await,
                Err(error) => self.failed(&error),
            }
        })
    }
}
