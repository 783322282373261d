use std::fmt;

use serde::{Deserialize, Serialize};

/// A role that a model plays in some nodes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Agent {
    pub id: String,
    pub metadata: AgentMetadata,
    pub persona: AgentPersona,
    #[serde(default)]
    pub critical_actions: Vec<String>,
    #[serde(default, rename = "systemPrompt")]
    pub system_prompt: Option<String>,
    #[serde(default)]
    pub tools: AgentPolicy,
}

/// The name of an agent for people.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AgentMetadata {
    pub name: String,
    pub title: String,
    pub icon: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AgentPersona {
    pub role: String,
    pub identity: String,
    pub communication_style: String,
    pub principles: Principles,
}

/// One text or several.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Principles {
    Text(String),
    List(Vec<String>),
}

/// The tools that an agent may use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct AgentPolicy {
    #[serde(default)]
    pub fs: FilePolicy,
    #[serde(default)]
    pub mcp: ServerPolicy,
}

/// Files of the project and of the run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FilePolicy {
    pub enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_read_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_write_bytes: Option<u64>,
}

/// Servers of the Model Context Protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServerPolicy {
    pub enabled: bool,
    pub allowed_servers: Vec<String>,
}

impl Default for FilePolicy {
    fn default() -> Self {
        Self {
            enabled: true,
            max_read_bytes: None,
            max_write_bytes: None,
        }
    }
}

impl fmt::Display for AgentPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fs.enabled {
            true => f.write_str("files")?,
            false => f.write_str("no files")?,
        }
        for (limit, what) in [
            (self.fs.max_read_bytes, "read"),
            (self.fs.max_write_bytes, "written"),
        ] {
            if let Some(limit) = limit.filter(|_| self.fs.enabled) {
                write!(f, ", {what} up to {limit} bytes")?;
            }
        }
        match (self.mcp.enabled, self.mcp.allowed_servers.as_slice()) {
            (false, _) | (true, []) => f.write_str("; no servers"),
            (true, servers) => write!(f, "; servers {}", servers.join(", ")),
        }
    }
}
