use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use scorel_config::McpServer;
use scorel_engine::Tool;
use scorel_mcp_client::{McpClient, McpTool};
use scorel_proto::TurnError;

use crate::turns::{ToolPlace, ToolSource, turn_error};

/// The tools of a source that come.
pub(super) type FoundTools = BoxFuture<'static, Result<Vec<Arc<dyn Tool>>, TurnError>>;

/// One server as a source of tools.
#[derive(Debug)]
pub(super) struct ServerTools {
    /// That of its process.
    pub(super) name: String,
    pub(super) server: Arc<McpServer>,
    /// Or the reason why there is none.
    pub(super) client: Result<Arc<McpClient>, String>,
}

impl ToolSource for ServerTools {
    fn name(&self) -> &str {
        &self.name
    }

    fn tools(&self, place: &ToolPlace) -> FoundTools {
        let client = match &self.client {
            Ok(client) => Arc::clone(client),
            Err(reason) => return Box::pin(ready(Err(missing(reason.clone())))),
        };
        let (server, blobs) = (Arc::clone(&self.server), Arc::clone(&place.blobs));
        Box::pin(async move {
            let listing = client.listing().await;
            let listing = listing.map_err(|error| missing(error.to_string()))?;
            let offers = |tool: &str| server.tools.offers(tool);
            Ok(McpTool::all(&client, &listing, &blobs, offers))
        })
    }

    fn may_be_late(&self) -> bool {
        true
    }
}

fn missing(reason: String) -> TurnError {
    turn_error("mcp_unavailable", reason)
}
