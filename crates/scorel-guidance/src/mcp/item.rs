use std::path::Path;

use scorel_config::{Config, McpServer, McpTransport};
use scorel_extension::hook::HookSandbox;
use scorel_home::SecretName;
use scorel_proto::{ItemContent, ItemProgram};

use super::declared::DeclaredServer;
use super::found::FoundMcpServer;
use crate::trust::{NamedFiles, ProjectItem};

/// Why none by HTTP is used: trust given now would let a later version run what was never shown as running.
const NOT_RUN: &str = "this version runs no MCP servers by `http`";

/// Why a server is not run, whatever was trusted.
pub(super) const fn obstacle(server: &McpServer) -> Option<&'static str> {
    match server.transport {
        McpTransport::Stdio(_) => None,
        McpTransport::Http(_) => Some(NOT_RUN),
    }
}

/// A server of a project as an item. The user's of this name stays.
pub(super) fn item(project: &Path, declared: &DeclaredServer, config: &Config) -> ProjectItem {
    let server = declared.server.as_ref();
    let mut of_user = config.mcp.servers.iter();
    let named = NamedFiles::of_words(
        project,
        project.join(&declared.file),
        server.ok().into_iter().flat_map(words),
    );
    let problem = match server {
        Ok(server) => obstacle(server).map(str::to_owned),
        Err(problem) => Some(problem.clone()),
    };
    ProjectItem {
        content: ItemContent {
            programs: server.ok().map(program).into_iter().collect(),
            not_run: problem.iter().cloned().collect(),
            ..ItemContent::default()
        },
        is_shadowed: of_user.any(|it| it.name.as_str() == declared.name),
        problem,
        ..ProjectItem::command(
            FoundMcpServer::process_of(&declared.name),
            declared.config.clone(),
            named,
        )
    }
}

fn words(server: &McpServer) -> Vec<String> {
    match &server.transport {
        McpTransport::Stdio(command) => {
            let words = std::iter::once(&command.program).chain(&command.arguments);
            words.cloned().collect()
        }
        McpTransport::Http(_) => Vec::new(),
    }
}

fn program(server: &McpServer) -> ItemProgram {
    // A user has to see which secret of theirs the project gets.
    let secret = |name: &str, secret: &SecretName| match secret.as_str() {
        same if same == name => name.to_owned(),
        other => format!("{name} (secret {other})"),
    };
    let (environment, sandbox) = match &server.transport {
        McpTransport::Stdio(it) => {
            let secrets = it.secret_env.iter();
            let secrets = secrets.map(|(name, it)| secret(name.as_str(), it));
            let plain = it.env.keys().map(|name| name.as_str().to_owned());
            (plain.chain(secrets).collect(), it.sandbox)
        }
        McpTransport::Http(it) => {
            let secrets = it.secret_headers.iter();
            let secrets = secrets.map(|(name, it)| secret(name, it));
            let names = it.headers.keys().cloned().chain(secrets).collect();
            (names, Some(HookSandbox::Network))
        }
    };
    ItemProgram {
        command: server.line(),
        events: Vec::new(),
        environment,
        unsandboxed: sandbox == Some(HookSandbox::None),
        network: matches!(sandbox, Some(HookSandbox::None | HookSandbox::Network)),
    }
}
