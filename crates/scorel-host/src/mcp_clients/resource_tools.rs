use std::sync::Arc;

use scorel_engine::Tool;
use scorel_mcp_client::McpClient;
use scorel_mcp_content::McpResourceTool;

use super::server_tools::FoundTools;
use crate::turns::{ToolPlace, ToolSource, turn_error};

/// The tool for the resources of all servers.
#[derive(Debug)]
pub(super) struct ResourceTools(pub(super) Vec<Arc<McpClient>>);

impl ToolSource for ResourceTools {
    fn name(&self) -> &str {
        "mcp resources"
    }

    fn tools(&self, place: &ToolPlace) -> FoundTools {
        let found = McpResourceTool::of(self.0.clone(), Arc::clone(&place.blobs));
        Box::pin(async move {
            let tool = found
                .await
                .map_err(|reason| turn_error("internal_error", reason))?;
            Ok(tool
                .into_iter()
                .map(|it| Arc::new(it) as Arc<dyn Tool>)
                .collect())
        })
    }

    fn may_be_late(&self) -> bool {
        true
    }
}
