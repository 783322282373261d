//! The MCP servers of an editor, which the daemon runs for its session.

use agent_client_protocol_schema::v1::McpServer;
use scorel_client::Connect;
use scorel_proto::{OfferMcpServers, OfferMcpServersParams, OfferedMcpServer, SessionId};

use crate::daemon::Daemon;
use crate::failure::Failure;

/// The servers as the daemon takes them, and a sentence about each that it cannot be given.
#[derive(Debug, Default)]
pub(crate) struct EditorServers {
    servers: Vec<OfferedMcpServer>,
    refused: Vec<String>,
}

impl EditorServers {
    pub(crate) fn of(servers: Vec<McpServer>) -> Self {
        let mut known = Self::default();
        for server in servers {
            match server {
                McpServer::Stdio(it) => {
                    let arguments = it.args.into_iter();
                    let program = it.command.display().to_string();
                    known.servers.push(OfferedMcpServer::Stdio {
                        name: usable(&it.name),
                        command: std::iter::once(program).chain(arguments).collect(),
                        env: it.env.into_iter().map(|it| (it.name, it.value)).collect(),
                    });
                }
                McpServer::Http(it) => known.servers.push(OfferedMcpServer::Http {
                    name: usable(&it.name),
                    url: it.url,
                    headers: it
                        .headers
                        .into_iter()
                        .map(|it| (it.name, it.value))
                        .collect(),
                }),
                McpServer::Sse(it) => {
                    let reason = "MCP has given the transport `sse` up";
                    known.refused.push(format!("{}: {reason}", it.name));
                }
                _ => known
                    .refused
                    .push("one of a kind that is not known".to_owned()),
            }
        }
        known
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.servers.is_empty()
    }

    /// Returns whether there is nothing to tell of either.
    pub(crate) const fn has_none(&self) -> bool {
        self.servers.is_empty() && self.refused.is_empty()
    }

    /// Gives the session its servers, in place of those that it had. Returns those that are not used, a sentence each.
    ///
    /// # Errors
    /// The daemon cannot be reached, or has no such session.
    pub(crate) async fn offer<C: Connect + Clone>(
        &self,
        daemon: &Daemon<C>,
        session_id: SessionId,
    ) -> Result<Vec<String>, Failure> {
        let params = OfferMcpServersParams {
            session_id,
            servers: self.servers.clone(),
        };
        let answer = daemon.call::<OfferMcpServers>(&params).await?;
        Ok(self.refused.iter().cloned().chain(answer.refused).collect())
    }
}

/// The name with characters that names of tools have.
fn usable(name: &str) -> String {
    let usual = |char: char| char.is_ascii_alphanumeric() || "-_.".contains(char);
    name.chars()
        .map(|it| if usual(it) { it } else { '_' })
        .collect()
}
