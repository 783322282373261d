use std::path::{Path, PathBuf};

use scorel_config::{Config, McpServer, McpTransport, foreign_server};
use scorel_home::trusted_file::{self, Trust};
use scorel_proto::ErrorChain;
use serde_json::{Map, Value, json};

/// Bytes of a file of another program.
const MAX_BYTES: u64 = 1024 * 1024;

/// Servers of a file of another program.
const MAX_SERVERS: usize = 100;

/// The project's own configuration.
const OWN: &str = ".scorel/config.toml";

/// Files of other programs in a project that declare servers, in the order in which they count.
const FOREIGN: [&str; 3] = [
    ".mcp.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
];

/// A server as a file of a project declares it.
#[derive(Debug, Clone)]
pub(super) struct DeclaredServer {
    pub(super) name: String,
    /// Below the project.
    pub(super) file: PathBuf,
    /// The settings, or why there are none.
    pub(super) server: Result<McpServer, String>,
    /// All that decides what runs, for the digest.
    pub(super) config: Value,
}

/// The servers that a project declares. Of two with one name the first.
#[derive(Debug, Default)]
pub(super) struct DeclaredServers(Vec<DeclaredServer>);

impl DeclaredServers {
    /// Those of the project in a directory. Reads files; blocks.
    pub(super) fn of(project: &Path, config: &Config) -> Self {
        let mut found = Self::default();
        for server in &config.mcp.project_servers {
            found.add(DeclaredServer {
                name: server.name.to_string(),
                file: PathBuf::from(OWN),
                server: Ok(server.clone()),
                config: canonical(server),
            });
        }
        for file in FOREIGN {
            match read(&project.join(file)) {
                Ok(entries) => {
                    for (name, entry) in entries {
                        found.add(DeclaredServer {
                            server: foreign_server(&name, &entry, project),
                            name,
                            file: PathBuf::from(file),
                            config: json!({ "file": file, "entry": entry }),
                        });
                    }
                }
                Err(problem) => found.add(DeclaredServer {
                    name: file.to_owned(),
                    file: PathBuf::from(file),
                    server: Err(problem),
                    config: Value::Null,
                }),
            }
        }
        found
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn add(&mut self, server: DeclaredServer) {
        if !self.0.iter().any(|it| it.name == server.name) {
            self.0.push(server);
        }
    }
}

impl IntoIterator for DeclaredServers {
    type Item = DeclaredServer;
    type IntoIter = std::vec::IntoIter<DeclaredServer>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// The entries of a file of another program.
fn read(path: &Path) -> Result<Map<String, Value>, String> {
    let read = trusted_file::read(path, MAX_BYTES, Trust::Untrusted);
    let Some((_, bytes)) = read.map_err(|error| ErrorChain(&error).to_string())? else {
        return Ok(Map::new());
    };
    let file: Value = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    match file.get("mcpServers") {
        None => Ok(Map::new()),
        Some(Value::Object(servers)) if servers.len() > MAX_SERVERS => {
            Err(format!("it has more than {MAX_SERVERS} servers"))
        }
        Some(Value::Object(servers)) => Ok(servers.clone()),
        Some(_) => Err("`mcpServers` is not an object".to_owned()),
    }
}

/// All that decides when and how a server of ours runs.
fn canonical(server: &McpServer) -> Value {
    let transport = match &server.transport {
        McpTransport::Stdio(it) => {
            let env = it
                .env
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()));
            let secret = it.secret_env.iter();
            json!({
                "command": it.program,
                "args": it.arguments,
                "env": env.collect::<Vec<_>>(),
                "secretEnv": secret.map(|(name, it)| (name.as_str(), it.as_str())).collect::<Vec<_>>(),
                "cwd": it.cwd.as_ref().map(|it| it.as_str()),
                "sandbox": it.sandbox.map(|it| it.word()),
                "memory": it.memory,
                "processes": it.processes,
            })
        }
        McpTransport::Http(it) => {
            let secret = it.secret_headers.iter();
            let mut endpoint = json!({
                "url": it.url,
                "headers": it.headers,
                "secretHeaders": secret.map(|(name, it)| (name, it.as_str())).collect::<Vec<_>>(),
                "oauth": it.login.is_some(),
            });
            // Else the entries that were trusted before there were such clients would be others.
            if let Some(client) = it.login.as_ref().and_then(|it| it.client.as_ref()) {
                endpoint["client"] =
                    json!([client.id, client.secret.as_ref().map(|it| it.as_str())]);
            }
            endpoint
        }
    };
    let patterns = |all: &[scorel_config::McpToolPattern]| {
        let words = all.iter().map(|it| it.as_str().to_owned());
        words.collect::<Vec<_>>()
    };
    json!({
        "file": OWN,
        "transport": transport,
        "share": server.share.word(),
        "allow": server.tools.allow.as_deref().map(patterns),
        "deny": patterns(&server.tools.deny),
        "timeout": server.timeout.as_secs(),
        "idle": server.idle.map(|it| it.as_secs()),
    })
}
