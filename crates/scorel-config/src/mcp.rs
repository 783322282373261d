//! `[mcp]`: servers of the Model Context Protocol, of the user and of a project.

mod client_document;
mod command;
mod endpoint;
mod foreign;
mod foreign_file;
mod given;
mod login;
mod name;
mod section;
mod server;
mod tool_filter;

pub use client_document::ClientDocument;
pub use command::McpCommand;
pub use endpoint::McpEndpoint;
pub use foreign::foreign_server;
pub use foreign_file::{ForeignServer, ServerFile};
pub use login::{McpLogin, RegisteredClient};
pub use name::McpServerName;
pub(crate) use section::{McpSection, mcp_servers};
pub use server::{McpServer, McpShare, McpTransport};
pub use tool_filter::{McpToolFilter, McpToolPattern};

/// `[mcp]`, effective.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpConfig {
    /// Servers that do nothing, the user's and those of projects.
    pub disabled: Vec<McpServerName>,
    /// The address of a document about this program, for logins.
    pub client_document: Option<ClientDocument>,
    /// The `[[mcp.servers]]` of the user's file.
    pub servers: Vec<McpServer>,
    /// The `[[mcp.servers]]` of the project's file, which run when a user trusts them.
    pub project_servers: Vec<McpServer>,
}
