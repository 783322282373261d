//! From parsed documents to the effective configuration: defaults, then the user's file, then the
//! project's.

use std::time::Duration;

use scorel_engine::{CostLimits, RetryPolicy};
use scorel_exec::ResourceLimits;
use scorel_files::CheckpointLimits;
use scorel_journal::Durability;
use scorel_provider::Timeouts;
use scorel_rpc::RpcLimits;
use scorel_session::CompactionSettings;

use scorel_orchestrator::OrchestratorLimits;

use super::agent_section::agents;
use super::bounded::Bounded;
use super::dollars::Dollars;
use super::model_section::model_settings;
use super::orchestrator::orchestrator_limits;
use super::origin::DocumentOrigin;
use super::project::ProjectLayer;
use super::provider_section::custom_providers;
use super::runner_section::{builtin_runners, runners};
use super::schema::{
    AgentTaskSection, AtTimeout, CheckpointsSection, CompactionSection, Document, DurabilityName,
    LimitsSection, PermissionsSection, RpcSection, ServiceSection, SessionsSection, ToolsSection,
};
use super::warning::{Warning, warning};
use super::{
    Agents, AuxiliaryConfig, Config, ConfigError, CustomProviders, EnvironmentConfig,
    ModelSettings, PermissionsConfig, RuntimeConfig, ServiceConfig, SessionsConfig, ToolsConfig,
    lowering,
};
use crate::{BuiltinRule, RuleSet};

/// How long running turns may take to reach a step boundary, unless configured.
const PARK: Duration = Duration::from_secs(20);

impl Default for Config {
    fn default() -> Self {
        Self {
            model: ModelSettings::demo(),
            providers: CustomProviders::new(),
            runners: builtin_runners(),
            agents: Agents::new(),
            orchestrator: OrchestratorLimits::default(),
            sessions: sessions(&SessionsSection::default()),
            service: service(&ServiceSection::default()),
            runtime: runtime(&AgentTaskSection::default()),
            checkpoints: CheckpointLimits::default(),
            rpc: rpc(&RpcSection::default()),
            tools: tools(&ToolsSection::default()),
            permissions: permissions(&PermissionsSection::default()),
            compaction: CompactionSettings::default(),
            auxiliary: AuxiliaryConfig::default(),
            prompt: None,
            warnings: Vec::new(),
        }
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
            orchestrator: orchestrator_limits(&document.orchestrator),
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
            warnings: Vec::new(),
        })
    }

    /// This configuration with a project's settings over it.
    pub(super) fn with_project(&self, layer: &ProjectLayer) -> Self {
        let mut config = self.clone();
        config.warnings.clone_from(&layer.refused);
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
        config.model.thinking = layer.thinking.unwrap_or(config.model.thinking);
        lower_limits(&mut config.runtime, layer, &mut config.warnings);
        lowering::lower(&mut config, layer);
        config
    }
}

fn lower_limits(runtime: &mut RuntimeConfig, layer: &ProjectLayer, warnings: &mut Vec<Warning>) {
    let mut lower = |key: &str, ours: u64, theirs: Option<u64>| match theirs {
        Some(theirs) if theirs > ours => {
            let reason = "a project can only lower it";
            warnings.push(warning(&layer.path, format!("runtime.{key}"), reason));
            ours
        }
        Some(theirs) => theirs,
        None => ours,
    };
    let limits = &layer.limits;
    let mut lower_cost = |key: &str, ours: &mut Option<u64>, theirs: Option<Dollars>| {
        let theirs = theirs.map(Dollars::get);
        // Without a limit of the user's, each is lower.
        let lowered = lower(key, ours.unwrap_or(u64::MAX), theirs);
        *ours = ours.map(|_| lowered).or(theirs);
    };
    let cost = &mut runtime.cost;
    lower_cost("maxTurnCost", &mut cost.turn, limits.max_turn_cost);
    lower_cost("maxSessionCost", &mut cost.session, limits.max_session_cost);
    lower_cost("maxDayCost", &mut cost.day, limits.max_day_cost);
    let steps = lower("maxSteps", runtime.max_steps.into(), get(limits.max_steps));
    let seconds = lower(
        "maxTurnSeconds",
        runtime.max_turn.as_secs(),
        get(limits.max_turn_seconds),
    );
    let tokens = lower(
        "maxTurnTokens",
        runtime.max_turn_tokens,
        get(limits.max_turn_tokens),
    );
    let calls = lower(
        "maxToolCalls",
        runtime.max_tool_calls as u64,
        get(limits.max_tool_calls),
    );
    runtime.max_steps = narrow(steps);
    runtime.max_turn = Duration::from_secs(seconds);
    runtime.max_turn_tokens = tokens;
    runtime.max_tool_calls = narrow(calls);
}

fn sessions(section: &SessionsSection) -> SessionsConfig {
    SessionsConfig {
        durability: match section.durability {
            Some(DurabilityName::Flush) => Durability::Flush,
            Some(DurabilityName::Sync) | None => Durability::Sync,
        },
        ring_bytes: narrow(get(section.ring_bytes).unwrap_or(2 * 1024 * 1024)),
        idle_unload: Duration::from_secs(get(section.idle_unload_seconds).unwrap_or(300)),
        trash_keep: Duration::from_secs(get(section.trash_days).unwrap_or(7) * 24 * 60 * 60),
    }
}

