//! Methods about extensions and plugins.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ProcessState, ProjectId, SkillSource, SkillState};

/// Parameters of `listExtensions`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListExtensionsParams {
    /// Also the extensions of this project.
    pub project_id: Option<ProjectId>,
}

/// Result of `listExtensions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListExtensionsResult {
    /// The extensions of the user, then those of the project.
    pub extensions: Vec<ExtensionInfo>,
    /// Settings for extensions that are not here, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// An extension or plugin that was found.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionInfo {
    /// The id, which is the name of its directory.
    pub id: String,
    /// The kind.
    pub kind: ExtensionKind,
    /// True if it can be used.
    pub state: SkillState,
    /// The state of its process; absent without one that a turn has had.
    pub process: Option<ProcessState>,
    /// The place that it comes from.
    pub source: SkillSource,
    /// Its directory.
    pub path: String,
    /// The version, as it says.
    pub version: Option<String>,
    /// Its purpose, on one line; may be empty.
    pub description: String,
    /// The names of its tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The names of its commands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// The names of its skills.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// Its hooks: event, matcher and command of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<String>,
    /// Parts of it that do not run here, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<String>,
    /// The mistakes in its files. Such a part is left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// The kind of an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExtensionKind {
    /// A plugin of Claude Code.
    Claude,
    /// A plugin of Codex.
    Codex,
    /// A plugin of agent-plugins.org.
    AgentPlugins,
    /// A program with an `extension.toml`.
    Program,
    /// None of those.
    Unknown,
}
