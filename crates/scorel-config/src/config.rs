use scorel_engine::CostLimits;
use scorel_orchestrator::OrchestratorLimits;
use scorel_permission::Mode;
use std::collections::BTreeMap;
use std::time::Duration;

use scorel_exec::ResourceLimits;
use scorel_extension::hook::HookEntry;
use scorel_fetch::PrivateHost;
use scorel_files::CheckpointLimits;
use scorel_inbound::ChannelsConfig;
use scorel_journal::Durability;
use scorel_proto::{OnRestart, ToolPreset};
use scorel_provider::Timeouts;
use scorel_rpc::RpcLimits;
use scorel_session::CompactionSettings;
use serde::Deserialize;

use super::workflow_section::WorkflowConfig;
use crate::{
    Agents, AuxiliaryConfig, ConfigPath, CustomProviders, ExtensionsConfig, LoginShellPlace,
    McpConfig, ModelSettings, RuleSet, Runners, VariableName, VariablePattern, VariableValue,
    Warning,
};

/// The effective configuration: validated, with defaults filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    pub model: ModelSettings,
    /// The `[providers.NAME]` tables.
    pub providers: CustomProviders,
    pub runners: Runners,
    /// The `[agents.TYPE]` tables.
    pub agents: Agents,
    /// `[orchestrator]`, effective.
    pub orchestrator: OrchestratorLimits,
    pub workflow: WorkflowConfig,
    pub sessions: SessionsConfig,
    pub service: ServiceConfig,
    pub runtime: RuntimeConfig,
    /// `[checkpoints]`, effective.
    pub checkpoints: CheckpointLimits,
    /// Limits per connection. Read at start; a change needs a restart.
    pub rpc: RpcLimits,
    pub tools: ToolsConfig,
    pub permissions: PermissionsConfig,
    /// `[compaction]`, effective.
    pub compaction: CompactionSettings,
    pub auxiliary: AuxiliaryConfig,
    /// `[prompt] text`: the user's own part of the system prompt.
    pub prompt: Option<String>,
    pub extensions: ExtensionsConfig,
    pub channels: ChannelsConfig,
    pub mcp: McpConfig,
    /// The `[[hooks]]` of the user's file.
    pub hooks: Vec<HookEntry>,
    /// The `[[hooks]]` of the project's file, which run when a user trusts them.
    pub project_hooks: Vec<HookEntry>,
    /// Settings of the project's file that were ignored.
    pub warnings: Vec<Warning>,
}

/// `[sessions]`, effective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionsConfig {
    /// Whether appends are synced.
    pub durability: Durability,
    /// Bytes of recent events that a loaded session keeps in memory for subscribers.
    pub ring_bytes: usize,
    /// How long an idle session without subscribers stays loaded.
    pub idle_unload: Duration,
    /// How long a deleted session can be brought back.
    pub trash_keep: Duration,
}

/// `[service]`, effective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceConfig {
    /// How long running turns may take to reach a step boundary before a restart.
    pub park: Duration,
    /// How long the daemon runs with nothing to do. `None`: for ever.
    pub idle_exit: Option<Duration>,
}

/// `[runtime]`, effective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeConfig {
    /// Model calls per turn.
    pub max_steps: u32,
    pub max_turn: Duration,
    /// Tokens per turn: input and output of all its model calls.
    pub max_turn_tokens: u64,
    /// What a turn, its session and a day may cost.
    pub cost: CostLimits,
    /// The longest wait for a rate limit.
    pub max_wait: Duration,
    /// Tool calls executed per assistant message.
    pub max_tool_calls: usize,
    /// Retries of a failed model call.
    pub retries: u32,
    pub timeouts: Timeouts,
    pub on_restart: OnRestart,
}

/// `[tools]`, effective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolsConfig {
    /// For sessions without a preset of their own.
    pub preset: ToolPreset,
    /// Writable for sandboxed commands, besides the project and the usual package caches.
    pub caches: Vec<ConfigPath>,
    /// Kept from tools and sandboxed commands, besides the places of credentials.
    pub hidden: Vec<ConfigPath>,
    /// Not kept from them, although it is or is in a place of credentials.
    pub shown: Vec<ConfigPath>,
    /// Hosts that `web_fetch` may reach although their addresses are private.
    pub fetch_private: Vec<PrivateHost>,
    /// What a command may use.
    pub limits: ResourceLimits,
    pub environment: EnvironmentConfig,
}

/// `[tools.environment]`: the environment variables of commands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct EnvironmentConfig {
    /// Where the login shell runs that the environment is taken from.
    pub login_shell: LoginShellPlace,
    /// Passed on although they look like secrets, or only the daemon has them.
    pub pass: Vec<VariablePattern>,
    /// Set last.
    pub set: BTreeMap<VariableName, VariableValue>,
    /// Not passed on.
    pub remove: Vec<VariablePattern>,
}

/// `[permissions]`, effective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionsConfig {
    /// Decides where no rule matches.
    pub mode: Mode,
    pub rules: RuleSet,
    /// How long a permission request waits for a decision; without limit if `None`.
    pub timeout: Option<Duration>,
    /// Whether a request that timed out counts as allowed.
    pub allow_at_timeout: bool,
}

impl PermissionsConfig {
    /// The rules of `builtinAsk`, as they are written.
    pub fn builtin_ask(&self) -> impl Iterator<Item = &str> {
        let rules = self.rules.builtin_ask.iter();
        rules.map(|rule| rule.rule().as_str())
    }
}
