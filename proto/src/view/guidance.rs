use serde::{Deserialize, Serialize};

use crate::{CustomMessageBody, EventId, Seq};

/// The kind of the `custom_message` that tells the model of changed instructions.
pub const INSTRUCTIONS_KIND: &str = "scorel.instructions";

/// The kind of the `custom_message` that lists the skills.
pub const SKILLS_KIND: &str = "scorel.skills";

/// The kind of the `custom_message` with the instructions of MCP servers.
pub const MCP_INSTRUCTIONS_KIND: &str = "scorel.mcp_instructions";

/// The kind of the `custom_message` that lists tools from outside.
pub const TOOLS_KIND: &str = "scorel.tools";

/// The number of messages that are remembered. One more is forgotten, and what it said is said again after a
/// rewind that would have made it the newest.
const MAX_MESSAGES: usize = 32;

/// The places in the log of all that the model was told besides the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GuidanceState {
    /// Messages of the daemon on the active path after its nearest barrier, oldest first.
    messages: Vec<GuidanceMessage>,
    /// A client wants a new snapshot, and no turn has begun since.
    pub refresh: bool,
    /// The model is to be offered another set of tools from outside: a client wants new instructions, or a compaction
    /// has changed the beginning of requests anyway.
    pub tools_due: bool,
    /// Changes whenever the model may have lost what it read: at a compaction and at each move of the
    /// leaf.
    pub epoch: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct GuidanceMessage {
    event_id: EventId,
    seq: Seq,
    kind: GuidanceKind,
}

/// The subject of a message from the daemon to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GuidanceKind {
    /// Instructions changed after the snapshot.
    Instructions,
    /// The skills that it can use.
    Skills,
    /// The instructions of MCP servers.
    McpInstructions,
    /// Tools from outside that requests do not describe.
    Tools,
}

impl GuidanceState {
    /// The seq of the newest message of a kind that is in the model's context.
    pub fn newest(&self, kind: GuidanceKind) -> Option<Seq> {
        let mut messages = self.messages.iter().rev();
        messages.find(|it| it.kind == kind).map(|it| it.seq)
    }

    pub(super) fn told(&mut self, event_id: EventId, seq: Seq, body: &CustomMessageBody) {
        let kind = match body.kind.as_str() {
            INSTRUCTIONS_KIND => GuidanceKind::Instructions,
            SKILLS_KIND => GuidanceKind::Skills,
            MCP_INSTRUCTIONS_KIND => GuidanceKind::McpInstructions,
            TOOLS_KIND => GuidanceKind::Tools,
            _ => return,
        };
        if self.messages.len() == MAX_MESSAGES {
            self.messages.remove(0);
        }
        self.messages.push(GuidanceMessage {
            event_id,
            seq,
            kind,
        });
    }

    /// A snapshot says all that earlier messages about instructions said.
    pub(super) fn renewed(&mut self) {
        self.refresh = false;
        self.messages
            .retain(|it| it.kind != GuidanceKind::Instructions);
    }

    /// A compaction took the messages out of the context.
    pub(super) fn compacted(&mut self) {
        self.messages.clear();
        self.tools_due = true;
        self.epoch += 1;
    }

    /// The leaf moved elsewhere.
    pub(super) fn moved(&mut self, is_on_path: impl Fn(EventId) -> bool) {
        self.messages.retain(|it| is_on_path(it.event_id));
        self.epoch += 1;
    }
}
