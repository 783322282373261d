//! A look at a server, apart from those that turns have.

use std::sync::Arc;

use scorel_config::McpServer;
use scorel_engine::{ToolClass, ToolSpec};
use scorel_guidance::skills::SkillProject;
use scorel_mcp_client::{Era, McpClient};
use scorel_outside_tool::ToldTool;

use super::server_port::ServerPort;
use super::server_tools::offered;
use super::{McpClients, settings};

/// Bytes of the error output that are shown.
const STDERR: usize = 4 * 1024;

/// The findings of a look.
#[derive(Debug)]
pub(crate) struct McpLook {
    /// Why it cannot be used.
    pub(crate) failure: Option<String>,
    /// The version of the protocol that it speaks.
    pub(crate) era: Option<String>,
    /// The tools that it offers, as a model is told of them.
    pub(crate) tools: Vec<ToolSpec>,
    /// Sentences about tools that are left out.
    pub(crate) problems: Vec<String>,
    /// The end of its error output.
    pub(crate) stderr: String,
}

impl McpClients {
    /// Starts a server that is not configured, and looks at it.
    pub(crate) async fn tried(
        &self,
        server: Arc<McpServer>,
        project: Option<SkillProject>,
    ) -> McpLook {
        self.look(server, None, project, true).await
    }

    /// Starts a server that is configured, and looks at it. `is_project` tells one that the project brings.
    pub(crate) async fn looked_at(
        &self,
        server: Arc<McpServer>,
        is_project: bool,
        project: Option<SkillProject>,
    ) -> McpLook {
        let of = project.clone().filter(|_| is_project);
        self.look(server, of, project, false).await
    }

    async fn look(
        &self,
        server: Arc<McpServer>,
        of: Option<SkillProject>,
        place: Option<SkillProject>,
        is_trial: bool,
    ) -> McpLook {
        let place = place.map_or_else(|| self.home.clone(), |it| it.dir);
        let directory = match self.directory(&server, &place) {
            Ok(directory) => directory,
            Err(reason) => return McpLook::failed(reason),
        };
        let port = ServerPort {
            servers: self.servers.clone(),
            means: Arc::clone(&self.means),
            http: self.http.clone(),
            server: Arc::clone(&server),
            directory,
            project: of,
            needs_no_entry: is_trial,
        };
        let eras = self.pool.eras(&server);
        let client = McpClient::new(settings(&server), Arc::new(port), eras);
        let look = McpLook::at(&client, &server).await;
        client.process().close().await;
        look
    }
}

impl McpLook {
    async fn at(client: &McpClient, server: &McpServer) -> Self {
        let found = match client.listing().await {
            // It is not started again, whatever its state says.
            Err(error) => {
                let reason = client.process().status().reason;
                Self::failed(reason.unwrap_or_else(|| error.to_string()))
            }
            Ok(listing) => {
                let source = format!("mcp:{}", server.name);
                let tools = ToldTool::all(&source, offered(server, &listing));
                Self {
                    failure: None,
                    era: Some(era(listing.era)),
                    tools: tools.iter().map(spec).collect(),
                    problems: listing.problems.clone(),
                    stderr: String::new(),
                }
            }
        };
        Self {
            stderr: client.process().stderr(STDERR),
            ..found
        }
    }

    const fn failed(reason: String) -> Self {
        Self {
            failure: Some(reason),
            era: None,
            tools: Vec::new(),
            problems: Vec::new(),
            stderr: String::new(),
        }
    }
}

fn spec(told: &ToldTool) -> ToolSpec {
    let tool = told.listed();
    ToolSpec {
        name: told.name().to_owned(),
        description: tool.description.clone(),
        parameters: Arc::clone(tool.schema.json()),
        read_only: tool.says_read_only,
        class: ToolClass::Outside,
    }
}

/// The era as people are told of it.
pub(super) fn era(era: Era) -> String {
    era.version().to_owned()
}
