//! From parsed documents to the effective configuration: defaults, then the user's file, then the
//! project's.

use std::time::Duration;

use scorel_engine::{CostLimits, RetryPolicy};
use scorel_exec::ResourceLimits;
use scorel_files::CheckpointLimits;
use scorel_provider::Timeouts;
use scorel_rpc::RpcLimits;
use scorel_session::CompactionSettings;

use scorel_orchestrator::OrchestratorLimits;

use super::agent_section::agents;
use super::bounded::{number, number_or, seconds_or};
use super::channels_section::{channels, enabled};
use super::dollars::Dollars;
use super::hook_section::hooks;
use super::mcp::mcp_servers;
use super::model_section::model_settings;
use super::origin::DocumentOrigin;
use super::project::ProjectLayer;
use super::provider_section::custom_providers;
use super::runner_section::{builtin_runners, runners};
use super::schema::{
    AgentTaskSection, AtTimeout, CheckpointsSection, CompactionSection, Document, LimitsSection,
    OrchestratorSection, PermissionsSection, RpcSection, ServiceSection, SessionsSection,
    ToolsSection,
};
use super::warning::warning;
use super::{
    Agents, Config, ConfigError, CustomProviders, McpConfig, ModelSettings, PermissionsConfig,
    RuntimeConfig, ServiceConfig, SessionsConfig, ToolsConfig, WorkflowConfig, lowering,
};
use crate::{BuiltinRule, RuleSet};

/// How long running turns may take to reach a step boundary, unless configured.
const PARK: Duration = Duration::from_secs(20);

impl Default for Config {
    fn default() -> Self {
        Self::plain(&Document::default())
    }
}

impl Config {
    /// The user's file over the defaults.
    pub(super) fn from_user(
        document: &Document,
        origin: &DocumentOrigin,
    ) -> Result<Self, ConfigError> {
        let providers = custom_providers(&document.providers, origin)?;
        let model = document.model.as_ref();
        let model = model
            .map(|section| model_settings(section, &providers, origin))
            .transpose()?;
        let runners = runners(&document.runners, origin)?;
        Ok(Self {
            model: model.unwrap_or_else(ModelSettings::demo),
            providers,
            agents: agents(&document.agents, origin)?,
            runners,
            hooks: hooks(&document.hooks, true, origin)?,
            channels: channels(&document.channels, origin)?,
            mcp: McpConfig {
                disabled: document.mcp.disabled.clone(),
                client_document: document.mcp.client_document.clone(),
                servers: mcp_servers(&document.mcp, true, origin)?,
                project_servers: Vec::new(),
            },
            ..Self::plain(document)
        })
    }

