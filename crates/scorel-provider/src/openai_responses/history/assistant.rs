use scorel_proto::{AssistantMessage, Block};
use serde_json::{Map, Value, json};

use crate::openai_responses::Endpoint;
use crate::openai_responses::dialect::ItemIds;
use crate::wire::{CallIds, ModelOrigin, digest, said};

/// The items of a message; none if it holds neither text nor calls.
///
/// Of an answer that was cut off only the text is sent.
pub(super) fn render(
    endpoint: &Endpoint,
    message: &AssistantMessage,
    calls: &mut CallIds,
) -> Vec<Value> {
    let mut rendering = Rendering {
        ids: endpoint.dialect.ids,
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

struct Rendering<'a> {
    ids: ItemIds,
    origin: ModelOrigin,
    partial: bool,
    calls: &'a mut CallIds,
    items: Vec<Value>,
    /// Reasoning that waits for the item that came after it: without that it is refused.
    held: Vec<Value>,
    /// The id of the message that the last item is, as it may have more parts.
    open: Option<String>,
}

impl Rendering<'_> {
    /// What was kept for the endpoint, if it came from the same model and was not cut off.
    fn kept<'a>(&self, tag: Option<&'a Value>, name: &str) -> Option<&'a Value> {
        self.origin.fact(tag, name).filter(|_| !self.partial)
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Text { text, provider } => self.text_or_item(text, provider.as_ref()),
            Block::Thinking { provider, .. } => {
                if let Some(item) = self.kept(provider.as_ref(), "reasoning") {
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
                let kept = self.kept(provider.as_ref(), "call");
                let kept = kept.and_then(Value::as_object).cloned();
                self.call(id, name, input, kept.unwrap_or_default());
            }
            other => match said(other) {
                Some(text) => self.text(&text, &Value::Null),
                None => self.held.clear(),
            },
        }
    }

    /// An empty text stands for an item that only the endpoint understands, or for nothing. Then
    /// what the reasoning before it needs behind it is not sent.
    fn text_or_item(&mut self, text: &str, provider: Option<&Value>) {
        if !text.trim().is_empty() {
            let kept = self.kept(provider, "message");
            self.text(text, kept.unwrap_or(&Value::Null));
        } else if let Some(item) = self.kept(provider, "item") {
            self.push(item.clone());
        } else {
            self.held.clear();
        }
    }

    fn text(&mut self, text: &str, kept: &Value) {
        let id = kept["id"].as_str();
        let part = part(text, kept);
        if self.open.is_some() && self.open.as_deref() == id && self.held.is_empty() {
            self.extend(part);
            return;
        }
        let content = match self.ids {
            // The plain form is the one that needs no id.
            ItemIds::Sent if id.is_none() => json!(text),
            _ => json!([part]),
        };
        let mut message = json!({"type": "message", "role": "assistant", "content": content});
        if kept["phase"].is_string() {
            message["phase"] = kept["phase"].clone();
        }
        if let (ItemIds::Sent, Some(id)) = (self.ids, id) {
            message["id"] = json!(id);
            message["status"] = json!("completed");
        }
        self.push(message);
        self.open = id.map(str::to_owned);
    }

    /// Adds a part to the last item.
    fn extend(&mut self, part: Value) {
        let last = self.items.last_mut();
        if let Some(Value::Array(parts)) = last.map(|last| &mut last["content"]) {
            parts.push(part);
        }
    }

    fn reasoning(&self, item: &Value) -> Value {
        let mut item = item.clone();
        if let (ItemIds::Omitted, Value::Object(fields)) = (self.ids, &mut item) {
            fields.shift_remove("id");
        }
        item
    }

    fn call(&mut self, id: &str, name: &str, input: &Value, kept: Map<String, Value>) {
        let call_id = self.calls.of_call(id);
        let made_up = || json!(format!("fc_{}", digest(&call_id, 32)));
        let mut item = json!({
            "type": "function_call",
            "call_id": call_id,
            "name": name,
            // Arguments that could not be parsed are an empty object here: servers parse this text,
            // too, and would refuse the conversation for good. Their result says what was wrong.
            "arguments": input.to_string(),
        });
        if let Value::Object(fields) = &mut item {
            fields.extend(kept);
            match self.ids {
                ItemIds::Omitted => {
                    fields.shift_remove("id");
                }
                ItemIds::Sent => {
                    fields.entry("id").or_insert_with(made_up);
                }
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

fn part(text: &str, kept: &Value) -> Value {
    if kept["refusal"] == true {
        json!({"type": "refusal", "refusal": text})
    } else {
        json!({"type": "output_text", "text": text, "annotations": []})
    }
}
