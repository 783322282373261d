use std::fmt;
use std::path::Path;
use std::sync::Arc;

use scorel_config::Config;
use scorel_engine::{Hooks, ToolList};
use scorel_proto::SessionAgent;

use super::tool_source::ToolPlace;

/// Gives turns their hooks. A hook of the engine sees calls and no session; it gets that here.
pub trait HookSource: fmt::Debug + Send + Sync {
    /// The hooks of a turn, in their order. Called at the start of each turn, on a thread that may block.
    fn hooks(&self, turn: &HookTurn<'_>) -> Vec<Arc<dyn Hooks>>;
}

/// The turn that hooks are for.
#[derive(Debug, Clone, Copy)]
pub struct HookTurn<'a> {
    /// The session and its directory.
    pub place: &'a ToolPlace,
    /// The directory of its project, also where the session works in a worktree of it.
    pub project: &'a Path,
    /// The agent that works in the session, if one does.
    pub agent: Option<&'a SessionAgent>,
    /// The tools that the model is offered.
    pub tools: &'a ToolList,
    /// The configuration of the project.
    pub config: &'a Config,
}
