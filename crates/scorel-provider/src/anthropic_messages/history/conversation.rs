use serde_json::{Value, json};

/// The messages of a request: those of the user and of the assistant alternate.
#[derive(Debug, Default)]
pub(in crate::anthropic_messages) struct Conversation {
    turns: Vec<Turn>,
}

#[derive(Debug)]
struct Turn {
    role: Role,
    /// Never empty.
    blocks: Vec<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    User,
    Assistant,
}

impl Conversation {
    pub(super) fn add_user(&mut self, blocks: Vec<Value>) {
        self.add(Role::User, blocks);
    }

    pub(super) fn add_assistant(&mut self, blocks: Vec<Value>) {
        self.add(Role::Assistant, blocks);
    }

    /// All results of one answer's calls stand in one message, in front of everything else in it.
    pub(super) fn add_result(&mut self, result: Value) {
        match self.turns.last_mut() {
            Some(turn) if turn.role == Role::User => {
                let place = turn.blocks.iter().position(|block| !is_result(block));
                turn.blocks
                    .insert(place.unwrap_or(turn.blocks.len()), result);
            }
            _ => self.add(Role::User, vec![result]),
        }
    }

    fn add(&mut self, role: Role, blocks: Vec<Value>) {
        if blocks.is_empty() {
            return;
        }
        match self.turns.last_mut() {
            Some(turn) if turn.role == role => turn.blocks.extend(blocks),
            _ => self.turns.push(Turn { role, blocks }),
        }
    }

    /// Makes the ends of the conversation acceptable and marks where the cache is to hold.
    pub(super) fn finish(&mut self) {
        if self
            .turns
            .first()
            .is_some_and(|turn| turn.role == Role::Assistant)
        {
            let blocks = vec![json!({"type": "text", "text": "Go on."})];
            self.turns.insert(
                0,
                Turn {
                    role: Role::User,
                    blocks,
                },
            );
        }
        self.trim_end();
        self.mark_for_cache();
    }

    /// The text of an answer that is to be continued must not end in white space.
    fn trim_end(&mut self) {
        let last = self
            .turns
            .last_mut()
            .filter(|turn| turn.role == Role::Assistant);
        let block = last.and_then(|turn| turn.blocks.last_mut());
        if let Some(block) = block.filter(|block| block["type"] == "text") {
            let text = block["text"].as_str().unwrap_or_default().trim_end();
            block["text"] = json!(text);
        }
    }

    /// The last message of the user, and the one before it, up to which the request before this
    /// one was kept.
    fn mark_for_cache(&mut self) {
        let users = self.turns.iter_mut().rev();
        let users = users.filter(|turn| turn.role == Role::User).take(2);
        for block in users.filter_map(|turn| turn.blocks.last_mut()) {
            cache_here(block);
        }
    }

    /// Whether the conversation is in the middle of calls, and what the model said since it was
    /// asked does not begin with its thoughts.
    pub(in crate::anthropic_messages) fn lacks_thinking(&self) -> bool {
        let asked = self.turns.iter().rposition(|turn| {
            turn.role == Role::User && !turn.blocks.first().is_some_and(is_result)
        });
        let answers = self.turns.iter().skip(asked.map_or(0, |asked| asked + 1));
        let mut answers = answers.filter(|turn| turn.role == Role::Assistant);
        let first = answers.next().and_then(|turn| turn.blocks.first());
        first.is_some_and(|block| !is_thinking(block))
    }

    pub(in crate::anthropic_messages) fn into_messages(self) -> Value {
        let message = |turn: Turn| {
            let role = match turn.role {
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            json!({"role": role, "content": turn.blocks})
        };
        self.turns.into_iter().map(message).collect()
    }
}

/// Marks a block as the end of what the endpoint is to keep for the next request.
pub(in crate::anthropic_messages) fn cache_here(block: &mut Value) {
    block["cache_control"] = json!({"type": "ephemeral"});
}

fn is_result(block: &Value) -> bool {
    block["type"] == "tool_result"
}

fn is_thinking(block: &Value) -> bool {
    block["type"] == "thinking" || block["type"] == "redacted_thinking"
}
