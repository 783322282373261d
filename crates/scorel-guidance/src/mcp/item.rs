use std::path::Path;

use scorel_config::{Config, McpServer, McpTransport};
use scorel_extension::hook::HookSandbox;
use scorel_home::SecretName;
use scorel_proto::{ItemContent, ItemProgram};

use super::declared::DeclaredServer;
use super::found::FoundMcpServer;
use crate::trust::{NamedFiles, ProjectItem};

/// A server of a project as an item. The user's of this name stays.
pub(super) fn item(project: &Path, declared: &DeclaredServer, config: &Config) -> ProjectItem {
    let server = declared.server.as_ref();
    let mut of_user = config.mcp.servers.iter();
    let problem = server.err().cloned();
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
            named_files(project, declared),
        )
    }
}

/// The files of the project that its command names.
pub(super) fn named_files(project: &Path, declared: &DeclaredServer) -> NamedFiles {
    let words = declared.server.iter().flat_map(words);
    NamedFiles::of_words(project, project.join(&declared.file), words)
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
            let client = it
                .login
                .as_ref()
                .and_then(|it| it.client.as_ref()?.secret.as_ref());
            let client = client.map(|it| secret("the login", it));
            let names = it.headers.keys().cloned().chain(secrets).chain(client);
            (names.collect(), Some(HookSandbox::Network))
        }
    };
    let cwd = match &server.transport {
        McpTransport::Stdio(it) => it.cwd.as_ref(),
        McpTransport::Http(_) => None,
    };
    ItemProgram {
        command: server.line(),
        directory: cwd.map(|it| it.as_str().to_owned()),
        events: Vec::new(),
        environment,
        unsandboxed: sandbox == Some(HookSandbox::None),
        network: matches!(sandbox, Some(HookSandbox::None | HookSandbox::Network)),
    }
}
