use std::fmt;
use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use scorel_config::McpServer;
use scorel_engine::{BlobSink, ToolOutcome};
use scorel_mcp_client::{McpClient, McpListing, McpTool};
use scorel_outside_tool::{
    ListedTool, OutsideReading, OutsideRun, OutsideSource, failed_call, unavailable,
};

/// One server, for the turns of a session.
pub(super) struct ServerTools {
    /// That of its process.
    pub(super) name: String,
    pub(super) server: Arc<McpServer>,
    /// Or the reason why there is none.
    pub(super) client: Result<Arc<McpClient>, String>,
    pub(super) blobs: Arc<dyn BlobSink>,
}

impl fmt::Debug for ServerTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ServerTools").field(&self.name).finish()
    }
}

impl OutsideSource for ServerTools {
    fn name(&self) -> &str {
        &self.name
    }

    fn known(&self) -> Option<Vec<Arc<ListedTool>>> {
        let listing = self.client.as_ref().ok()?.known()?;
        Some(offered(&self.server, &listing))
    }

    fn look(&self) {
        if let Ok(client) = &self.client
            && client.may_have_others()
        {
            let client = Arc::clone(client);
            tokio::spawn(async move {
                if let Err(error) = client.listing().await {
                    tracing::debug!(%error, "a server's tools are not known yet");
                }
            });
        }
    }

    fn list(&self) -> BoxFuture<'static, Result<Vec<Arc<ListedTool>>, String>> {
        let (server, client) = (Arc::clone(&self.server), self.client.clone());
        Box::pin(async move {
            let listing = client?.listing().await;
            let listing = listing.map_err(|error| error.to_string())?;
            Ok(offered(&server, &listing))
        })
    }

    fn ready(&self) -> BoxFuture<'static, Result<(), ToolOutcome>> {
        match self.client.clone() {
            Ok(client) => Box::pin(async move {
                let ready = client.ready().await;
                ready.map_err(|error| failed_call(&error))
            }),
            Err(reason) => Box::pin(ready(Err(unavailable(&reason)))),
        }
    }

    fn reading(&self, says_read_only: bool) -> OutsideReading {
        let client = self.client.as_ref();
        client.map_or(OutsideReading::Unknown, |it| it.reading(says_read_only))
    }

    fn run(&self, tool: &Arc<ListedTool>) -> Result<Arc<dyn OutsideRun>, String> {
        let client = Arc::clone(self.client.as_ref().map_err(Clone::clone)?);
        let (tool, blobs) = (Arc::clone(tool), Arc::clone(&self.blobs));
        Ok(Arc::new(McpTool::new(client, tool, blobs)))
    }
}

/// The listed tools, without those that the configuration leaves out.
pub(super) fn offered(server: &McpServer, listing: &McpListing) -> Vec<Arc<ListedTool>> {
    let tools = listing.tools.iter();
    let offered = tools.filter(|tool| server.tools.offers(&tool.name));
    offered.cloned().collect()
}
