use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_engine::{BlobSink, Tool, ToolCall, ToolOutcome, ToolUpdates};
use scorel_outside_tool::{OutsideReading, OutsideRun, OutsideTool, failed_call, tool_name};

use crate::call_reply::outcome;
use crate::client::McpClient;
use crate::listing::{ListedTool, McpListing};

/// A tool of a server, for the turns of a session.
#[derive(Debug)]
pub struct McpTool {
    client: Arc<McpClient>,
    tool: Arc<ListedTool>,
    /// It says so, and is believed.
    is_read_only: bool,
    /// Takes what is too long for a result.
    blobs: Arc<dyn BlobSink>,
}

impl McpTool {
    /// The listed tools for which `offers` is true, each under the name by which a model calls it, sorted by these.
    pub fn names(
        server: &str,
        listing: &McpListing,
        offers: impl Fn(&str) -> bool,
    ) -> Vec<(String, Arc<ListedTool>)> {
        let mut names = BTreeMap::new();
        for tool in listing.tools.iter().filter(|it| offers(&it.name)) {
            let name = tool_name("mcp", server, &tool.name, |name| names.contains_key(name));
            names.insert(name, Arc::clone(tool));
        }
        names.into_iter().collect()
    }

    /// The same tools, for a session.
    pub fn all(
        client: &Arc<McpClient>,
        listing: &McpListing,
        blobs: &Arc<dyn BlobSink>,
        offers: impl Fn(&str) -> bool,
    ) -> Vec<Arc<dyn Tool>> {
        let settings = client.settings();
        let names = Self::names(&settings.name, listing, offers).into_iter();
        let tools = names.map(|(name, tool)| {
            let is_read_only = tool.says_read_only && settings.trust_read_only;
            let reading = match is_read_only {
                true => OutsideReading::Believed,
                // Else it would run beside others by its own word.
                false => OutsideReading::Unknown,
            };
            let (description, schema) = (tool.description.clone(), Arc::clone(&tool.schema));
            let run = Self {
                client: Arc::clone(client),
                tool,
                is_read_only,
                blobs: Arc::clone(blobs),
            };
            let tool = OutsideTool::new(name, description, schema, reading, Arc::new(run));
            Arc::new(tool) as Arc<dyn Tool>
        });
        tools.collect()
    }
}

impl OutsideRun for McpTool {
    fn run(
        self: Arc<Self>,
        call: ToolCall,
        updates: ToolUpdates,
    ) -> BoxFuture<'static, ToolOutcome> {
        Box::pin(async move {
            let (name, is_read_only) = (&self.tool.name, self.is_read_only);
            let called = self.client.call(name, &call.input, is_read_only, updates);
            match called.await {
                Ok(reply) => outcome(reply, Arc::clone(&self.blobs)).await,
                Err(error) => failed_call(&error),
            }
        })
    }
}
