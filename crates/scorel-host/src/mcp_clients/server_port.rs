use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_config::{Config, McpCommand, McpServer, McpTransport};
use scorel_engine::spawn_blocking;
use scorel_exec::{ResourceLimits, Sandbox};
use scorel_extension::hook::HookSandbox;
use scorel_guidance::mcp::{FoundMcpServer, McpServers};
use scorel_guidance::skills::SkillProject;
use scorel_mcp_client::{McpPort, McpStart};
use scorel_mcp_http::HttpReach;
use scorel_plugin::PluginPlace;
use scorel_process::{ServiceFraming, StartedProgram};

use crate::programs::{ProgramMeans, ProgramOrder};

/// The daemon's services for one server.
#[derive(Debug, Clone)]
pub(super) struct ServerPort {
    pub(super) servers: McpServers,
    pub(super) means: Arc<ProgramMeans>,
    pub(super) http: HttpReach,
    pub(super) server: Arc<McpServer>,
    /// The directory that it runs in.
    pub(super) directory: PathBuf,
    /// The project that brings it; `None` for the user's.
    pub(super) project: Option<SkillProject>,
    /// A person tries it, or a client has offered it, so it need not be configured.
    pub(super) needs_no_entry: bool,
}

impl McpPort for ServerPort {
    fn start(&self) -> BoxFuture<'_, Result<McpStart, String>> {
        let port = self.clone();
        Box::pin(async move {
            let started = spawn_blocking(move || port.start_now()).await;
            started.unwrap_or_else(|_| Err("its start failed".to_owned()))
        })
    }
}

impl ServerPort {
    /// Trust and the configuration may be others than when the turn began. Returns the places of the plugin that
    /// brings it, if one does.
    fn check_usable(&self) -> Result<Option<PluginPlace>, String> {
        if self.needs_no_entry {
            return Ok(None);
        }
        let found = self.servers.find(self.project.as_ref());
        let mut found = found.map_err(|error| error.to_string())?.into_iter();
        let is_it = |it: &FoundMcpServer| {
            it.is_project == self.project.is_some() && it.usable() == Some(&self.server)
        };
        let found = found.find(is_it);
        let found = found.ok_or_else(|| "it may not be used any more as it was".to_owned())?;
        Ok(found.place)
    }

    /// Reads the secrets; blocks.
    fn start_now(&self) -> Result<McpStart, String> {
        let plugin = self.check_usable()?;
        match &self.server.transport {
            McpTransport::Stdio(command) => {
                let program = self.started(command, plugin.as_ref())?;
                Ok(McpStart::Program(Box::new(program)))
            }
            McpTransport::Http(endpoint) => {
                let mut secrets = Vec::new();
                for (header, name) in &endpoint.secret_headers {
                    let value = self.means.secret(name.as_str())?;
                    secrets.push((header.as_str(), name.as_str(), value));
                }
                let (url, headers) = (&endpoint.url, &endpoint.headers);
                let server = self
                    .http
                    .server(url, headers, secrets, endpoint.login.is_some())?;
                Ok(McpStart::Http(Box::new(server)))
            }
        }
    }

    /// Reads the environment of commands, which may ask the login shell, and the secrets. Blocks.
    fn started(
        &self,
        command: &McpCommand,
        plugin: Option<&PluginPlace>,
    ) -> Result<StartedProgram, String> {
        if let Some(plugin) = plugin {
            let made = DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&plugin.data);
            made.map_err(|error| format!("{}: {error}", plugin.data.display()))?;
        }
        let project = self.project.as_ref().map(|it| it.dir.as_path());
        let config = self.means.config.current(project);
        let place = &self.directory;
        let mut environment = self.means.commands.runner_environment(&config, place);
        for (name, value) in &command.env {
            environment.set(name.as_str(), value.as_str());
        }
        let secret_env = command.secret_env.iter();
        let order = ProgramOrder {
            program: &command.program,
            arguments: &command.arguments,
            directory: place.clone(),
            environment,
            secret_env: secret_env
                .map(|(variable, name)| (variable.as_str(), name.as_str()))
                .collect(),
            sandbox: self.sandbox(&config, command, plugin)?,
            limits: limits(config.tools.limits, command),
            framing: ServiceFraming::LooseLines,
        };
        self.means.start(&config, place, order)
    }

    /// The user's runs with the user's rights; a project's changes its project only.
    fn sandbox(
        &self,
        config: &Config,
        command: &McpCommand,
        plugin: Option<&PluginPlace>,
    ) -> Result<Option<Sandbox>, String> {
        let usual = match self.project {
            None => HookSandbox::None,
            Some(_) => HookSandbox::Workspace,
        };
        let wanted = command.sandbox.unwrap_or(usual);
        if wanted == HookSandbox::None {
            return match &self.project {
                Some(project) if project.dir != self.directory => {
                    let reason = "it runs without a sandbox, and only where its files were trusted";
                    Err(reason.to_owned())
                }
                _ => Ok(None),
            };
        }
        let commands = &self.means.commands;
        let mut sandbox = commands.runner_sandbox(config, &self.directory, &[]);
        sandbox.network = wanted == HookSandbox::Network;
        if let Some(plugin) = plugin {
            // Both are in the home, which is hidden.
            sandbox
                .shown
                .extend([plugin.root.clone(), plugin.data.clone()]);
            sandbox.writable.push(plugin.data.clone());
        }
        Ok(Some(sandbox))
    }
}

/// Those of commands, or lower ones.
fn limits(usual: ResourceLimits, command: &McpCommand) -> ResourceLimits {
    let lower = |usual: u64, own: Option<u64>| own.map_or(usual, |own| own.min(usual));
    ResourceLimits {
        memory: lower(usual.memory, command.memory),
        processes: lower(usual.processes, command.processes),
        ..usual
    }
}
