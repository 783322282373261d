//! Agents: which there are, and how many of their tasks may run.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::present::present;
use crate::{AgentEvent, CommandId, ProjectId, ThinkingLevel, ToolPreset};

/// Parameters of `listAgents`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListAgentsParams {
    /// The project whose quotas and runtimes are told. Absent: all projects, and the agents' own quotas.
    pub project_id: Option<ProjectId>,
}

/// Result of `listAgents`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListAgentsResult {
    /// The agents of the configuration, by name.
    pub agents: Vec<AgentInfo>,
}

/// An agent: its configuration, and what it does.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentInfo {
    /// Its name in the configuration.
    pub agent_type: String,
    /// Its configuration.
    pub config: AgentConfig,
    /// The number of its runtimes that run, or wait for a person.
    pub running: u32,
    /// The number that wait until it may run one more.
    pub queued: u32,
    /// The number that may run at once.
    pub quota: EffectiveQuota,
    /// The policy of the project for it; absent without one, and if no project is asked for.
    pub policy: Option<QuotaPolicy>,
    /// The number that have ended, of sessions that are still there.
    pub finished: u32,
    /// The last event of one of them; absent if it never had any.
    pub last_event: Option<AgentEvent>,
}

/// The configuration of an agent.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentConfig {
    /// The name to show.
    pub display_name: String,
    /// Its purpose, for the model that gives it tasks.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its abilities, in a word or two each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// The runner of its turns: the name of a runner, or `scorel` for the daemon's own engine.
    pub runner: String,
    /// Its model; absent: the configured one.
    pub model: Option<String>,
    /// The thinking level of the model; absent: as configured.
    pub thinking_level: Option<ThinkingLevel>,
    /// The tools that the model is offered; absent: as configured.
    pub tools: Option<ToolPreset>,
    /// Its instructions besides its task; absent for nothing.
    pub prompt: Option<String>,
    /// The files that it works on.
    pub workspace: AgentWorkspace,
    /// The number that may run at once where no policy of a project says otherwise.
    pub default_quota: u32,
    /// True if it takes tasks.
    pub enabled: bool,
    /// The most tokens that a turn of it may use; absent: as `[runtime]` says. As with the other limits, the
    /// lower of the two counts.
    pub max_turn_tokens: Option<u64>,
    /// The longest time that a turn of it may take, in seconds; absent: as `[runtime]` says.
    pub max_turn_seconds: Option<u64>,
    /// The most that a session of it may cost, in US dollars; absent: as `[runtime]` says.
    pub max_session_cost: Option<Number>,
}

/// The files that an agent works on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentWorkspace {
    /// Those of the project, which other sessions change too.
    #[default]
    Shared,
    /// A git worktree of its own, on a branch of its own.
    Worktree,
}

/// The number of runtimes of an agent that may run at once, and the rule that sets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EffectiveQuota {
    /// The number. 0: none begins.
    pub effective: u32,
    /// The rule that sets the number.
    pub source: QuotaSource,
}

/// The rule that decides how many runtimes of an agent may run at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuotaSource {
    /// The project's policy for a workflow.
    Workflow,
    /// The project's policy.
    Project,
    /// The agent's configuration.
    Default,
    /// The project's policy runs them one after the other.
    Serial,
}

/// The number of runtimes of an agent that may run at once in a project.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuotaPolicy {
    /// The number for the whole project; absent: the agent's own.
    pub project: Option<u32>,
    /// The numbers for workflows, by their ids. Each has a queue of its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub workflow: BTreeMap<String, u32>,
    /// True if more than one may run at all.
    #[serde(default)]
    pub strategy: QuotaStrategy,
}

impl QuotaPolicy {
    /// The number of runtimes of an agent that may run at once: `workflow ?? project ?? default`, and no more
    /// than one if they are serial.
    pub fn effective(&self, default: u32, workflow_id: Option<&str>) -> EffectiveQuota {
        let workflow = workflow_id.and_then(|id| self.workflow.get(id).copied());
        let (effective, source) = match (workflow, self.project) {
            (Some(number), _) => (number, QuotaSource::Workflow),
            (None, Some(number)) => (number, QuotaSource::Project),
            (None, None) => (default, QuotaSource::Default),
        };
        match self.strategy {
            QuotaStrategy::Serial if effective > 1 => EffectiveQuota {
                effective: 1,
                source: QuotaSource::Serial,
            },
            _ => EffectiveQuota { effective, source },
        }
    }

    /// Returns whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The rule by which runtimes of an agent run at once or one after another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuotaStrategy {
    /// One after the other, whatever the numbers are.
    Serial,
    /// As many as the numbers allow.
    #[default]
    Concurrent,
}

/// Parameters of `setAgent`. An absent field is unchanged, `null` takes its key out of the file, so that what
/// applies without it applies again. An agent that is not configured is added.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetAgentParams {
    /// The agent's name in the configuration: letters, digits, `-` and `_`.
    pub agent_type: String,
    /// The name to show.
    #[serde(default, deserialize_with = "present")]
    pub display_name: Option<Option<String>>,
    /// Its purpose.
    #[serde(default, deserialize_with = "present")]
    pub description: Option<Option<String>>,
    /// Its abilities.
    #[serde(default, deserialize_with = "present")]
    pub capabilities: Option<Option<Vec<String>>>,
    /// The runner of its turns.
    #[serde(default, deserialize_with = "present")]
    pub runner: Option<Option<String>>,
    /// Its model.
    #[serde(default, deserialize_with = "present")]
    pub model: Option<Option<String>>,
    /// The thinking level of the model.
    #[serde(default, deserialize_with = "present")]
    pub thinking_level: Option<Option<ThinkingLevel>>,
    /// The tools that the model is offered.
    #[serde(default, deserialize_with = "present")]
    pub tools: Option<Option<ToolPreset>>,
    /// Its instructions besides its task.
    #[serde(default, deserialize_with = "present")]
    pub prompt: Option<Option<String>>,
    /// The files that it works on.
    #[serde(default, deserialize_with = "present")]
    pub workspace: Option<Option<AgentWorkspace>>,
    /// The number that may run at once where no policy says otherwise.
    #[serde(default, deserialize_with = "present")]
    pub default_quota: Option<Option<u32>>,
    /// True if it takes tasks.
    #[serde(default, deserialize_with = "present")]
    pub enabled: Option<Option<bool>>,
    /// The most tokens that a turn of it may use.
    #[serde(default, deserialize_with = "present")]
    pub max_turn_tokens: Option<Option<u64>>,
    /// The longest time that a turn of it may take, in seconds.
    #[serde(default, deserialize_with = "present")]
    pub max_turn_seconds: Option<Option<u64>>,
    /// The most that a session of it may cost, in US dollars.
    #[serde(default, deserialize_with = "present")]
    pub max_session_cost: Option<Option<Number>>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `setAgent`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetAgentResult {
    /// The agent after the change.
    pub agent: AgentInfo,
}

/// Parameters of `setQuota`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetQuotaParams {
    /// The project.
    pub project_id: ProjectId,
    /// The agent.
    pub agent_type: String,
    /// The whole policy; it replaces the one before. An empty one removes it.
    pub policy: QuotaPolicy,
    /// The policy that the caller knows; an empty one for none. If another is in force the call fails with
    /// `conflict`, and `details` has it. Absent: not compared.
    pub expected: Option<QuotaPolicy>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `setQuota`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetQuotaResult {
    /// The agent in that project after the change.
    pub agent: AgentInfo,
}

/// Parameters of `openOrchestrator`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenOrchestratorParams {
    /// The project.
    pub project_id: ProjectId,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}
