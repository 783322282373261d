use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    EventId, MessageStart, ModelRetry, PersistentBody, PersistentEvent, Role, RunnerLogTail,
    ToolCallDelta, ToolExecutionStart, ToolExecutionUpdate, TransientBody,
};

/// The work in flight: begun, and not in the log yet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenItems {
    /// Messages that are being generated.
    pub messages: Vec<OpenMessage>,
    /// Tools that are running.
    pub tools: Vec<OpenTool>,
    /// The failure after which the current model call is made again; absent once it answers or ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Box<ModelRetry>>,
    /// The end of what the open turn's runner logged; absent if it logged nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<Box<RunnerLogTail>>,
}

/// A message that is being generated, with everything that was shown of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenMessage {
    /// The id that the finished `message` will have.
    pub event_id: EventId,
    /// The event that it will follow.
    pub parent_id: Option<EventId>,
    /// The author.
    pub role: Role,
    /// The model that answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The blocks so far, in order.
    pub blocks: Vec<OpenBlock>,
}

/// A block that is being generated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum OpenBlock {
    /// Text.
    Text {
        /// The text so far.
        text: String,
    },
    /// Reasoning.
    Thinking {
        /// The text so far.
        text: String,
    },
    /// A tool call.
    ToolUse {
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// The JSON of the arguments so far.
        arguments: String,
    },
}

/// A tool that is running.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenTool {
    /// The id that the tool's result will have.
    pub event_id: EventId,
    /// The event that the result will follow, where that is known.
    pub parent_id: Option<EventId>,
    /// The call.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
    /// The arguments.
    pub args: Value,
    /// The runner that executes the call itself; absent for a call that the daemon executes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran_by: Option<String>,
    /// The last progress that the tool showed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<Value>,
}

impl OpenItems {
    /// Returns whether nothing is open.
    pub const fn is_empty(&self) -> bool {
        self.messages.is_empty()
            && self.tools.is_empty()
            && self.retry.is_none()
            && self.log.is_none()
    }

    /// Removes an item that is in the log or was cancelled.
    pub(super) fn close(&mut self, id: EventId) {
        self.messages.retain(|message| message.event_id != id);
        self.tools.retain(|tool| tool.event_id != id);
    }

    pub(super) fn clear(&mut self) {
        self.messages.clear();
        self.tools.clear();
        self.retry = None;
        self.log = None;
    }

    pub(super) fn apply_persistent(&mut self, event: &PersistentEvent) {
        self.close(event.id);
        match &event.body {
            PersistentBody::TurnOutcome(_) => self.clear(),
            // A longer wait takes the place of a retry; a summary's calls end with its compaction.
            PersistentBody::TurnWaiting(_)
            | PersistentBody::Compact(_)
            | PersistentBody::Compaction(_) => self.retry = None,
            _ => {}
        }
    }

    pub(super) fn apply(&mut self, body: &TransientBody, ts: u64) {
        match body {
            TransientBody::MessageStart(body) => self.start_message(body),
            TransientBody::TextDelta(body) => {
                self.add_text(body.event_id, body.block_index, &body.delta);
            }
            TransientBody::ThinkingDelta(body) => {
                self.add_thinking(body.event_id, body.block_index, &body.delta);
            }
            TransientBody::ToolCallDelta(body) => self.add_arguments(body),
            TransientBody::MessageCancelled(body) => self.close(body.event_id),
            TransientBody::ToolExecutionStart(body) => self.start_tool(body),
            TransientBody::ToolExecutionUpdate(body) => self.update_tool(body),
            TransientBody::RunnerLog(body) => {
                self.log.get_or_insert_default().push(body, ts);
            }
            TransientBody::ModelRetry(body) => self.retry = Some(Box::new(body.clone())),
            TransientBody::TurnStart(_) | TransientBody::TurnEnd(_) => self.retry = None,
            TransientBody::ToolExecutionEnd(_)
            | TransientBody::RuntimeStart(_)
            | TransientBody::RuntimeEnd(_)
            | TransientBody::RestoreProgress(_) => {}
        }
    }

    fn start_message(&mut self, body: &MessageStart) {
        self.close(body.event_id);
        self.retry = None;
        self.messages.push(OpenMessage {
            event_id: body.event_id,
            parent_id: body.parent_id,
            role: body.role,
            model: body.model.clone(),
            blocks: Vec::new(),
        });
    }

    fn start_tool(&mut self, body: &ToolExecutionStart) {
        self.close(body.event_id);
        self.tools.push(OpenTool {
            event_id: body.event_id,
            parent_id: body.parent_id,
            tool_call_id: body.tool_call_id.clone(),
            tool_name: body.tool_name.clone(),
            args: body.args.clone(),
            ran_by: body.ran_by.clone(),
            partial: None,
        });
    }

    fn update_tool(&mut self, body: &ToolExecutionUpdate) {
        if let Some(tool) = self
            .tools
            .iter_mut()
            .find(|tool| tool.event_id == body.event_id)
        {
            tool.partial = Some(body.partial.clone());
        }
    }

    /// The block that a delta belongs to. A new block must be the next one: a gap means that the
    /// deltas are not those of one message, and they are ignored.
    fn block(
        &mut self,
        id: EventId,
        index: u32,
        new: impl FnOnce() -> OpenBlock,
    ) -> Option<&mut OpenBlock> {
        let message = self
            .messages
            .iter_mut()
            .find(|message| message.event_id == id)?;
        let index = index as usize;
        if index == message.blocks.len() {
            message.blocks.push(new());
        }
        message.blocks.get_mut(index)
    }

    fn add_text(&mut self, id: EventId, index: u32, delta: &str) {
        let new = || OpenBlock::Text {
            text: String::new(),
        };
        if let Some(OpenBlock::Text { text }) = self.block(id, index, new) {
            text.push_str(delta);
        }
    }

    fn add_thinking(&mut self, id: EventId, index: u32, delta: &str) {
        let new = || OpenBlock::Thinking {
            text: String::new(),
        };
        if let Some(OpenBlock::Thinking { text }) = self.block(id, index, new) {
            text.push_str(delta);
        }
    }

    fn add_arguments(&mut self, body: &ToolCallDelta) {
        let new = || OpenBlock::ToolUse {
            tool_call_id: body.tool_call_id.clone(),
            tool_name: body.tool_name.clone().unwrap_or_default(),
            arguments: String::new(),
        };
        if let Some(OpenBlock::ToolUse { arguments, .. }) =
            self.block(body.event_id, body.block_index, new)
        {
            arguments.push_str(&body.delta);
        }
    }
}
