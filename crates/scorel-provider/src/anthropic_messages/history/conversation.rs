use serde::Serialize;
use serde_json::{Value, json};

use super::server_tools;
use crate::wire::JsonBody;

/// The number of user messages that are marked for the cache: the last one, and the one before it, where the
/// previous request ended. A breakpoint looks back only 20 blocks, and more may have been added since.
const MARKED: usize = 2;

/// Messages under construction; the roles alternate.
///
/// Three parts, in this order: messages that are written, messages that have ended, and the last
/// one, which may go on.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    written: WrittenMessages,
    /// As they are sent, without their marks.
    ended: Vec<RoleMessage>,
    last: Option<RoleMessage>,
}

/// The state of the written messages that matters to those that follow.
#[derive(Debug, Clone, Copy, Default)]
struct WrittenMessages {
    any: bool,
    thinking: LoopThinking,
}

/// The beginning of the tool loop at the end of a conversation.
#[derive(Debug, Clone, Copy, Default)]
enum LoopThinking {
    #[default]
    NotBegun,
    Begins,
    Lacks,
}

#[derive(Debug, Clone, Serialize)]
struct RoleMessage {
    role: MessageRole,
    /// Never empty.
    #[serde(rename = "content")]
    blocks: Vec<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum MessageRole {
    User,
    Assistant,
}

impl Conversation {
    pub(super) fn add_user(&mut self, blocks: Vec<Value>) {
        self.add(MessageRole::User, blocks);
    }

    pub(super) fn add_assistant(&mut self, blocks: Vec<Value>) {
        self.add(MessageRole::Assistant, blocks);
    }

    /// All results of one reply's calls go into one message, before any other block: otherwise the
    /// API reports a missing result.
    pub(super) fn add_result(&mut self, result: Value) {
        match &mut self.last {
            Some(message) if message.role == MessageRole::User => {
                let end = message.blocks.iter().position(|block| !is_result(block));
                let end = end.unwrap_or(message.blocks.len());
                message.blocks.insert(end, result);
            }
            _ => self.add(MessageRole::User, vec![result]),
        }
    }

    fn add(&mut self, role: MessageRole, blocks: Vec<Value>) {
        if blocks.is_empty() {
            return;
        }
        match &mut self.last {
            Some(message) if message.role == role => message.blocks.extend(blocks),
            last => {
                let ended = last.replace(RoleMessage { role, blocks });
                if let Some(ended) = ended {
                    append(&mut self.ended, ended.ended(false));
                }
            }
        }
    }

    /// Writes what no further message changes. The last messages that have ended may get a mark for the
    /// cache, or go on if what follows is left out.
    pub(super) fn write_settled(&mut self, body: &mut JsonBody) {
        let users = self.ended.iter().enumerate().rev();
        let mut users = users.filter(|(_, message)| message.role == MessageRole::User);
        let held = users.nth(MARKED - 1).map_or(0, |(place, _)| place);
        for message in self.ended.drain(..held) {
            if !self.written.any && message.role == MessageRole::Assistant {
                body.item(RoleMessage::go_on());
            }
            self.written.add(&message);
            body.item(message);
        }
    }

    /// Writes the rest, with the rules for the end of the conversation and the cache breakpoints.
    pub(super) fn write_rest(&self, body: &mut JsonBody) {
        let mut rest = self.rest();
        if let Some(last) = rest.last_mut() {
            last.trim_end();
        }
        let users = rest.iter_mut().rev();
        let users = users.filter(|message| message.role == MessageRole::User);
        for message in users.take(MARKED) {
            message.mark();
        }
        rest.iter().for_each(|message| body.item(message));
    }

    /// Returns whether the conversation ends inside a tool loop whose first assistant message does not begin
    /// with thinking.
    pub(super) fn lacks_thinking(&self) -> bool {
        let mut all = self.written;
        self.rest().iter().for_each(|message| all.add(message));
        matches!(all.thinking, LoopThinking::Lacks)
    }

    /// The messages that are not written, as they are if none follows.
    fn rest(&self) -> Vec<RoleMessage> {
        let mut rest = self.ended.clone();
        if let Some(last) = self.last.clone() {
            append(&mut rest, last.ended(true));
        }
        let first = rest.first().filter(|_| !self.written.any);
        if first.is_some_and(|message| message.role == MessageRole::Assistant) {
            rest.insert(0, RoleMessage::go_on());
        }
        rest
    }
}

impl WrittenMessages {
    fn add(&mut self, message: &RoleMessage) {
        self.any = true;
        let first = message.blocks.first();
        match message.role {
            // The results of calls belong to their loop.
            MessageRole::User if first.is_some_and(is_result) => {}
            MessageRole::User => self.thinking = LoopThinking::NotBegun,
            MessageRole::Assistant if matches!(self.thinking, LoopThinking::NotBegun) => {
                self.thinking = if first.is_some_and(is_thinking) {
                    LoopThinking::Begins
                } else {
                    LoopThinking::Lacks
                };
            }
            MessageRole::Assistant => {}
        }
    }
}
impl RoleMessage {
    /// Comes first where the API would get an assistant message first.
    fn go_on() -> Self {
        Self {
            role: MessageRole::User,
            blocks: vec![json!({"type": "text", "text": "Go on."})],
        }
    }

    /// Without what the API rejects at the end of an assistant message: reasoning, and uses of its own
    /// tools without a result, unless the reply is still to be continued (`is_last`). May be empty.
    fn ended(mut self, is_last: bool) -> Self {
        if self.role == MessageRole::Assistant {
            server_tools::keep_pairs(&mut self.blocks, is_last);
            let end = self.blocks.iter().rposition(|block| !is_thinking(block));
            self.blocks.truncate(end.map_or(0, |end| end + 1));
        }
        self
    }

    /// The API rejects trailing white space in a last assistant text.
    fn trim_end(&mut self) {
        let block = self.blocks.last_mut();
        let block = block.filter(|_| self.role == MessageRole::Assistant);
        if let Some(block) = block.filter(|block| block["type"] == "text") {
            let text = block["text"].as_str().unwrap_or_default().trim_end();
            block["text"] = json!(text);
        }
    }

    fn mark(&mut self) {
        if let Some(block) = self.blocks.last_mut() {
            cache_here(block);
        }
    }
}

/// Adds a message to those before it. One that is empty is left out, and its neighbours become one.
fn append(messages: &mut Vec<RoleMessage>, message: RoleMessage) {
    if message.blocks.is_empty() {
        return;
    }
    match messages.last_mut() {
        Some(before) if before.role == message.role => before.blocks.extend(message.blocks),
        _ => messages.push(message),
    }
}

/// Sets a cache breakpoint at the end of a block.
pub(in crate::anthropic_messages) fn cache_here(block: &mut Value) {
    block["cache_control"] = json!({"type": "ephemeral"});
}

fn is_result(block: &Value) -> bool {
    block["type"] == "tool_result"
}

fn is_thinking(block: &Value) -> bool {
    block["type"] == "thinking" || block["type"] == "redacted_thinking"
}
