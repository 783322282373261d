//! The sections of a configuration file, as serde types. An unknown key is an error in every file.

use std::collections::BTreeMap;

use scorel_extension::hook::HookSection;
use scorel_fetch::PrivateHost;
use scorel_home::SecretName;
use scorel_journal::Durability;
use scorel_permission::Mode;
use scorel_proto::{AgentWorkspace, OnRestart, ThinkingLevel, ToolPreset};
use scorel_provider::ThinkingLevels;
use scorel_runner::CommandOutput;
use serde::Deserialize;
use toml::Spanned;

use super::auxiliary::AuxiliaryConfig;
use super::bounded::Bounded;
use super::channels_section::ChannelsSection;
use super::config::EnvironmentConfig;
use super::dollars::Dollars;
use super::extension_section::ExtensionsConfig;
use super::mcp::McpSection;
use super::model_name::model_name;
use super::path::ConfigPath;
use super::runner::{OnContextLost, RunnerSandbox};
use super::table_check::Tables;
use super::variable::{VariableName, VariableValue};
use super::workflow_section::WorkflowSection;
use crate::{BuiltinRule, GateRule};

const MIB: u64 = 1024 * 1024;
const GIB: u64 = 1024 * MIB;
const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;
const MILLION: u64 = 1_000_000;

/// A whole file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Document {
    pub model: Option<Spanned<ModelSection>>,
    pub providers: Tables<ProviderSection>,
    pub runners: Tables<RunnerSection>,
    pub agents: Tables<AgentSection>,
    pub orchestrator: OrchestratorSection,
    pub workflow: WorkflowSection,
    pub sessions: SessionsSection,
    pub service: ServiceSection,
    pub runtime: AgentTaskSection,
    pub checkpoints: CheckpointsSection,
    pub rpc: RpcSection,
    pub tools: ToolsSection,
    pub permissions: PermissionsSection,
    pub compaction: CompactionSection,
    pub auxiliary: AuxiliaryConfig,
    pub prompt: PromptSection,
    pub attach: AttachSection,
    pub extensions: ExtensionsConfig,
    pub channels: ChannelsSection,
    pub mcp: McpSection,
    pub hooks: Vec<Spanned<HookSection>>,
}

/// `[attach]`: read by the terminal client itself, in its own home. Checked here, so that a typo is found where all
/// others are.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct AttachSection {
    pub while_running: Option<SendAs>,
    pub plain: Option<bool>,
}

/// The kind of message that Enter sends while a turn runs.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum SendAs {
    FollowUp,
    Steer,
}

/// `[model]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct ModelSection {
    pub(super) r#type: ModelType,
    pub provider: Option<String>,
    #[serde(deserialize_with = "model_name")]
    pub id: Option<String>,
    pub(super) api: Option<EndpointApi>,
    pub base_url: Option<String>,
    pub(super) api_key_env: Option<SecretName>,
    pub context_window: Option<Bounded<1024, { 100 * MILLION }>>,
    pub max_tokens: Option<Bounded<1, { 100 * MILLION }>>,
    pub reasoning: Option<bool>,
    pub thinking_levels: Option<ThinkingLevels>,
    pub images: Option<bool>,
    pub(super) stop_sequences: Vec<String>,
    pub price: Option<PriceSection>,
    pub(super) dialect: Option<String>,
    pub(super) key_header: Option<String>,
    pub(super) headers: BTreeMap<String, String>,
    pub thinking_level: Option<ThinkingLevel>,
}

/// `[providers.NAME]`: an endpoint beside the configured one. What it says of models applies to all
/// of them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct ProviderSection {
    pub(super) api: Option<EndpointApi>,
    pub base_url: Option<String>,
    pub(super) api_key_env: Option<SecretName>,
    pub(super) key_header: Option<String>,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) dialect: Option<String>,
    pub context_window: Option<Bounded<1024, { 100 * MILLION }>>,
    pub max_tokens: Option<Bounded<1, { 100 * MILLION }>>,
    pub reasoning: Option<bool>,
    pub images: Option<bool>,
    pub price: Option<PriceSection>,
}

