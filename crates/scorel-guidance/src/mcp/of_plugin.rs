//! Servers of plugins, which may be used as the plugin may.

use std::path::Path;
use std::sync::Arc;

use scorel_config::{McpServer, McpTransport, VariableName, VariableValue, foreign_server};
use scorel_proto::ErrorChain;
use serde_json::Value;

use super::found::{FoundMcpServer, McpServerState};
use crate::extensions::UsedPlugin;

/// The servers of a plugin that may be used, for a directory.
pub(super) fn of_plugin(
    used: &UsedPlugin,
    directory: &Path,
    is_disabled: impl Fn(&McpServer) -> bool,
) -> Vec<FoundMcpServer> {
    let servers = used.plugin.servers.iter();
    let found = servers.map(|(name, entry)| {
        let name = format!("plugin_{}_{name}", used.plugin.id);
        let server = server(used, &name, entry, directory);
        FoundMcpServer {
            line: server.as_ref().map(McpServer::line).unwrap_or_default(),
            transport: server.as_ref().ok().map(|it| it.transport.clone()),
            file: used.place.root.clone(),
            files: Vec::new(),
            is_project: used.is_project,
            place: Some(used.place.clone()),
            state: match server {
                Err(reason) => McpServerState::NotRun(reason),
                Ok(server) if is_disabled(&server) => McpServerState::Disabled,
                Ok(server) => McpServerState::Usable(Arc::new(server)),
            },
            name,
        }
    });
    found.collect()
}

/// The settings of a server, with the variables of its plugin. The error is a sentence without its full stop.
fn server(
    used: &UsedPlugin,
    name: &str,
    entry: &Value,
    directory: &Path,
) -> Result<McpServer, String> {
    let mut server = foreign_server(name, &used.place.expand_all(entry), directory)?;
    if let McpTransport::Stdio(command) = &mut server.transport {
        for (name, value) in used.place.environment() {
            let name = VariableName::try_from(name).map_err(|error| error.to_string())?;
            let value = VariableValue::try_from(value);
            let value = value.map_err(|error| ErrorChain(&error).to_string())?;
            command.env.entry(name).or_insert(value);
        }
    }
    Ok(server)
}
