use serde::Serialize;
use serde_json::{Value, json};

use super::server_tools;

/// Messages under construction; the roles alternate.
#[derive(Debug, Default)]
pub(in crate::anthropic_messages) struct Conversation {
    messages: Vec<RoleMessage>,
}

#[derive(Debug, Serialize)]
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
        match self.messages.last_mut() {
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
        match self.messages.last_mut() {
            Some(message) if message.role == role => message.blocks.extend(blocks),
            _ => self.messages.push(RoleMessage { role, blocks }),
        }
    }

    /// Applies the rules for the ends of messages and of the conversation, and sets the cache
    /// breakpoints.
    pub(super) fn finish(&mut self) {
        self.end_messages();
        let first = self.messages.first();
        if first.is_some_and(|message| message.role == MessageRole::Assistant) {
            let go_on = RoleMessage {
                role: MessageRole::User,
                blocks: vec![json!({"type": "text", "text": "Go on."})],
            };
            self.messages.insert(0, go_on);
        }
        self.trim_end();
        self.mark_for_cache();
    }

    /// Removes what the API rejects at the end of an assistant message: reasoning, and uses of its own
    /// tools without a result, unless the reply is still to be continued.
    fn end_messages(&mut self) {
        let last = self.messages.len().saturating_sub(1);
        let messages = std::mem::take(&mut self.messages);
        for (index, mut message) in messages.into_iter().enumerate() {
            if message.role == MessageRole::Assistant {
                server_tools::keep_pairs(&mut message.blocks, index == last);
                let end = message.blocks.iter().rposition(|block| !is_thinking(block));
                message.blocks.truncate(end.map_or(0, |end| end + 1));
            }
            self.add(message.role, message.blocks);
        }
    }

    /// The API rejects trailing white space in a last assistant text.
    fn trim_end(&mut self) {
        let last = self
            .messages
            .last_mut()
            .filter(|message| message.role == MessageRole::Assistant);
        let block = last.and_then(|message| message.blocks.last_mut());
        if let Some(block) = block.filter(|block| block["type"] == "text") {
            let text = block["text"].as_str().unwrap_or_default().trim_end();
            block["text"] = json!(text);
        }
    }

    /// Marks the last user message, and the one before it, where the previous request ended: a
    /// breakpoint looks back only 20 blocks, and more may have been added since.
    fn mark_for_cache(&mut self) {
        let users = self.messages.iter_mut().rev();
        let users = users.filter(|message| message.role == MessageRole::User);
        for block in users
            .take(2)
            .filter_map(|message| message.blocks.last_mut())
        {
            cache_here(block);
        }
    }

    /// Whether the conversation ends inside a tool loop whose first assistant message does not
    /// begin with thinking.
    pub(in crate::anthropic_messages) fn lacks_thinking(&self) -> bool {
        let asked = self.messages.iter().rposition(|message| {
            message.role == MessageRole::User && !message.blocks.first().is_some_and(is_result)
        });
        let since = self
            .messages
            .iter()
            .skip(asked.map_or(0, |asked| asked + 1));
        let mut replies = since.filter(|message| message.role == MessageRole::Assistant);
        let first = replies.next().and_then(|message| message.blocks.first());
        first.is_some_and(|block| !is_thinking(block))
    }

    pub(in crate::anthropic_messages) fn into_messages(self) -> impl Serialize {
        self.messages
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
