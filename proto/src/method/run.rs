//! Methods of workflows and their runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    AgentWorkspace, CommandId, ProjectId, RunId, RunMode, RunPackage, RunPhase, RunReason, Seq,
    SessionId, SessionWorktree, SkillSource, TrustState,
};

/// Parameters of `listWorkflows`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListWorkflowsParams {
    /// A project, whose packages are listed behind those of the user.
    pub project_id: Option<ProjectId>,
}

/// Result of `listWorkflows`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListWorkflowsResult {
    /// The packages.
    pub workflows: Vec<WorkflowInfo>,
}

/// A package of workflows.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowInfo {
    /// Its id: the name of its directory.
    pub id: String,
    /// Where it is from.
    pub source: SkillSource,
    /// Its directory, absolute.
    pub path: String,
    /// Its name, as its author wrote it; absent if it cannot be read.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Its description, in one line.
    pub description: Option<String>,
    /// The ids of its workflows; a run names one as `ID/WORKFLOW`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workflows: Vec<String>,
    /// Of a project's: whether it is trusted.
    pub trust: Option<TrustState>,
    /// The number of things that are wrong in it: see `checkWorkflow`.
    #[serde(default)]
    pub problems: u64,
    /// Why its files cannot be read.
    pub problem: Option<String>,
}

/// Parameters of `checkWorkflow`. One of `path` and `workflow` must be present.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckWorkflowParams {
    /// The directory of a package, absolute.
    pub path: Option<String>,
    /// A workflow: the id of a package, or `ID/WORKFLOW`.
    pub workflow: Option<String>,
    /// The project that may have it.
    pub project_id: Option<ProjectId>,
}

/// Result of `checkWorkflow`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckWorkflowResult {
    /// All that is wrong. A package with problems does not run.
    pub problems: Vec<WorkflowProblem>,
    /// Findings that look wrong, and hinder no run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WorkflowProblem>,
    /// The plan of a run; absent if there are problems.
    pub plan: Option<Value>,
    /// The plan in lines, for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan_text: Vec<String>,
    /// The plan's digest, for `startRun`.
    pub digest: Option<String>,
}

/// Something that is wrong in a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowProblem {
    /// The file.
    pub file: String,
    /// The place in it, as a JSON pointer.
    pub pointer: String,
    /// The kind, such as `missing_file`.
    pub code: String,
    /// A description for people.
    pub message: String,
}

/// Parameters of `startRun`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartRunParams {
    /// The project that it works in.
    pub project_id: ProjectId,
    /// The workflow: the id of a package, or `ID/WORKFLOW`.
    pub workflow: String,
    /// The digest of the plan that was shown; see `checkWorkflow`.
    pub confirm: String,
    /// The agent of nodes that name none; absent: the first of the package.
    pub agent_id: Option<String>,
    /// True if it goes on by itself; absent: as the package says.
    pub autopilot: Option<bool>,
    /// Variables that are set in its document.
    pub variables: Option<Map<String, Value>>,
    /// A first message of the person.
    pub input: Option<String>,
    /// The model of its session; absent: the configured one.
    pub model: Option<String>,
    /// The files that it works on: absent or `shared`, those of the project; `worktree`, a git worktree of its own,
    /// which stays when the run is deleted. Fails with `filesystem_error` if there can be none.
    pub workspace: Option<AgentWorkspace>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `startRun` and `resumeRun`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StartRunResult {
    /// The run.
    pub run_id: RunId,
    /// Its session.
    pub session_id: SessionId,
    /// The number of the event that begins its turn, or that queues it.
    pub seq: Seq,
}

/// Parameters of `resumeRun`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResumeRunParams {
    /// The run.
    pub run_id: RunId,
    /// `true`: a new session takes it over.
    pub new_session: Option<bool>,
    /// Variables that are set in its document first.
    pub variables: Option<Map<String, Value>>,
    /// A message of the person.
    pub input: Option<String>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Parameters of `getRun`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetRunParams {
    /// The run.
    pub run_id: RunId,
}

