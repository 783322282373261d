//! Methods about hooks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ProjectId;

/// Parameters of `listHooks`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListHooksParams {
    /// Also the hooks of this project.
    pub project_id: Option<ProjectId>,
}

/// Result of `listHooks`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListHooksResult {
    /// The hooks, in the order in which they are asked: the project's, then the user's.
    pub hooks: Vec<HookInfo>,
    /// Settings of other agents' files in the project that are not run, or change nothing: a sentence each.
    pub left_out: Vec<String>,
    /// Entries of those files that cannot be understood: a sentence each.
    pub problems: Vec<String>,
    /// Since the daemon began: runs of hooks that nothing waits for, and events for them, that were dropped because
    /// too many waited.
    #[serde(default)]
    pub dropped: u64,
}

/// Parameters of `testHook`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestHookParams {
    /// The project in whose turns it would run.
    pub project_id: ProjectId,
    /// The hook.
    pub name: String,
    /// The tool of a sample call; otherwise one that the matcher matches.
    pub tool: Option<String>,
    /// Fields that take the place of those of the sample, in the words of Claude Code, such as `tool_input`.
    pub input: Option<Map<String, Value>>,
}

/// Result of `testHook`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TestHookResult {
    /// The hook. It is run only if it is active, and its figures do not count the test.
    pub hook: HookInfo,
    /// True if the sample matches it. Otherwise nothing was run.
    pub matched: bool,
    /// The reason why it was not run.
    pub reason: Option<String>,
    /// The runs of its command: an edit with several replacements has several.
    pub runs: Vec<HookTestRun>,
    /// The consequences in a turn; none if the turn would not notice.
    pub effects: Vec<HookTestEffect>,
    /// The reason why it has no usable answer.
    pub failure: Option<String>,
    /// The time that it took.
    pub duration_ms: u64,
}

/// A run of a hook's command.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookTestRun {
    /// Its standard input.
    pub stdin: Value,
    /// Its exit code; absent if it did not exit by itself.
    pub exit_code: Option<i32>,
    /// Its output, cut after 64 KiB.
    pub stdout: String,
    /// The end of its error output.
    pub stderr: String,
}

/// A consequence of a hook's answer.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookTestEffect {
    /// The consequence.
    pub kind: HookTestEffectKind,
    /// The reason, the words for the model, or what is changed to.
    pub text: Option<String>,
}

/// The kind of a hook's effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HookTestEffectKind {
    /// The call does not run, or the prompt is not sent.
    Denied,
    /// A person is asked about the call.
    Asked,
    /// A question about the call is answered with a yes.
    Allowed,
    /// Its yes counts for nothing, since `mayAllow` is not set.
    AllowIgnored,
    /// The call runs with these arguments.
    InputChanged,
    /// The result is replaced.
    ResultChanged,
    /// The result counts as an error.
    ResultFailed,
    /// The model is told this.
    Told,
    /// The model reads messages otherwise.
    ContextChanged,
    /// The turn goes on.
    TurnGoesOn,
    /// The turn ends, as completed.
    TurnEnds,
    /// The turn ends with an error.
    TurnFails,
    /// One that this version does not know.
    #[serde(other)]
    Other,
}

/// A hook: a command that is run at an event.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookInfo {
    /// Its name, unique in its file.
    pub name: String,
    /// The owner of its file.
    pub layer: HookLayer,
    /// The file that it is from.
    pub path: String,
    /// The event at which it is run, as it is written.
    pub event: String,
    /// The words that it is run for, as they are written; absent if it is run for all.
    pub matcher: Option<String>,
    /// The rule that a call has to match as well.
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// Its command on one line.
    pub command: String,
    /// The time that it has.
    pub timeout_seconds: u64,
    /// The consequence of a failure.
    pub on_failure: HookOnFailure,
    /// Its sandbox.
    pub sandbox: HookSandbox,
    /// True if its `allow` answers questions.
    pub may_allow: bool,
    /// True if neighbours that are parallel run at the same time.
    pub parallel: bool,
    /// True if nothing waits for it.
    #[serde(rename = "async")]
    pub is_async: bool,
    /// True if it is run.
    pub state: HookState,
    /// Since the daemon began: events that it matched.
    pub matched: u64,
    /// Runs of its command.
    pub ran: u64,
    /// Calls that it denied.
    pub denied: u64,
    /// Calls and results that it changed.
    pub changed: u64,
    /// Runs without a usable answer.
    pub failed: u64,
    /// The latest reason for that.
    pub last_error: Option<String>,
    /// The time below which 19 of 20 of the latest runs took, in milliseconds.
    pub p95_ms: Option<u64>,
    /// Why it may not do what it is meant to: a sentence each.
    pub warnings: Vec<String>,
}

/// The owner of a hook's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HookLayer {
    /// A file of the project, which is run when a user trusts it.
    Project,
    /// The user's own.
    User,
    /// One that this version does not know.
    #[serde(other)]
    Other,
}

/// Says whether a hook is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HookState {
    /// It is run.
    Active,
    /// It is a project's, and was never trusted.
    Untrusted,
    /// It is a project's, and it or a file that it names is another than the one that was trusted.
    Changed,
    /// A hook of the user has this name.
    Shadowed,
    /// One that this version does not know.
    #[serde(other)]
    Other,
}

/// The consequence of a hook's failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HookOnFailure {
    /// As if the hook were not there.
    Ignore,
    /// The call is denied, the result is an error, the turn ends.
    Fail,
    /// One that this version does not know.
    #[serde(other)]
    Other,
}

/// The sandbox of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HookSandbox {
    /// Nothing does.
    None,
    /// The sandbox of commands, without network.
    Workspace,
    /// The sandbox of commands, with network.
    Network,
    /// One that this version does not know.
    #[serde(other)]
    Other,
}
