//! Runners: which there are, whether they work, and what they keep of a session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CommandId, ProjectId, RunnerCapabilities, RunnerErrorKind, Seq, SessionId};

/// Parameters of `listRunners`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListRunnersParams {
    /// The project for whose permission mode `problem` is reported. Absent: the user's own settings.
    pub project_id: Option<ProjectId>,
}

/// Result of `listRunners`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListRunnersResult {
    /// The runners: the daemon's own engine, then the others by name.
    pub runners: Vec<RunnerInfo>,
}

/// A configured runner.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunnerInfo {
    /// Its name in the configuration, which `createSession` takes.
    pub name: String,
    /// The name to show.
    pub label: String,
    /// Its protocol.
    #[serde(rename = "type")]
    pub runner_type: RunnerType,
    /// Its abilities beyond running a prompt.
    pub capabilities: RunnerCapabilities,
    /// The part of its work that hooks see.
    #[serde(default)]
    pub hooks: HookReach,
    /// True if its program was found. Absent if it was not looked for, and for the own engine.
    pub installed: Option<bool>,
    /// The version that its program tells; absent if it was not asked or tells none.
    pub version: Option<String>,
    /// Why it cannot be used; absent if nothing is known to be wrong.
    pub problem: Option<RunnerProblem>,
    /// The command that logs it in, for a terminal; absent if it needs none or none is known.
    pub login_command: Option<String>,
}

/// The part of a runner's work that hooks see, besides its prompts. Ends of its turns and compactions are not a part of it: a
/// runner has a context of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HookReach {
    /// Calls that it asks about are shown to them before, all others afterwards. The daemon's own engine
    /// shows them every call before.
    Before,
    /// It does not ask: they see only what it has done.
    After,
    /// A reach that this version does not know.
    #[default]
    #[serde(other)]
    Other,
}

/// The protocol of a runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RunnerType {
    /// It is the daemon's own engine.
    Scorel,
    /// The protocol of `codex app-server`.
    Codex,
    /// The stream of Claude Code.
    ClaudeCode,
    /// The Agent Client Protocol.
    Acp,
    /// A program that reads the prompt and writes the answer.
    Command,
    /// A type that this version does not know.
    #[serde(other)]
    Other,
}

/// Why a runner cannot be used. The `details` of `runner_error` have the same kind and hint.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunnerProblem {
    /// The kind of the problem: the code that the error of a turn would have.
    pub kind: RunnerErrorKind,
    /// A description for people.
    pub message: String,
    /// A remedy, for people; absent if nothing is known to.
    pub hint: Option<String>,
}

/// Parameters of `checkRunner`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckRunnerParams {
    /// The runner's name in the configuration.
    pub runner: String,
}

/// Result of `checkRunner`: the runner can be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckRunnerResult {
    /// The runner.
    pub runner: RunnerInfo,
    /// The time that it took to start it and to make a context, in milliseconds.
    pub duration_ms: u64,
}

/// Parameters of `forgetContext`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForgetContextParams {
    /// The session.
    pub session_id: SessionId,
    /// The runner whose context is given up.
    pub runner: String,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `forgetContext`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForgetContextResult {
    /// The `seq` of the `runner_context` event; absent if the runner had no context.
    pub seq: Option<Seq>,
}