/// `[runners.NAME]`: a foreign agent.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct RunnerSection {
    pub(super) r#type: Option<RunnerType>,
    pub label: Option<String>,
    pub command: Vec<String>,
    pub base_url: Option<String>,
    pub token_env: Option<SecretName>,
    #[serde(deserialize_with = "model_name")]
    pub model: Option<String>,
    pub env: BTreeMap<VariableName, VariableValue>,
    pub secret_env: BTreeMap<VariableName, SecretName>,
    pub min_version: Option<String>,
    pub sandbox: RunnerSandbox,
    pub state_dirs: Vec<ConfigPath>,
    pub(super) keep_seconds: Option<Bounded<0, DAY>>,
    pub(super) start_seconds: Option<Bounded<1, 600>>,
    pub(super) idle_seconds: Option<Bounded<1, DAY>>,
    pub(super) cancel_seconds: Option<Bounded<1, 600>>,
    pub handover_bytes: Option<Bounded<1024, { 16 * MIB }>>,
    pub on_context_lost: OnContextLost,
    pub trust_own: bool,
    pub output: Option<CommandOutput>,
}

/// The protocol of a runner. `kimi-cli` is the Agent Client Protocol with the usual command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RunnerType {
    Codex,
    ClaudeCode,
    Acp,
    KimiCli,
    Command,
}

/// `[agents.TYPE]`: an agent that sessions can give tasks to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct AgentSection {
    pub display_name: Option<String>,
    pub description: Option<String>,
    pub capabilities: Vec<String>,
    pub runner: Option<String>,
    #[serde(deserialize_with = "model_name")]
    pub model: Option<String>,
    pub thinking_level: Option<ThinkingLevel>,
    pub tools: Option<ToolPreset>,
    pub prompt: Option<String>,
    pub workspace: AgentWorkspace,
    pub default_quota: Option<Bounded<0, 1000>>,
    pub enabled: Option<bool>,
    pub max_turn_tokens: Option<Bounded<1, { 1_000_000 * MILLION }>>,
    pub(super) max_turn_seconds: Option<Bounded<1, { 30 * DAY }>>,
    pub(super) max_session_cost: Option<Dollars>,
}

/// `[orchestrator]`: limits of all tasks together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct OrchestratorSection {
    pub(super) max_running: Option<Bounded<1, 1024>>,
    pub(super) max_open: Option<Bounded<1, 10_000>>,
    pub(super) max_queued: Option<Bounded<1, 100_000>>,
    pub(super) max_spawns_per_turn: Option<Bounded<1, 1000>>,
    pub(super) max_depth: Option<Bounded<0, 16>>,
    pub(super) max_cost: Option<Dollars>,
}

/// `[model.price]`: dollars per million tokens.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PriceSection {
    pub input: Dollars,
    pub output: Dollars,
    pub cache_read: Option<Dollars>,
    pub cache_write: Option<Dollars>,
}

/// `builtin` for a provider of the built-in table, `custom` for an endpoint of the user's own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum ModelType {
    #[default]
    Builtin,
    Custom,
}

/// The wire protocol of a custom endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum EndpointApi {
    OpenaiCompletions,
    OpenaiResponses,
    AnthropicMessages,
    GoogleGenerativeAi,
}

impl EndpointApi {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::OpenaiCompletions => "openai-completions",
            Self::OpenaiResponses => "openai-responses",
            Self::AnthropicMessages => "anthropic-messages",
            Self::GoogleGenerativeAi => "google-generative-ai",
        }
    }
}

/// `[sessions]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct SessionsSection {
    pub durability: Option<Durability>,
    pub ring_bytes: Option<Bounded<{ 64 * 1024 }, GIB>>,
    pub(super) idle_unload_seconds: Option<Bounded<1, { 30 * DAY }>>,
    pub(super) trash_days: Option<Bounded<0, 3650>>,
}

/// `[service]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct ServiceSection {
    pub(super) park_seconds: Option<Bounded<0, 600>>,
    pub(super) idle_exit_seconds: Option<Bounded<1, { 30 * DAY }>>,
}

