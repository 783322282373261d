use std::fmt;
use std::path::Path;
use std::sync::Arc;

use scorel_config::{Config, Mode};
use scorel_engine::{HookChain, Hooks, ToolList};
use scorel_guidance::skills::SkillProject;
use scorel_proto::{ProjectId, SessionAgent, SessionId, TurnId};

/// Gives turns their hooks. A hook of the engine sees calls and no session; it gets that here.
pub trait HookSource: fmt::Debug + Send + Sync {
    /// The hooks of a turn, in their order. Called at the start of each turn, and for a task that a client gives an
    /// agent, on a thread that may block.
    fn hooks(&self, turn: &HookTurn<'_>) -> Vec<Arc<dyn Hooks>>;
}

/// The turn that hooks are for.
#[derive(Debug, Clone, Copy)]
pub struct HookTurn<'a> {
    /// The session. That of an agent is the agent's own.
    pub session_id: SessionId,
    /// Its project.
    pub project_id: ProjectId,
    /// The turn; `None` outside of turns, as for a task that a client gives.
    pub turn_id: Option<TurnId>,
    /// The directory that it works in: that of the project, or a worktree.
    pub directory: &'a Path,
    /// The directory of its project, also where the session works in a worktree of it.
    pub project: &'a Path,
    /// The agent that works in the session, if one does.
    pub agent: Option<&'a SessionAgent>,
    /// The runner that does the work; `None` for the daemon's own engine.
    pub runner: Option<&'a str>,
    /// The tools that calls may be of.
    pub tools: &'a ToolList,
    /// The configuration of the project.
    pub config: &'a Config,
    /// The mode of the turn, which a channel can lower.
    pub mode: Mode,
}

impl HookTurn<'_> {
    /// The project as its extensions are looked for.
    pub(crate) fn skill_project(&self) -> SkillProject {
        SkillProject {
            id: self.project_id,
            dir: self.project.to_owned(),
        }
    }

    /// The chain of the hooks of all sources, and then `own`.
    pub(crate) fn chain(
        &self,
        sources: &[Arc<dyn HookSource>],
        own: impl IntoIterator<Item = Arc<dyn Hooks>>,
    ) -> HookChain {
        let hooks = sources.iter().flat_map(|source| source.hooks(self));
        HookChain::new(hooks.chain(own).collect())
    }
}
