//! Servers of the Model Context Protocol: their processes, and the tools that they add to turns.
//!
//! In: what the user and the project declare. Out: a source of tools for each server that may be used. All sessions of
//! a directory share its process, which is started for the first turn.

mod look;
mod report;
mod server_port;
mod server_tools;

use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;

use scorel_config::{McpServer, McpShare, McpTransport};
use scorel_guidance::mcp::{FoundMcpServer, McpServers};
use scorel_guidance::skills::SkillProject;
use scorel_mcp_client::{McpClient, McpKey, McpPool, McpSettings};
use scorel_proto::{ErrorChain, SessionId};

use crate::programs::ProgramMeans;
use crate::turns::{ToolPlace, ToolSource};
use server_port::ServerPort;
use server_tools::{FoundTools, ServerTools};

/// The servers that sessions have.
#[derive(Debug)]
pub(crate) struct McpClients {
    servers: McpServers,
    means: Arc<ProgramMeans>,
    /// Where one runs that is tried outside of all projects.
    home: PathBuf,
    pool: McpPool<Arc<McpServer>>,
}

impl McpClients {
    pub(crate) fn new(home: &Path, servers: McpServers, means: Arc<ProgramMeans>) -> Self {
        Self {
            servers,
            means,
            home: home.to_owned(),
            pool: McpPool::default(),
        }
    }

    /// The servers that sessions of a project may use. Others of the two are forgotten. Reads files; blocks.
    fn usable(&self, project: &SkillProject) -> Vec<(Arc<McpServer>, FoundMcpServer)> {
        let found = self.servers.find(Some(project)).or_else(|error| {
            // Trust is unknown, so nothing of the project runs.
            tracing::warn!(error = %ErrorChain(&error), "the servers of a project are left out");
            self.servers.find(None)
        });
        let found = found.unwrap_or_default().into_iter();
        let usable: Vec<_> = found
            .filter_map(|it| Some((Arc::clone(it.usable()?), it)))
            .collect();
        self.pool.retain(|key, config| {
            let is_other = key.project.is_some_and(|id| id != project.id);
            let is_it = |(server, found): &(Arc<McpServer>, FoundMcpServer)| {
                found.is_project == key.project.is_some() && server == config
            };
            is_other || usable.iter().any(is_it)
        });
        usable
    }

    /// Forgets the servers of a project that may not be used any more, which ends them. Reads files; blocks.
    pub(crate) fn forget_unusable(&self, project: &SkillProject) {
        self.usable(project);
    }

    /// The server for a session in a directory. `project` is the one that brings it. The error is a sentence without
    /// its full stop.
    fn client(
        &self,
        server: &Arc<McpServer>,
        project: Option<SkillProject>,
        place: &Path,
        session: SessionId,
    ) -> Result<Arc<McpClient>, String> {
        let directory = self.directory(server, place)?;
        let key = McpKey {
            server: server.name.to_string(),
            project: project.as_ref().map(|it| it.id),
            directory: directory.clone(),
            session: (server.share == McpShare::Session).then_some(session),
        };
        let port = || {
            Arc::new(ServerPort {
                servers: self.servers.clone(),
                means: Arc::clone(&self.means),
                server: Arc::clone(server),
                directory,
                project,
                is_trial: false,
            }) as _
        };
        Ok(self.pool.client(key, server, settings(server), port))
    }

    /// The directory that a server runs in, for a session in another one.
    fn directory(&self, server: &McpServer, session: &Path) -> Result<PathBuf, String> {
        let cwd = match &server.transport {
            McpTransport::Stdio(command) => command.cwd.as_ref(),
            McpTransport::Http(_) => None,
        };
        let Some(cwd) = cwd else {
            return Ok(session.to_owned());
        };
        let mut found = self.means.commands.paths(slice::from_ref(cwd));
        found
            .next()
            .ok_or_else(|| "its `cwd` is below a home directory that is not known".to_owned())
    }

    /// Stops all processes and waits for their ends.
    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }
}

fn settings(server: &McpServer) -> McpSettings {
    McpSettings {
        name: server.name.to_string(),
        trust_read_only: server.trust_read_only,
        timeout: server.timeout,
        idle: server.idle,
    }
}

impl ToolSource for McpClients {
    fn name(&self) -> &str {
        "mcp"
    }

    fn tools(&self, _: &ToolPlace) -> FoundTools {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    fn parts(&self, place: &ToolPlace) -> Vec<Arc<dyn ToolSource>> {
        let project = self.means.projects.get(place.project_id);
        let project = SkillProject {
            id: place.project_id,
            // That of the project, also in a worktree of it: a person has trusted it there.
            dir: project.map_or_else(|| place.directory.clone(), |it| it.work_dir.into()),
        };
        let usable = self.usable(&project).into_iter();
        let parts = usable.map(|(server, found)| {
            let of = found.is_project.then(|| project.clone());
            let client = self.client(&server, of, &place.directory, place.session_id);
            if let Ok(client) = &client {
                // It lives as long as the session is loaded.
                client.process().keep_for(&place.project);
            }
            Arc::new(ServerTools {
                name: found.process(),
                server,
                client,
            }) as _
        });
        parts.collect()
    }
}