/// `[runtime]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct AgentTaskSection {
    pub max_steps: Option<Bounded<1, 100_000>>,
    pub(super) max_turn_seconds: Option<Bounded<1, { 30 * DAY }>>,
    pub max_turn_tokens: Option<Bounded<1, { 1_000_000 * MILLION }>>,
    pub(super) max_turn_cost: Option<Dollars>,
    pub(super) max_session_cost: Option<Dollars>,
    pub(super) max_day_cost: Option<Dollars>,
    pub(super) max_wait_seconds: Option<Bounded<60, { 7 * DAY }>>,
    pub max_tool_calls: Option<Bounded<1, 1024>>,
    pub retries: Option<Bounded<0, 100>>,
    pub(super) connect_seconds: Option<Bounded<1, HOUR>>,
    pub(super) first_byte_seconds: Option<Bounded<1, DAY>>,
    pub(super) provider_idle_seconds: Option<Bounded<1, DAY>>,
    pub on_restart: OnRestart,
}

/// `[compaction]`: sizes in tokens.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct CompactionSection {
    pub(super) reserve_tokens: Option<Bounded<256, { 10 * MILLION }>>,
    pub(super) keep_tokens: Option<Bounded<0, { 10 * MILLION }>>,
    pub(super) summary_tokens: Option<Bounded<256, 100_000>>,
}

/// `[checkpoints]`: limits on the kept content of changed files. Sizes are in bytes.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct CheckpointsSection {
    pub(super) max_file_bytes: Option<Bounded<1, GIB>>,
    pub(super) max_bytes: Option<Bounded<1, { 1024 * GIB }>>,
    pub(super) keep_days: Option<Bounded<1, 3650>>,
}

/// `[tools]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct ToolsSection {
    pub preset: Option<ToolPreset>,
    pub caches: Vec<ConfigPath>,
    pub hidden: Vec<ConfigPath>,
    pub shown: Vec<ConfigPath>,
    pub fetch_private: Vec<PrivateHost>,
    pub limits: LimitsSection,
    pub environment: EnvironmentConfig,
}

/// `[tools.limits]`: what a command may use. Sizes are in bytes.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct LimitsSection {
    pub memory: Option<Bounded<{ 64 * MIB }, { 64 * 1024 * GIB }>>,
    pub processes: Option<Bounded<8, { 1024 * 1024 }>>,
    pub open_files: Option<Bounded<64, { 1024 * 1024 }>>,
    pub(super) file_size: Option<Bounded<MIB, { 64 * 1024 * GIB }>>,
    pub(super) scratch_space: Option<Bounded<MIB, { 64 * 1024 * GIB }>>,
}

/// `[prompt]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct PromptSection {
    pub text: Option<String>,
}

/// `[permissions]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct PermissionsSection {
    pub mode: Option<Mode>,
    pub allow: Vec<GateRule>,
    pub ask: Vec<GateRule>,
    pub deny: Vec<GateRule>,
    pub builtin_ask: Option<Vec<BuiltinRule>>,
    pub(super) timeout_seconds: Option<Bounded<1, { 30 * DAY }>>,
    pub(super) at_timeout: AtTimeout,
}

/// The decision for a permission request that times out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum AtTimeout {
    #[default]
    Deny,
    Allow,
}

/// `[rpc]`: limits per connection.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct RpcSection {
    pub(super) max_frame_in: Option<Bounded<1024, GIB>>,
    pub(super) max_frame_out: Option<Bounded<{ 256 * 1024 }, GIB>>,
    pub(super) max_depth: Option<Bounded<8, 1024>>,
    pub(super) max_batch: Option<Bounded<1, 1000>>,
    pub(super) max_values: Option<Bounded<256, { 1024 * 1024 }>>,
    pub(super) max_connections: Option<Bounded<1, 65_536>>,
    pub(super) max_calls: Option<Bounded<1, 65_536>>,
    pub(super) in_flight_bytes: Option<Bounded<{ 64 * 1024 }, GIB>>,
    pub(super) max_subscriptions: Option<Bounded<1, 65_536>>,
    pub(super) outbox_bytes: Option<Bounded<{ 64 * 1024 }, GIB>>,
    pub(super) write_timeout_seconds: Option<Bounded<1, HOUR>>,
    pub(super) partial_frame_seconds: Option<Bounded<1, HOUR>>,
    pub(super) drain_seconds: Option<Bounded<1, HOUR>>,
}
