use std::fmt;

use super::{ToolOutcome, ToolSpec};

/// Which tools of a session may be called at a moment, beside what the gate decides: a workflow allows other tools in
/// each of its nodes.
pub trait CallScreen: fmt::Debug + Send + Sync {
    /// Returns whether the tool may be called at some moment of the session. The others do not exist for the model.
    /// The same for the life of the screen, so that the beginning of requests stays.
    fn offers(&self, tool: &ToolSpec) -> bool;

    /// The answer to a call of a tool that may not be called now. `callable` are all tools that the model knows. Asked
    /// right before the call would be shown to the hooks.
    fn refusal(&self, tool: &ToolSpec, callable: &[&ToolSpec]) -> Option<ToolOutcome>;
}
