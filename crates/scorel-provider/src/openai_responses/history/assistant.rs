use scorel_proto::{AssistantMessage, Block};
use serde_json::{Map, Value, json};

use crate::openai_responses::dialect::ResponsesEndpoint;
use crate::wire::{CallIds, ModelOrigin, digest, sendable_text, sent_tool_name};

/// The items of a message. Of a partial message only the text is sent.
pub(super) fn render(
    endpoint: &ResponsesEndpoint,
    message: &AssistantMessage,
    calls: &mut CallIds,
) -> Vec<Value> {
    let mut rendering = AssistantItems {
        sends_ids: endpoint.dialect.sends_ids,
        origin: endpoint.origin(),
        partial: message.partial,
        calls,
        items: Vec::new(),
        held: Vec::new(),
        open: None,
    };
    for block in &message.content {
        rendering.block(block);
    }
    rendering.items
}

struct AssistantItems<'a> {
    sends_ids: bool,
    origin: ModelOrigin,
    partial: bool,
    calls: &'a mut CallIds,
    items: Vec<Value>,
    /// Reasoning items, held until the item that follows them: OpenAI rejects reasoning "without
    /// its required following item".
    held: Vec<Value>,
    /// The id of the last item if it is a message, which may have further parts.
    open: Option<String>,
}

impl AssistantItems<'_> {
    /// Stored metadata, if it came from the same model and the message is complete.
    fn stored<'a>(&self, tag: Option<&'a Value>, name: &str) -> Option<&'a Value> {
        self.origin.fact(tag, name).filter(|_| !self.partial)
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Text { text, provider, .. } => self.text_or_item(text, provider.as_ref()),
            Block::Thinking { provider, .. } => {
                if let Some(item) = self.stored(provider.as_ref(), "reasoning") {
                    self.held.push(self.reasoning(item));
                }
            }
            Block::ToolUse {
                id,
                name,
                input,
                provider,
                ..
            } if !self.partial => {
                let stored = self.stored(provider.as_ref(), "call");
                let stored = stored.and_then(Value::as_object).cloned();
                self.call(id, name, input, stored.unwrap_or_default());
            }
            other => match sendable_text(other) {
                Some(text) => self.text(&text, &Value::Null),
                None => self.held.clear(),
            },
        }
    }

    /// An empty text block stands for an opaque item, or for nothing. In the second case the item
    /// that followed the held reasoning is missing, so the reasoning is dropped, too.
    fn text_or_item(&mut self, text: &str, provider: Option<&Value>) {
        if !text.trim().is_empty() {
            let stored = self.stored(provider, "message");
            self.text(text, stored.unwrap_or(&Value::Null));
        } else if let Some(item) = self.stored(provider, "item") {
            self.push(item.clone());
        } else {
            self.held.clear();
        }
    }

    fn text(&mut self, text: &str, stored: &Value) {
        let id = stored["id"].as_str();
        let part = part(text, stored);
        if self.open.is_some() && self.open.as_deref() == id && self.held.is_empty() {
            self.extend(part);
            return;
        }
        // A message whose content is an array needs an id on hosts that take ids; a string does not.
        let content = match self.sends_ids && id.is_none() {
            true => json!(text),
            false => json!([part]),
        };
        let mut message = json!({"type": "message", "role": "assistant", "content": content});
        if stored["phase"].is_string() {
            message["phase"] = stored["phase"].clone();
        }
        if let Some(id) = id.filter(|_| self.sends_ids) {
            message["id"] = json!(id);
            message["status"] = json!("completed");
        }
        self.push(message);
        self.open = id.map(str::to_owned);
    }

    fn extend(&mut self, part: Value) {
        let last = self.items.last_mut();
        if let Some(Value::Array(parts)) = last.map(|last| &mut last["content"]) {
            parts.push(part);
        }
    }

    fn reasoning(&self, item: &Value) -> Value {
        let mut item = item.clone();
        if !self.sends_ids
            && let Value::Object(fields) = &mut item
        {
            fields.shift_remove("id");
        }
        item
    }

    fn call(&mut self, id: &str, name: &str, input: &Value, stored: Map<String, Value>) {
        let call_id = self.calls.of_call(id);
        let made_up = || json!(format!("fc_{}", digest(&call_id, 32)));
        let mut item = json!({
            "type": "function_call",
            "call_id": call_id,
            "name": sent_tool_name(name),
            // Arguments that were not valid JSON are an empty object here: servers parse this
            // string and would reject every later request. Their result explains the error.
            "arguments": input.to_string(),
        });
        if let Value::Object(fields) = &mut item {
            fields.extend(stored);
            if self.sends_ids {
                fields.entry("id").or_insert_with(made_up);
            } else {
                fields.shift_remove("id");
            }
        }
        self.push(item);
    }

    fn push(&mut self, item: Value) {
        self.items.append(&mut self.held);
        self.items.push(item);
        self.open = None;
    }
}

fn part(text: &str, stored: &Value) -> Value {
    if stored["refusal"] == true {
        json!({"type": "refusal", "refusal": text})
    } else {
        json!({"type": "output_text", "text": text, "annotations": []})
    }
}
