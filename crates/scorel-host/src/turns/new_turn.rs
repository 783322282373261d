use std::path::Path;
use std::sync::Arc;

use scorel_config::{Config, Mode};
use scorel_engine::{ToolList, TurnLimits};
use scorel_gate::capped;
use scorel_guidance::skills::SkillProject;
use scorel_session::TurnRequest;
use tokio_util::sync::CancellationToken;

use super::hook_source::HookTurn;
use super::session_state::SessionState;
use crate::session_blobs::SessionBlobs;

/// A turn that is being prepared.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewTurn<'a> {
    pub(super) session: &'a SessionState,
    pub(super) request: &'a TurnRequest,
    pub(super) config: &'a Arc<Config>,
    /// The directory that the session works in: that of the project, or a worktree.
    pub(super) dir: &'a Path,
    /// The directory of the project.
    pub(super) project: &'a Path,
    /// Fires when the turn does not begin.
    pub(super) stop: &'a CancellationToken,
}

impl<'a> NewTurn<'a> {
    /// The agent that works in the session, by its name in the configuration.
    pub(super) fn agent_type(&self) -> Option<&'a str> {
        Some(self.request.agent.as_ref()?.agent_type.as_str())
    }

    /// The configured mode, or less if the channel allows less whose message started the turn.
    pub(super) fn mode(&self) -> Mode {
        let channel = self.request.channel.as_ref();
        capped(self.config.permissions.mode, channel)
    }

    pub(super) fn blobs(&self) -> Arc<SessionBlobs> {
        Arc::new(SessionBlobs(self.request.blobs.clone()))
    }

    pub(super) fn limits(&self) -> TurnLimits {
        let config = self.config.runtime_of(self.agent_type());
        TurnLimits {
            max_steps: config.max_steps,
            max_duration: config.max_turn,
            max_tokens: config.max_turn_tokens,
            cost: config.cost,
            max_calls_per_answer: config.max_tool_calls,
            ..TurnLimits::default()
        }
    }

    /// The place in which its skills are looked for.
    pub(super) fn skill_project(&self) -> SkillProject {
        SkillProject {
            id: self.request.project_id,
            dir: self.dir.to_owned(),
        }
    }

    /// The turn as its hooks are told of it.
    pub(super) fn of_hooks(&self, tools: &'a ToolList) -> HookTurn<'a> {
        HookTurn {
            session_id: self.request.session_id,
            project_id: self.request.project_id,
            turn_id: self.request.turn_id,
            directory: self.dir,
            project: self.project,
            agent: self.request.agent.as_ref(),
            runner: self.request.runner.as_deref(),
            tools,
            config: self.config,
            mode: self.mode(),
        }
    }
}
