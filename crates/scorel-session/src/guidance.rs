use scorel_proto::{CustomMessageBody, InstructionPart, ToolSetBody};
use serde_json::Value;

/// The guidance that the model already has, besides the conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KnownGuidance {
    /// The frozen instructions; `None` before the first turn.
    pub snapshot: Option<Vec<InstructionPart>>,
    /// The data of the newest message about instructions that changed after the snapshot.
    pub changes: Option<Value>,
    /// The data of the newest message about skills.
    pub skills: Option<Value>,
    /// The data of the newest message with instructions of MCP servers.
    pub mcp_instructions: Option<Value>,
    /// A client wants a new snapshot.
    pub refresh: bool,
    /// The tools from outside that it is offered.
    pub tool_set: Option<ToolSetBody>,
    /// Another set is to take its place.
    pub tools_due: bool,
    /// The data of the newest message about tools from outside.
    pub tools: Option<Value>,
    /// Tools from outside whose descriptions an endpoint has just refused.
    pub refused_tools: Vec<String>,
    /// Differs from that of the turn before if the model may have lost what it read.
    pub epoch: u64,
}

/// What to tell the model before a turn's first call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Guidance {
    /// Frozen instead of the known snapshot.
    pub snapshot: Option<Vec<InstructionPart>>,
    /// Takes the place of the known set of tools. Its blob is stored.
    pub tool_set: Option<ToolSetBody>,
    /// Messages that follow the user's. Written at the start of a turn only.
    pub messages: Vec<CustomMessageBody>,
}

impl Guidance {
    /// Freezes `parts`, unless the session has a snapshot.
    pub fn first(known: &KnownGuidance, parts: Vec<InstructionPart>) -> Self {
        Self {
            snapshot: known.snapshot.is_none().then_some(parts),
            ..Self::default()
        }
    }
}
