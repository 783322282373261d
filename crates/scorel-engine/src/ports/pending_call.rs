use super::ToolCall;

/// A call that has not started.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingCall {
    /// The call as it would run.
    pub call: ToolCall,
    /// The traces of the hooks that have looked at it. They do so once: `None` if they are to.
    pub marks: Option<HookMarks>,
}

/// The traces that hooks leave on a call before it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookMarks {
    /// The hooks that changed its arguments, in their order.
    pub changed_by: Vec<String>,
    /// The reason why hooks want it asked about.
    pub reason: Option<String>,
    /// The hook that answers a question about it with a yes.
    pub allowed_by: Option<String>,
}

impl From<ToolCall> for PendingCall {
    fn from(call: ToolCall) -> Self {
        Self { call, marks: None }
    }
}
