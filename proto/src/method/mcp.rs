//! Methods about servers of the Model Context Protocol.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ProcessState, ProjectId, SessionId, SkillSource};

/// Parameters of `listMcpServers`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListMcpServersParams {
    /// Also the servers of this project.
    pub project_id: Option<ProjectId>,
}

/// Result of `listMcpServers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListMcpServersResult {
    /// The servers of the user, then those of the project.
    pub servers: Vec<McpServerInfo>,
}

/// A server of the Model Context Protocol.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpServerInfo {
    /// Its name.
    pub name: String,
    /// The way to it; absent if its entry cannot be understood.
    pub transport: Option<McpTransport>,
    /// True if it can be used.
    pub state: McpServerState,
    /// Why it cannot be used.
    pub reason: Option<String>,
    /// The place that it comes from.
    pub source: SkillSource,
    /// The file that declares it.
    pub path: String,
    /// Its command, or its address; may be empty.
    pub command: String,
    /// The state of its process; absent without one that a turn has had. Of several, for several directories, the one
    /// that needs the most attention.
    pub process: Option<ProcessState>,
    /// The version of the protocol that it speaks; absent before its first start.
    pub era: Option<String>,
    /// The number of tools that it offers; absent before its first start.
    pub tools: Option<u32>,
    /// Why it does not run; absent unless it has failed.
    pub last_error: Option<String>,
}

/// The way to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum McpTransport {
    /// The pipes of a program that the daemon starts.
    Stdio,
    /// HTTP.
    Http,
    /// One that this version does not know.
    #[serde(other)]
    Other,
}

/// Says whether a server can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum McpServerState {
    /// It can.
    Available,
    /// It is a project's, and was never trusted.
    Untrusted,
    /// It is a project's, and is another than the one that was trusted.
    Changed,
    /// It is a project's, and the user has one of this name.
    Shadowed,
    /// The user's configuration turns it off.
    Disabled,
    /// This version does not run such a server, or its entry cannot be understood.
    NotRun,
    /// One that this version does not know.
    #[serde(other)]
    Other,
}

/// Parameters of `testMcpServer`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestMcpServerParams {
    /// The project in whose directory it is started; otherwise that is the home.
    pub project_id: Option<ProjectId>,
    /// The name of a server that is configured, or is to be.
    pub name: String,
    /// The server, if it is not configured yet, and is a program.
    pub program: Option<McpProgram>,
    /// The server, if it is not configured yet, and is reached by HTTP.
    pub endpoint: Option<McpEndpoint>,
}

/// A program that is a server, as it would be configured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct McpProgram {
    /// The program, and its arguments.
    pub command: Vec<String>,
    /// Environment variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The names of secrets by the environment variables that get them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub secret_env: BTreeMap<String, String>,
}

/// A server that is reached by HTTP, as it would be configured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct McpEndpoint {
    /// Its address.
    pub url: String,
    /// Headers of each request.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The names of secrets by the headers that have them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub secret_headers: BTreeMap<String, String>,
}

/// Result of `testMcpServer`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TestMcpServerResult {
    /// Why it cannot be used; absent if it can.
    pub failure: Option<String>,
    /// The version of the protocol that it speaks.
    pub era: Option<String>,
    /// The tools that it offers.
    pub tools: Vec<McpToolInfo>,
    /// The tools that are left out, and why: a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// The end of what it has written to its error output, without secrets.
    pub stderr: String,
    /// The time that it took.
    pub duration_ms: u64,
}

/// A tool of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpToolInfo {
    /// The name that models and rules have for it.
    pub name: String,
    /// Its description, on one line.
    pub description: String,
    /// The part of a request that it takes, in tokens, by its length.
    pub tokens: u64,
}

/// Parameters of `offerMcpServers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OfferMcpServersParams {
    /// The session.
    pub session_id: SessionId,
    /// All servers that it has besides those of the configuration, in place of those that were offered before. Empty: none.
    pub servers: Vec<OfferedMcpServer>,
}

/// A server that a client offers to a session. Its values may be secrets: they are kept in memory only.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "transport", rename_all = "snake_case", deny_unknown_fields)]
pub enum OfferedMcpServer {
    /// A program that the daemon starts, as one of the user's.
    Stdio {
        /// Its name.
        name: String,
        /// The program, and its arguments.
        command: Vec<String>,
        /// Environment variables.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        env: BTreeMap<String, String>,
    },
    /// A server that is reached by HTTP.
    Http {
        /// Its name.
        name: String,
        /// Its address.
        url: String,
        /// Headers of each request.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        headers: BTreeMap<String, String>,
    },
}

/// Without values that may be secrets.
impl fmt::Debug for OfferedMcpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Stdio { name, .. } | Self::Http { name, .. } => name,
        };
        f.debug_tuple("OfferedMcpServer").field(name).finish()
    }
}

/// Result of `offerMcpServers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OfferMcpServersResult {
    /// The servers that are not used, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
}