    /// The sections that need no check as a whole, over the defaults.
    fn plain(document: &Document) -> Self {
        Self {
            model: ModelSettings::demo(),
            providers: CustomProviders::new(),
            runners: builtin_runners(),
            agents: Agents::new(),
            orchestrator: orchestrator(&document.orchestrator),
            workflow: WorkflowConfig::of(&document.workflow),
            sessions: sessions(&document.sessions),
            service: service(&document.service),
            runtime: runtime(&document.runtime),
            checkpoints: checkpoints(&document.checkpoints),
            rpc: rpc(&document.rpc),
            tools: tools(&document.tools),
            permissions: permissions(&document.permissions),
            compaction: compaction(&document.compaction),
            auxiliary: document.auxiliary.clone(),
            prompt: document.prompt.text.clone(),
            extensions: document.extensions.clone(),
            channels: enabled(&document.channels),
            mcp: McpConfig::default(),
            hooks: Vec::new(),
            project_hooks: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// This configuration with a project's settings over it.
    pub(super) fn with_project(&self, layer: &ProjectLayer) -> Self {
        let mut config = self.clone();
        config.warnings.clone_from(&layer.refused);
        config.project_hooks.clone_from(&layer.hooks);
        config.mcp.project_servers.clone_from(&layer.servers);
        match &layer.model_id {
            Some(_) if config.model.is_demo() => {
                let reason = "no model is configured in the user's file";
                config
                    .warnings
                    .push(warning(&layer.path, "model.id".to_owned(), reason));
            }
            Some(id) => config.model = config.model.with_id(id, &self.providers),
            None => {}
        }
        let rules = &mut config.permissions.rules;
        rules.deny.extend_from_slice(&layer.deny);
        rules.ask.extend_from_slice(&layer.ask);
        config.workflow.deny.extend_from_slice(&layer.workflow.deny);
        config.model.thinking = layer.thinking.unwrap_or(config.model.thinking);
        lowering::lower(&mut config, layer);
        config
    }
}

fn sessions(section: &SessionsSection) -> SessionsConfig {
    SessionsConfig {
        durability: section.durability.unwrap_or_default(),
        ring_bytes: number_or(section.ring_bytes, 2 * 1024 * 1024),
        idle_unload: seconds_or(section.idle_unload_seconds, Duration::from_secs(300)),
        trash_keep: days(number_or(section.trash_days, 7)),
    }
}

fn service(section: &ServiceSection) -> ServiceConfig {
    ServiceConfig {
        park: seconds_or(section.park_seconds, PARK),
        idle_exit: number(section.idle_exit_seconds).map(Duration::from_secs),
    }
}

fn runtime(section: &AgentTaskSection) -> RuntimeConfig {
    let usual = Timeouts::default();
    RuntimeConfig {
        max_steps: number_or(section.max_steps, 200),
        max_turn: seconds_or(section.max_turn_seconds, Duration::from_secs(4 * 60 * 60)),
        max_turn_tokens: number_or(section.max_turn_tokens, 50_000_000),
        cost: CostLimits {
            turn: section.max_turn_cost.map(Dollars::get),
            session: section.max_session_cost.map(Dollars::get),
            day: section.max_day_cost.map(Dollars::get),
        },
        max_wait: seconds_or(section.max_wait_seconds, RetryPolicy::default().max_wait),
        max_tool_calls: number_or(section.max_tool_calls, 64),
        retries: number_or(section.retries, 5),
        timeouts: Timeouts {
            connect: seconds_or(section.connect_seconds, usual.connect),
            first_byte: seconds_or(section.first_byte_seconds, usual.first_byte),
            idle: seconds_or(section.provider_idle_seconds, usual.idle),
            ..usual
        },
        on_restart: section.on_restart,
    }
}

fn orchestrator(section: &OrchestratorSection) -> OrchestratorLimits {
    let usual = OrchestratorLimits::default();
    OrchestratorLimits {
        max_running: number_or(section.max_running, usual.max_running),
        max_open: number_or(section.max_open, usual.max_open),
        max_queued: number_or(section.max_queued, usual.max_queued),
        max_spawns_per_turn: number_or(section.max_spawns_per_turn, usual.max_spawns_per_turn),
        max_depth: number_or(section.max_depth, usual.max_depth),
        max_cost: section.max_cost.map(Dollars::get),
    }
}

fn compaction(section: &CompactionSection) -> CompactionSettings {
    let usual = CompactionSettings::default();
    CompactionSettings {
        reserve_tokens: number_or(section.reserve_tokens, usual.reserve_tokens),
        keep_tokens: number_or(section.keep_tokens, usual.keep_tokens),
        summary_tokens: number_or(section.summary_tokens, usual.summary_tokens),
    }
}

fn checkpoints(section: &CheckpointsSection) -> CheckpointLimits {
    let usual = CheckpointLimits::default();
    CheckpointLimits {
        max_file_bytes: number_or(section.max_file_bytes, usual.max_file_bytes),
        max_bytes: number_or(section.max_bytes, usual.max_bytes),
        keep: number(section.keep_days).map_or(usual.keep, days),
    }
}

fn rpc(section: &RpcSection) -> RpcLimits {
    let usual = RpcLimits::default();
    RpcLimits {
        frame_in: number_or(section.max_frame_in, usual.frame_in),
        frame_out: number_or(section.max_frame_out, usual.frame_out),
        nesting: number_or(section.max_depth, usual.nesting),
        batch: number_or(section.max_batch, usual.batch),
        values: number_or(section.max_values, usual.values),
        connections: number_or(section.max_connections, usual.connections),
        calls: number_or(section.max_calls, usual.calls),
        in_flight: number_or(section.in_flight_bytes, usual.in_flight),
        subscriptions: number_or(section.max_subscriptions, usual.subscriptions),
        outbox: number_or(section.outbox_bytes, usual.outbox),
        write_timeout: seconds_or(section.write_timeout_seconds, usual.write_timeout),
        partial_frame: seconds_or(section.partial_frame_seconds, usual.partial_frame),
        drain: seconds_or(section.drain_seconds, usual.drain),
    }
}

fn tools(section: &ToolsSection) -> ToolsConfig {
    ToolsConfig {
        preset: section.preset.unwrap_or_default(),
        caches: section.caches.clone(),
        hidden: section.hidden.clone(),
        shown: section.shown.clone(),
        fetch_private: section.fetch_private.clone(),
        environment: section.environment.clone(),
        limits: limits(&section.limits),
    }
}

fn limits(section: &LimitsSection) -> ResourceLimits {
    let usual = ResourceLimits::default();
    ResourceLimits {
        memory: number_or(section.memory, usual.memory),
        processes: number_or(section.processes, usual.processes),
        open_files: number_or(section.open_files, usual.open_files),
        file_size: number_or(section.file_size, usual.file_size),
        scratch_space: number_or(section.scratch_space, usual.scratch_space),
    }
}

fn permissions(section: &PermissionsSection) -> PermissionsConfig {
    PermissionsConfig {
        mode: section.mode.unwrap_or_default(),
        rules: RuleSet {
            deny: section.deny.clone(),
            ask: section.ask.clone(),
            allow: section.allow.clone(),
            builtin_ask: section.builtin_ask.clone().unwrap_or_else(BuiltinRule::all),
        },
        timeout: number(section.timeout_seconds).map(Duration::from_secs),
        allow_at_timeout: section.at_timeout == AtTimeout::Allow,
    }
}

const fn days(days: u64) -> Duration {
    Duration::from_secs(days * 24 * 60 * 60)
}
