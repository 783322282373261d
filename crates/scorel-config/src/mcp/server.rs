use std::time::Duration;

use serde::Deserialize;

use super::{McpCommand, McpEndpoint, McpServerName, McpToolFilter};

/// One of `[[mcp.servers]]`, effective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    pub name: McpServerName,
    pub transport: McpTransport,
    pub share: McpShare,
    pub tools: McpToolFilter,
    /// True if a tool that says that it only reads is believed.
    pub trust_read_only: bool,
    /// The time of a call without progress.
    pub timeout: Duration,
    /// The time that it stays without a call; `None` is for ever.
    pub idle: Option<Duration>,
}

/// The way to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpTransport {
    Stdio(McpCommand),
    Http(McpEndpoint),
}

/// The sessions that share a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum McpShare {
    /// All that work in one directory.
    #[default]
    Cwd,
    /// Each has its own.
    Session,
}

impl McpServer {
    pub const TIMEOUT: Duration = Duration::from_secs(60);
    pub const IDLE: Duration = Duration::from_secs(1800);

    /// A server of which nothing is said but the way to it.
    pub fn new(name: McpServerName, transport: McpTransport) -> Self {
        Self {
            name,
            transport,
            share: McpShare::default(),
            tools: McpToolFilter::default(),
            trust_read_only: false,
            timeout: Self::TIMEOUT,
            idle: Some(Self::IDLE),
        }
    }

    /// Its command, or its address, for people.
    pub fn line(&self) -> String {
        match &self.transport {
            McpTransport::Stdio(command) => command.line(),
            McpTransport::Http(endpoint) => endpoint.url.clone(),
        }
    }
}

impl McpShare {
    /// The choice as it is written.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Cwd => "cwd",
            Self::Session => "session",
        }
    }
}
