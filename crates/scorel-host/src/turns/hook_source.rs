use std::fmt;
use std::sync::Arc;

use scorel_engine::Hooks;

use super::tool_source::ToolPlace;

/// Gives turns their hooks. A hook of the engine sees calls and no session; it gets that here.
pub trait HookSource: fmt::Debug + Send + Sync {
    /// The hooks of a turn at a place, in their order. Called at the start of each turn, on a thread that
    /// may block.
    fn hooks(&self, place: &ToolPlace) -> Vec<Arc<dyn Hooks>>;
}
