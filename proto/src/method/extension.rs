//! Methods about extensions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ProcessState, ProjectId};

/// Parameters of `listExtensions`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListExtensionsParams {
    /// Also the extensions of this project.
    pub project_id: Option<ProjectId>,
    /// True to get the end of what their programs have written to their error output.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub logs: bool,
}

/// Result of `listExtensions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListExtensionsResult {
    /// The extensions that have a program: the user's, then the project's, by id.
    pub extensions: Vec<ExtensionInfo>,
}

/// An extension that has a program.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionInfo {
    /// The id, which is the name of its directory.
    pub id: String,
    /// The project that it is of; absent for one of the user.
    pub project_id: Option<ProjectId>,
    /// Its directory.
    pub path: String,
    /// The version; empty if its manifest cannot be read.
    pub version: String,
    /// The program with its arguments.
    pub command: Vec<String>,
    /// The tools that it offers, by the names that models call them by.
    pub tools: Vec<String>,
    /// The hooks that it answers.
    pub hooks: Vec<String>,
    /// The state of its process.
    pub state: ProcessState,
    /// Why it does not run; absent unless it has failed or is inert.
    pub reason: Option<String>,
    /// All that is wrong in its manifest, with places. What was read before stays in use.
    pub problems: Vec<String>,
    /// The end of what its program has written to its error output. Present if `logs` was given and it has.
    pub log: Option<String>,
}
