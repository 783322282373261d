//! Methods about trust in the items that a project brings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ProjectId;

/// Parameters of `getTrust`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetTrustParams {
    /// The project.
    pub project_id: ProjectId,
}

/// Result of `getTrust`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GetTrustResult {
    /// The items that the project brings, and trusted items that it no longer has, sorted by `item`.
    pub items: Vec<TrustItem>,
}

/// Something that a project brings and that is inert until a user trusts it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustItem {
    /// Its kind and name, such as `skill:review`.
    pub item: String,
    /// True if it is trusted as it is now.
    pub state: TrustState,
    /// The directory with its files, or the file of the project that declares it.
    pub path: String,
    /// The SHA-256 over its name, its configuration and its files as they are now, for `setTrust`; absent if it has a
    /// `problem`.
    pub digest: Option<String>,
    /// Its files as they are now; of a changed item, those that differ from the trusted ones. At most
    /// 200.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<TrustFile>,
    /// The number of further files.
    #[serde(default)]
    pub more_files: u64,
    /// Of a changed item: true if what the project's configuration says of it is another.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub config_changed: bool,
    /// Its programs. What these programs and files load or start in turn is not covered by the
    /// digest.
    #[serde(flatten)]
    pub content: ItemContent,
    /// Why it cannot be trusted.
    pub problem: Option<String>,
}

/// The programs of an item that would run once it is trusted, and the things that it names and that do not run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemContent {
    /// The programs that would run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<ItemProgram>,
    /// The names of tools that the model would be offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The names of commands that people could use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// The names of skills that the model could load.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// Things that it names and that this version does not run, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<String>,
}

/// A program that an item would run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemProgram {
    /// The command, as the project writes it.
    pub command: String,
    /// When it would run, such as `PreToolUse Bash`; empty for a program that is started when it is needed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
    /// The directory in which it would be started, as the project writes it; absent for the session's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The names of environment variables that it would be given besides those of commands; for a server that is reached
    /// by HTTP, of headers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
    /// True if it would run outside of the sandbox.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsandboxed: bool,
    /// True if it could use the network.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub network: bool,
}

/// The trust in an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustState {
    /// It was never trusted. It is inert.
    Untrusted,
    /// It is trusted.
    Trusted,
    /// It was trusted and is another by now. It is inert.
    Changed,
    /// The user has one of this name. The project's is inert, whatever was trusted.
    Shadowed,
}

/// A file of an item.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrustFile {
    /// The path below the item's directory.
    pub path: String,
    /// Of a changed item: what happened to the file since it was trusted.
    pub change: Option<TrustedFileChange>,
}

/// The change of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustedFileChange {
    /// It is new.
    Added,
    /// Its content or mode is another.
    Modified,
    /// It is gone.
    Removed,
}

/// Parameters of `setTrust`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetTrustParams {
    /// The project.
    pub project_id: ProjectId,
    /// The items: all of them, or none if one fails.
    pub items: Vec<TrustedItem>,
    /// `true` to trust them, `false` to take that back.
    pub trusted: bool,
}

/// An item, as a user has seen it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrustedItem {
    /// Its kind and name.
    pub item: String,
    /// Its `digest` from `getTrust`: if it is another by now, the call fails with `conflict`. Not needed
    /// to take trust back.
    pub digest: Option<String>,
}

/// Result of `setTrust`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetTrustResult {
    /// The project's items after the change.
    pub items: Vec<TrustItem>,
}
