use std::sync::Arc;

use scorel_engine::{RetryPolicy, ToolClass, TurnPorts};
use scorel_guidance::instructions::{Access, InstructionSources, guidance, instructions};
use scorel_guidance::mcp;
use scorel_guidance::skills::listing;
use scorel_models::WantedModel;
use scorel_proto::TurnError;
use scorel_session::{CompactionSetup, PreparedEngine, PreparedTurn, TokioClock, TurnBackend};
use scorel_workplace::worktrees::summary;

use super::Turns;
use super::new_turn::NewTurn;
use super::session_state::SessionTools;
use super::turn_error::config_error;
use crate::notices;

impl Turns {
    /// A turn of the daemon's own engine.
    pub(super) fn engine_turn(&self, turn: &NewTurn<'_>) -> Result<PreparedTurn, TurnError> {
        let NewTurn {
            request,
            config,
            dir,
            ..
        } = *turn;
        let wanted = WantedModel {
            name: request.model.as_deref(),
            level: request.thinking_level,
        };
        let thinking = self.models.thinking(config, wanted).map_err(config_error)?;
        let provider = self.models.provider(config, wanted.name, turn.blobs());
        let provider = provider.map_err(config_error)?;
        let SessionTools { project, guides } = turn.session.tools(request, config, dir)?;
        guides.set_epoch(request.known.epoch);
        let place = self.tool_place(turn, project);
        let preset = request.tools.unwrap_or(config.tools.preset);
        let window = provider.model().context_window;
        let (tools, outside) = self.offered_tools(turn, &place, preset, window)?;
        let describe = || summary(&self.places.commands, &self.places.config, dir);
        let is_frozen = request.known.snapshot.is_some() && !request.known.refresh;
        let rules = self.sources.iter().find_map(|it| it.rules(&place, &tools));
        let current = instructions(InstructionSources {
            home: &self.places.home,
            project: dir,
            model: provider.model(),
            tools: &tools,
            access: Access {
                mode: turn.mode(),
                has_sandbox: self.places.commands.has_sandbox(),
                has_caches: !config.tools.caches.is_empty(),
            },
            beginning: (!is_frozen).then_some(&describe),
            prompt: config.prompt.as_deref(),
            role: turn
                .agent_type()
                .and_then(|name| config.agents.get(name)?.config.prompt.as_deref()),
            run: rules.as_deref(),
        });
        let mut guidance = guidance(&request.known, current);
        if tools.get("Skill").is_some() {
            let found = self.skills.find(Some(&turn.skill_project()));
            let found = found.map_err(config_error)?;
            let list = listing(request.known.skills.as_ref(), &found, window);
            guidance.messages.extend(list);
        }
        guidance.tool_set = outside.set;
        guidance.messages.extend(outside.message);
        if tools.specs().any(|spec| spec.class == ToolClass::Outside) {
            let said = self.sources.iter().flat_map(|it| it.instructions(&place));
            let told = mcp::instructions(request.known.mcp_instructions.as_ref(), said.collect());
            guidance.messages.extend(told);
        }
        let gate = Arc::new(self.gate(turn, self.command_place())?);
        let has_commands = tools.specs().any(|spec| spec.class == ToolClass::Command);
        let mut notices = outside.notices;
        if has_commands {
            let has_sandbox = self.places.commands.has_sandbox();
            notices.extend(notices::of_turn(turn.mode(), has_sandbox));
        }
        let auxiliary = config.auxiliary.model.as_deref();
        let compaction = CompactionSetup {
            settings: config.compaction,
            auxiliary: auxiliary
                .and_then(|name| self.usable_model(config, name, request.blobs.clone())),
        };
        let hooks = turn.of_hooks(&tools).chain(&self.hooks, [guides as _]);
        let sources = self.sources.iter();
        let ports = TurnPorts {
            provider,
            tools,
            gate,
            hooks,
            clock: Arc::new(TokioClock::new()),
            limits: sources.fold(turn.limits(), |limits, it| it.limited(&place, limits)),
            retry: RetryPolicy {
                max_attempts: config.runtime.retries.saturating_add(1),
                max_wait: config.runtime.max_wait,
                ..RetryPolicy::default()
            },
            system: String::new(),
            thinking,
        };
        Ok(PreparedTurn {
            backend: TurnBackend::Engine(PreparedEngine {
                ports,
                guidance,
                compaction,
            }),
            notices,
        })
    }
}
