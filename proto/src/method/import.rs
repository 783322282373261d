use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CommandId, ProjectId, Session, SessionId};

/// Parameters of `importSession`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportSessionParams {
    /// The project that the session will belong to, for life.
    pub project_id: ProjectId,
    /// The absolute path of a file that the daemon reads: a bundle of `scorelctl export`, a transcript of
    /// Claude Code, or a rollout of Codex.
    pub path: String,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `importSession`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportSessionResult {
    /// The session's id.
    pub session_id: SessionId,
    /// The session as it is now.
    pub session: Session,
    /// The report of the import. For a file that was imported before, the report of that import.
    pub report: ImportReport,
}

/// The content that an import took over. Each line of the file counts once: `lines` is the sum of `imported`,
/// `sidechains`, `branches`, `skipped` and `unknown`, and of one more if `torn`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    /// The lines of the file; of a bundle, the records of its log.
    pub lines: u64,
    /// Lines of the conversation.
    pub imported: u64,
    /// Lines of agents that the conversation has called. They are left out.
    pub sidechains: u64,
    /// Lines of other branches of the conversation. They are left out.
    pub branches: u64,
    /// The number of lines of the conversation whose line before is missing. The conversation goes on there with the
    /// line before in the file.
    #[serde(default)]
    pub gaps: u64,
    /// Lines of known types that are not part of the conversation.
    pub skipped: u64,
    /// Lines of types that this version does not know, and lines that are no JSON objects.
    pub unknown: u64,
    /// The names of those types, at most 20; `?` for a line without one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_types: Vec<String>,
    /// True if the last line was half written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub torn: bool,
    /// The messages of the session that came of it.
    pub messages: u64,
    /// The images in them.
    pub images: u64,
    /// Images that were not taken over: damaged ones, others that no model reads, and those at an address. A note
    /// stands in the place of each.
    #[serde(default)]
    pub dropped_images: u64,
}
