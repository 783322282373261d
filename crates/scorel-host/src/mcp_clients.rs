//! Servers of the Model Context Protocol: their processes, and the tools that they add to turns.
//!
//! In: what the user and the project declare. Out: a source of tools for each server that may be used. All sessions of
//! a directory share its process, which is started for the first turn.

mod logins;
mod look;
mod prompts;
mod report;
mod server_port;
mod server_tools;

use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;

use scorel_config::{McpServer, McpShare, McpTransport};
use scorel_engine::Hooks;
use scorel_guidance::mcp::{FoundMcpServer, McpServers, OfferedServers};
use scorel_guidance::skills::SkillProject;
use scorel_mcp_client::{McpClient, McpKey, McpPool, McpSettings};
use scorel_mcp_content::McpResources;
use scorel_mcp_http::HttpReach;
use scorel_outside_tool::OutsideSource;
use scorel_proto::{ErrorChain, OfferedMcpServer, SessionId};
use scorel_session::Lane;

use crate::extensions::TrustedFiles;
use crate::programs::ProgramMeans;
use crate::turns::{HookSource, HookTurn, ToolPlace, ToolSource};
use server_port::ServerPort;
use server_tools::ServerTools;

pub(crate) use prompts::PromptPlace;

/// A server that a session may use.
struct PlacedServer {
    found: FoundMcpServer,
    server: Arc<McpServer>,
    /// Or the reason why there is none.
    client: Result<Arc<McpClient>, String>,
}

/// The servers that sessions have.
#[derive(Debug)]
pub(crate) struct McpClients {
    servers: McpServers,
    means: Arc<ProgramMeans>,
    /// Where one runs that is tried outside of all projects.
    home: PathBuf,
    http: HttpReach,
    pool: McpPool<Arc<McpServer>>,
    offered: OfferedServers,
}

impl McpClients {
    pub(crate) fn new(home: &Path, servers: McpServers, means: Arc<ProgramMeans>) -> Self {
        Self {
            servers,
            means,
            home: home.to_owned(),
            http: HttpReach::new(home),
            pool: McpPool::default(),
            offered: OfferedServers::default(),
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
            is_other || usable.iter().any(is_it) || self.offered.has(key.session, config)
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
        session: Option<SessionId>,
    ) -> Result<Arc<McpClient>, String> {
        let directory = self.directory(server, place)?;
        let key = McpKey {
            server: server.name.to_string(),
            project: project.as_ref().map(|it| it.id),
            directory: directory.clone(),
            session: session.filter(|_| server.share == McpShare::Session),
        };
        let port = || {
            Arc::new(ServerPort {
                servers: self.servers.clone(),
                means: Arc::clone(&self.means),
                http: self.http.clone(),
                server: Arc::clone(server),
                directory,
                project,
                needs_no_entry: self.offered.has(session, server),
            }) as _
        };
        Ok(self.pool.client(key, server, settings(server), port))
    }

    /// The servers of a session in a directory, or of all that share them. Reads files; blocks.
    fn placed(
        &self,
        project: &SkillProject,
        directory: &Path,
        session: Option<SessionId>,
    ) -> Vec<PlacedServer> {
        let usable = self.usable(project).into_iter();
        let offered = session.map_or_else(Vec::new, |it| self.offered.of(it));
        let offered = offered
            .into_iter()
            .map(|server| (Arc::clone(&server), FoundMcpServer::offered(&server)));
        let placed = usable.chain(offered).map(|(server, found)| {
            let of = found.is_project.then(|| project.clone());
            PlacedServer {
                client: self.client(&server, of, directory, session),
                server,
                found,
            }
        });
        placed.collect()
    }

    /// The servers for tools at a place.
    fn at(&self, place: &ToolPlace) -> Vec<PlacedServer> {
        let project = self.means.projects.get(place.project_id);
        let project = SkillProject {
            id: place.project_id,
            // That of the project, also in a worktree of it: a person has trusted it there.
            dir: project.map_or_else(|| place.directory.clone(), |it| it.work_dir.into()),
        };
        self.placed(&project, &place.directory, Some(place.session_id))
    }

    /// Gives a session servers in place of those that it was given before. Returns those that are not used, a sentence
    /// each. Reads files; blocks.
    pub(crate) fn offer(&self, lane: &Arc<Lane>, offered: Vec<OfferedMcpServer>) -> Vec<String> {
        let of_user = self.servers.find(None).unwrap_or_default();
        let (before, refused) = self.offered.put(lane.id(), lane, offered, &of_user);
        let session = Some(lane.id());
        self.pool.retain(|key, config| {
            let was_its = key.session == session && before.contains(config);
            !was_its || self.offered.has(session, config)
        });
        refused
    }

    /// The directory that a server runs in, for a session in another one.
    fn directory(&self, server: &McpServer, session: &Path) -> Result<PathBuf, String> {
        let cwd = match &server.transport {
            McpTransport::Stdio(command) => command.cwd.as_ref(),
            // One connection for all: it has no directory.
            McpTransport::Http(_) => return Ok(self.home.clone()),
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

    fn outside(&self, place: &ToolPlace) -> Vec<Arc<dyn OutsideSource>> {
        let placed = self.at(place);
        let clients = placed.iter().filter_map(|it| it.client.as_ref().ok());
        let clients: Vec<_> = clients.map(Arc::clone).collect();
        for client in &clients {
            // It lives as long as the session is loaded.
            client.process().keep_for(&place.project);
        }
        let sources = placed.into_iter().map(|it| {
            Arc::new(ServerTools {
                name: it.found.process(),
                server: it.server,
                client: it.client,
                blobs: Arc::clone(&place.blobs),
            }) as Arc<dyn OutsideSource>
        });
        let resources = || Arc::new(McpResources::new(clients.clone(), &place.blobs)) as _;
        let resources = (!clients.is_empty()).then(resources);
        sources.chain(resources).collect()
    }

    fn instructions(&self, place: &ToolPlace) -> Vec<(String, String)> {
        let placed = self.at(place).into_iter();
        let said = placed.filter_map(|it| {
            let listing = it.client.ok()?.known()?;
            Some((
                it.server.name.to_string(),
                listing.instructions()?.to_owned(),
            ))
        });
        said.collect()
    }
}

impl HookSource for McpClients {
    fn hooks(&self, turn: &HookTurn<'_>) -> Vec<Arc<dyn Hooks>> {
        let all = self.pool.all();
        // Its tools were asked for before, so a server of the project that may be used is known.
        if !all
            .iter()
            .any(|(key, _)| key.project == Some(turn.project_id))
        {
            return Vec::new();
        }
        let usable = self.usable(&turn.skill_project()).into_iter();
        let files = usable.flat_map(|(_, found)| {
            let item = format!("MCP server `{}`", found.name);
            let files = found.files.into_iter();
            files.map(move |path| (path, item.clone()))
        });
        TrustedFiles::of(turn.tools, files.collect())
            .into_iter()
            .collect()
    }
}
