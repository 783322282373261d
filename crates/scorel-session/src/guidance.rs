use scorel_proto::{CustomMessageBody, InstructionPart};
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
    /// Differs from that of the turn before if the model may have lost what it read.
    pub epoch: u64,
}

/// What to tell the model before a turn's first call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Guidance {
    /// Frozen instead of the known snapshot.
    pub snapshot: Option<Vec<InstructionPart>>,
    /// Messages that follow the user's. Written at the start of a turn only.
    pub messages: Vec<CustomMessageBody>,
}

impl Guidance {
    /// Freezes `parts`, unless the session has a snapshot.
    pub fn first(known: &KnownGuidance, parts: Vec<InstructionPart>) -> Self {
        Self {
            snapshot: known.snapshot.is_none().then_some(parts),
            messages: Vec::new(),
        }
    }
}
