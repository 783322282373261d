//! Methods about skills.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ProjectId;

/// Parameters of `listSkills`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListSkillsParams {
    /// Also the skills of this project.
    pub project_id: Option<ProjectId>,
}

/// Result of `listSkills`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListSkillsResult {
    /// The skills, in the order in which names are looked up.
    pub skills: Vec<SkillInfo>,
}

/// A skill that was found.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillInfo {
    /// The name. That of a plugin's skill is `<plugin>:<skill>`.
    pub name: String,
    /// Its purpose; empty if it could not be read.
    pub description: String,
    /// True if it can be used.
    pub state: SkillState,
    /// True if the model may load it on its own.
    pub for_model: bool,
    /// The place that it comes from.
    pub source: SkillSource,
    /// The directory with its files.
    pub path: String,
    /// Why the skill cannot be read; absent if it can be.
    pub problem: Option<String>,
    /// Oddities of its file, although it can be used; absent if there are none.
    #[serde(default)]
    pub warning: Option<String>,
}

/// The usability of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillState {
    /// It can be used.
    Available,
    /// It is a project's, and was never trusted.
    Untrusted,
    /// It is a project's, and is another than the one that was trusted.
    Changed,
    /// Another skill of that name comes first.
    Shadowed,
    /// The user's configuration turns off the extension that it is of.
    Disabled,
    /// It cannot be read.
    Invalid,
}

/// The place that a skill comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillSource {
    /// The user.
    User,
    /// The project.
    Project,
}