fn service(section: &ServiceSection) -> ServiceConfig {
    ServiceConfig {
        park: seconds(section.park_seconds, PARK),
        idle_exit: get(section.idle_exit_seconds).map(Duration::from_secs),
    }
}

fn runtime(section: &AgentTaskSection) -> RuntimeConfig {
    let usual = Timeouts::default();
    RuntimeConfig {
        max_steps: narrow(get(section.max_steps).unwrap_or(200)),
        max_turn: Duration::from_secs(get(section.max_turn_seconds).unwrap_or(4 * 60 * 60)),
        max_turn_tokens: get(section.max_turn_tokens).unwrap_or(50_000_000),
        cost: CostLimits {
            turn: section.max_turn_cost.map(Dollars::get),
            session: section.max_session_cost.map(Dollars::get),
            day: section.max_day_cost.map(Dollars::get),
        },
        max_wait: seconds(section.max_wait_seconds, RetryPolicy::default().max_wait),
        max_tool_calls: narrow(get(section.max_tool_calls).unwrap_or(64)),
        retries: narrow(get(section.retries).unwrap_or(5)),
        timeouts: Timeouts {
            connect: seconds(section.connect_seconds, usual.connect),
            first_byte: seconds(section.first_byte_seconds, usual.first_byte),
            idle: seconds(section.provider_idle_seconds, usual.idle),
            ..usual
        },
        on_restart: section.on_restart,
    }
}

fn compaction(section: &CompactionSection) -> CompactionSettings {
    let usual = CompactionSettings::default();
    CompactionSettings {
        reserve_tokens: get(section.reserve_tokens).unwrap_or(usual.reserve_tokens),
        keep_tokens: get(section.keep_tokens).unwrap_or(usual.keep_tokens),
        summary_tokens: get(section.summary_tokens).unwrap_or(usual.summary_tokens),
    }
}

fn checkpoints(section: &CheckpointsSection) -> CheckpointLimits {
    let usual = CheckpointLimits::default();
    let keep = |days| Duration::from_secs(days * 24 * 60 * 60);
    CheckpointLimits {
        max_file_bytes: get(section.max_file_bytes).unwrap_or(usual.max_file_bytes),
        max_bytes: get(section.max_bytes).unwrap_or(usual.max_bytes),
        keep: get(section.keep_days).map_or(usual.keep, keep),
    }
}

fn rpc(section: &RpcSection) -> RpcLimits {
    let usual = RpcLimits::default();
    RpcLimits {
        frame_in: size(section.max_frame_in, usual.frame_in),
        frame_out: size(section.max_frame_out, usual.frame_out),
        nesting: size(section.max_depth, usual.nesting),
        batch: size(section.max_batch, usual.batch),
        values: size(section.max_values, usual.values),
        connections: size(section.max_connections, usual.connections),
        calls: size(section.max_calls, usual.calls),
        in_flight: size(section.in_flight_bytes, usual.in_flight),
        subscriptions: size(section.max_subscriptions, usual.subscriptions),
        outbox: size(section.outbox_bytes, usual.outbox),
        write_timeout: seconds(section.write_timeout_seconds, usual.write_timeout),
        partial_frame: seconds(section.partial_frame_seconds, usual.partial_frame),
        drain: seconds(section.drain_seconds, usual.drain),
    }
}

fn tools(section: &ToolsSection) -> ToolsConfig {
    ToolsConfig {
        preset: section.preset.unwrap_or_default(),
        caches: section.caches.clone(),
        hidden: section.hidden.clone(),
        shown: section.shown.clone(),
        fetch_private: section.fetch_private.clone(),
        environment: EnvironmentConfig {
            login_shell: section.environment.login_shell,
            pass: section.environment.pass.clone(),
            set: section.environment.set.clone(),
            remove: section.environment.remove.clone(),
        },
        limits: limits(&section.limits),
    }
}

fn limits(section: &LimitsSection) -> ResourceLimits {
    let usual = ResourceLimits::default();
    ResourceLimits {
        memory: get(section.memory).unwrap_or(usual.memory),
        processes: get(section.processes).unwrap_or(usual.processes),
        open_files: get(section.open_files).unwrap_or(usual.open_files),
        file_size: get(section.file_size).unwrap_or(usual.file_size),
        scratch_space: get(section.scratch_space).unwrap_or(usual.scratch_space),
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
        timeout: get(section.timeout_seconds).map(Duration::from_secs),
        allow_at_timeout: section.at_timeout == AtTimeout::Allow,
    }
}

fn get<const MIN: u64, const MAX: u64>(value: Option<Bounded<MIN, MAX>>) -> Option<u64> {
    value.map(Bounded::get)
}

fn size<const MIN: u64, const MAX: u64>(value: Option<Bounded<MIN, MAX>>, usual: usize) -> usize {
    value.map_or(usual, |value| narrow(value.get()))
}

fn seconds<const MIN: u64, const MAX: u64>(
    value: Option<Bounded<MIN, MAX>>,
    usual: Duration,
) -> Duration {
    value.map_or(usual, |value| Duration::from_secs(value.get()))
}

/// Infallible: the schema's range lies within the type's.
fn narrow<T: TryFrom<u64>>(value: u64) -> T {
    T::try_from(value).unwrap_or_else(|_| unreachable!("{value} passed the schema"))
}