/// Result of `getRun`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetRunResult {
    /// The run.
    pub run: RunInfo,
    /// The sessions that have had it, in their order; some may be gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<SessionId>,
    /// The nodes of its graph, in the order of the package; none if the package cannot be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<RunNode>,
    /// The completed nodes, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps_completed: Vec<String>,
    /// Its variables.
    #[serde(default)]
    pub variables: Map<String, Value>,
    /// The files that it has made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
    /// Its document, absolute.
    pub document: String,
}

/// A run of a workflow.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunInfo {
    /// Its id.
    pub run_id: RunId,
    /// Its project.
    pub project_id: ProjectId,
    /// The session that has it; absent if that is gone.
    pub session_id: Option<SessionId>,
    /// The workflow: the id of a package, or `ID/WORKFLOW`.
    pub workflow: String,
    /// The package that it is bound to.
    pub package: RunPackage,
    /// Its phase.
    pub phase: RunPhase,
    /// Why it is in that phase.
    pub reason: RunReason,
    /// The current node; empty before the first one.
    pub node_id: String,
    /// The agent of the current node; absent if that is unknown.
    pub agent_id: Option<String>,
    /// True if it goes on by itself.
    pub autopilot: bool,
    /// The purpose of messages to its session.
    pub mode: RunMode,
    /// The git worktree that it works in; absent if it works in the project's directory.
    pub worktree: Option<SessionWorktree>,
    /// True if the package that is installed now is another than that of the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub package_changed: bool,
    /// Why it cannot go on as it is.
    pub problem: Option<RunProblem>,
    /// When it was started, in milliseconds since 1970.
    pub created_at: u64,
}

/// The reason why a run cannot go on.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunProblem {
    /// `state_invalid` or `package_missing`.
    pub code: String,
    /// A description for people.
    pub message: String,
    /// The line in the document.
    pub line: Option<u64>,
    /// The column in that line.
    pub column: Option<u64>,
    /// The value in the document's head, as a JSON pointer.
    pub pointer: Option<String>,
}

/// A node of a run's graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunNode {
    /// Its id.
    pub id: String,
    /// Its type, such as `step`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its title; may be empty.
    pub title: String,
    /// The number of times that it was completed.
    pub visits: u64,
    /// True if the run is at it.
    pub current: bool,
    /// True if it waits for a person.
    pub waits: bool,
    /// The ways out of it.
    pub next: Vec<RunWay>,
}

/// A way from one node to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunWay {
    /// The node that it leads to.
    pub to: String,
    /// Its label.
    pub label: String,
}

/// Parameters of `listRuns`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListRunsParams {
    /// Only runs of this project.
    pub project_id: Option<ProjectId>,
    /// The maximum number of runs, 1 to 1,000; absent: 100.
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
}

/// Result of `listRuns`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListRunsResult {
    /// The runs, the last started first.
    pub runs: Vec<RunInfo>,
    /// Directories that look like runs and cannot be read, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<UnreadableRun>,
}

/// A run that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnreadableRun {
    /// Its id.
    pub run_id: RunId,
    /// Why it cannot be read.
    pub problem: String,
}

/// Parameters of `updateRun`. At least one of the changes must be present.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpdateRunParams {
    /// The run.
    pub run_id: RunId,
    /// True if it is to go on by itself.
    pub autopilot: Option<bool>,
    /// The purpose of further messages to its session.
    pub mode: Option<RunMode>,
    /// The node that it goes to, whatever the graph says.
    pub goto: Option<String>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Parameters of `rebindRun`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RebindRunParams {
    /// The run.
    pub run_id: RunId,
    /// The digest of the package as it is installed now, if another is to be refused; absent: any.
    pub digest: Option<String>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Parameters of `repairRun`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RepairRunParams {
    /// The run.
    pub run_id: RunId,
    /// The state that its document is brought back to.
    pub restore: RunRestore,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// A state of a document that can be brought back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RunRestore {
    /// The last one that the daemon wrote or accepted.
    LastGood,
}

/// Parameters of `deleteRun`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeleteRunParams {
    /// The run.
    pub run_id: RunId,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `updateRun`, `rebindRun` and `repairRun`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunResult {
    /// The run as it is now.
    pub run: RunInfo,
}

/// Result of `deleteRun`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteRunResult {
    /// The run that is gone.
    pub run_id: RunId,
}
