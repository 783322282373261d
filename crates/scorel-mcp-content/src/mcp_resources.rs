use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use scorel_engine::{ArgumentError, BlobSink, ToolCall, ToolOutcome, ToolUpdates};
use scorel_mcp_client::McpClient;
use scorel_outside_tool::{
    ListedTool, OutsideReading, OutsideRun, OutsideSource, ToolSchema, failed_call,
};
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

/// The tool that reads resources of servers, as one, whichever servers have some.
#[derive(Debug)]
pub struct McpResources {
    servers: Arc<ResourceServers>,
}

/// The servers that may have resources.
#[derive(Debug)]
struct ResourceServers {
    clients: Vec<Arc<McpClient>>,
    blobs: Arc<dyn BlobSink>,
}

impl McpResources {
    pub fn new(clients: Vec<Arc<McpClient>>, blobs: &Arc<dyn BlobSink>) -> Self {
        let blobs = Arc::clone(blobs);
        Self {
            servers: Arc::new(ResourceServers { clients, blobs }),
        }
    }
}

impl OutsideSource for McpResources {
    fn name(&self) -> &str {
        "resources"
    }

    fn known(&self) -> Option<Vec<Arc<ListedTool>>> {
        let clients = self.servers.clients.iter();
        let known: Vec<_> = clients
            .map(|it| Some(it.known()?.has_resources()))
            .collect();
        if known.contains(&Some(true)) {
            return Some(vec![tool()]);
        }
        // One that is not known may have some.
        (!known.contains(&None)).then(Vec::new)
    }

    /// The servers are sources of their own.
    fn look(&self) {}

    fn list(&self) -> BoxFuture<'static, Result<Vec<Arc<ListedTool>>, String>> {
        let servers = Arc::clone(&self.servers);
        Box::pin(async move {
            let clients = servers.clients.iter();
            let listing = clients.map(|it| timeout(LIMIT, it.listing()));
            let listed = join_all(listing).await;
            let mut listed = listed.into_iter().flatten().flatten();
            let has_some = listed.any(|it| it.has_resources());
            Ok(has_some.then(tool).into_iter().collect())
        })
    }

    /// A call starts the server that it is about.
    fn ready(&self) -> BoxFuture<'static, Result<(), ToolOutcome>> {
        Box::pin(ready(Ok(())))
    }

    fn reading(&self, _: bool) -> OutsideReading {
        OutsideReading::Unknown
    }

    fn run(&self, _: &Arc<ListedTool>) -> Result<Arc<dyn OutsideRun>, String> {
        Ok(Arc::clone(&self.servers) as _)
    }
}

fn tool() -> Arc<ListedTool> {
    let schema = json!({
        "type": "object",
        "properties": {
            "server": {"type": "string", "description": "The server, as in mcp__SERVER__TOOL."},
            "uri": {"type": "string", "description": "The resource. Without it they are listed."},
        },
        "required": ["server"],
        "additionalProperties": false,
    });
    Arc::new(ListedTool {
        name: NAME.to_owned(),
        description: DESCRIPTION.to_owned(),
        schema: Arc::new(ToolSchema::accepted(schema)),
        says_read_only: false,
    })
}

impl ResourceServers {
    fn named(&self, name: &Value) -> Option<&Arc<McpClient>> {
        let mut clients = self.clients.iter();
        clients.find(|it| Some(it.settings().name.as_str()) == name.as_str())
    }

    /// The names of those that have resources, as far as is known.
    fn names(&self) -> Vec<&str> {
        let clients = self.clients.iter();
        let with_some = clients.filter(|it| it.known().is_none_or(|known| known.has_resources()));
        with_some.map(|it| it.settings().name.as_str()).collect()
    }
}

impl OutsideRun for ResourceServers {
    fn is_believed(&self, call: &ToolCall) -> bool {
        let server = self.named(&call.input["server"]);
        server.is_some_and(|it| it.settings().trust_read_only)
    }

    fn run(self: Arc<Self>, call: ToolCall, _: ToolUpdates) -> BoxFuture<'static, ToolOutcome> {
        Box::pin(async move {
            let names = self.names();
            let server = self.named(&call.input["server"]);
            let server = server.filter(|it| names.contains(&it.settings().name.as_str()));
            let Some(client) = server else {
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
