use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use scorel_engine::{
    ArgumentError, BlobSink, Tool, ToolCall, ToolOutcome, ToolPlan, ToolSpec, ToolUpdates,
};
use scorel_mcp_client::McpClient;
use scorel_outside_tool::{OutsideReading, OutsideRun, OutsideTool, ToolSchema, failed_call};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::resources::{listed, read};

/// The time for a server to say whether it has resources: shorter than that of a turn's start, so that one that hangs
/// costs nothing but its own.
const LIMIT: Duration = Duration::from_secs(4);

const NAME: &str = "McpResource";

const DESCRIPTION: &str = "\
Lists and reads resources of MCP servers: documents, records and other content that a server offers beside its tools. \
Without `uri` it answers the server's resources, and the templates of others; with `uri` the content of that one.";

/// The tool that reads resources of servers. It is offered as one, whichever servers have some.
#[derive(Debug)]
pub struct McpResourceTool {
    /// For servers that are not believed to only read.
    calls: Arc<OutsideTool>,
    /// For those that are.
    reads: Arc<OutsideTool>,
    servers: Arc<ResourceServers>,
}

/// The servers that have resources.
#[derive(Debug)]
struct ResourceServers {
    clients: Vec<Arc<McpClient>>,
    blobs: Arc<dyn BlobSink>,
}

impl McpResourceTool {
    /// The tool for those of the servers that have resources; `None` if none has. The error is a sentence without its
    /// full stop.
    pub async fn of(
        clients: Vec<Arc<McpClient>>,
        blobs: Arc<dyn BlobSink>,
    ) -> Result<Option<Self>, String> {
        let listing = clients.iter().map(|it| timeout(LIMIT, it.listing()));
        let listed = join_all(listing).await;
        let has_some = clients
            .into_iter()
            .zip(listed)
            .filter_map(|(client, listed)| {
                let listing = listed.ok()?.ok()?;
                listing.has_resources().then_some(client)
            });
        let clients: Vec<_> = has_some.collect();
        match clients.is_empty() {
            true => Ok(None),
            false => Self::new(clients, blobs).map(Some),
        }
    }

    fn new(clients: Vec<Arc<McpClient>>, blobs: Arc<dyn BlobSink>) -> Result<Self, String> {
        let schema = json!({
            "type": "object",
            "properties": {
                "server": {"type": "string", "description": "The server, as in mcp__SERVER__TOOL."},
                "uri": {"type": "string", "description": "The resource. Without it they are listed."},
            },
            "required": ["server"],
            "additionalProperties": false,
        });
        let schema = Arc::new(ToolSchema::new(schema)?);
        let servers = Arc::new(ResourceServers { clients, blobs });
        let tool = |reading| {
            let (name, description) = (NAME.to_owned(), DESCRIPTION.to_owned());
            let (schema, run) = (Arc::clone(&schema), Arc::clone(&servers) as _);
            Arc::new(OutsideTool::new(name, description, schema, reading, run))
        };
        Ok(Self {
            calls: tool(OutsideReading::Unknown),
            reads: tool(OutsideReading::Believed),
            servers,
        })
    }
}

impl Tool for McpResourceTool {
    fn spec(&self) -> &ToolSpec {
        self.calls.spec()
    }

    fn plan(self: Arc<Self>, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
        let server = self.servers.named(&call.input["server"]);
        match server.is_some_and(|it| it.settings().trust_read_only) {
            true => Arc::clone(&self.reads).plan(call),
            false => Arc::clone(&self.calls).plan(call),
        }
    }
}

impl ResourceServers {
    fn named(&self, name: &Value) -> Option<&Arc<McpClient>> {
        let mut clients = self.clients.iter();
        clients.find(|it| Some(it.settings().name.as_str()) == name.as_str())
    }
}

impl OutsideRun for ResourceServers {
    fn run(self: Arc<Self>, call: ToolCall, _: ToolUpdates) -> BoxFuture<'static, ToolOutcome> {
        Box::pin(async move {
            let Some(client) = self.named(&call.input["server"]) else {
                let names = self.clients.iter();
                let names: Vec<&str> = names.map(|it| it.settings().name.as_str()).collect();
                let message = format!("is one of those with resources: {}", names.join(", "));
                return ArgumentError::of("server", &message).into();
            };
            let blobs = Arc::clone(&self.blobs);
            let answered = match call.input["uri"].as_str() {
                Some(uri) => read(client, uri, blobs).await,
                None => listed(client, blobs).await,
            };
            answered.unwrap_or_else(|error| failed_call(&error))
        })
    }
}
