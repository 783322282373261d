use scorel_proto::{AssistantMessage, Block};
use serde_json::{Value, json};

use crate::anthropic_messages::dialect::AnthropicEndpoint;
use crate::anthropic_messages::opaque::{stored, stored_at};
use crate::wire::{CallIds, ModelOrigin, sendable_text, sent_tool_name};

/// The blocks of a message in their order, with the opaque ones between them.
///
/// Of a partial message only the text is sent: its reasoning may lack the signature, and its calls
/// were not run.
pub(super) fn render(
    endpoint: &AnthropicEndpoint,
    ids: &mut CallIds,
    message: &AssistantMessage,
) -> Vec<Value> {
    let origin = endpoint.origin();
    if message.partial {
        let texts = message.content.iter();
        return texts.filter_map(|block| text(&origin, block)).collect();
    }
    let opaque = stored(&origin, message.meta.provider.as_ref());
    let mut rendered = Vec::new();
    for (at, block) in message.content.iter().enumerate() {
        rendered.extend(stored_at(opaque, at).cloned());
        rendered.extend(match block {
            Block::Thinking { .. } => thinking(&origin, block),
            Block::ToolUse { .. } => call(&origin, ids, block),
            _ => text(&origin, block),
        });
    }
    rendered.extend(stored_at(opaque, message.content.len()).cloned());
    rendered
}

fn text(origin: &ModelOrigin, block: &Block) -> Option<Value> {
    let mut rendered = json!({"type": "text", "text": sendable_text(block)?});
    if let Block::Text { provider, .. } = block
        && let Some(citations) = origin.fact(provider.as_ref(), "citations")
    {
        rendered["citations"] = citations.clone();
    }
    Some(rendered)
}

/// Reasoning that this model signed, unchanged. An empty text with a signature is sent, too:
/// leaving it out is rejected.
fn thinking(origin: &ModelOrigin, block: &Block) -> Option<Value> {
    let Block::Thinking {
        text,
        signature,
        redacted,
        provider,
    } = block
    else {
        return None;
    };
    origin.fact(provider.as_ref(), "signed")?;
    let signature = signature.as_ref()?;
    Some(if *redacted {
        json!({"type": "redacted_thinking", "data": signature})
    } else {
        json!({"type": "thinking", "thinking": text, "signature": signature})
    })
}

/// Arguments that were not valid JSON are an empty object here; their result explains the error.
fn call(origin: &ModelOrigin, ids: &mut CallIds, block: &Block) -> Option<Value> {
    let Block::ToolUse {
        id,
        name,
        input,
        provider,
        ..
    } = block
    else {
        return None;
    };
    let mut call = json!({
        "type": "tool_use",
        "id": ids.of_call(id),
        "name": sent_tool_name(name),
        "input": input,
    });
    if let Some(caller) = origin.fact(provider.as_ref(), "caller") {
        call["caller"] = caller.clone();
    }
    Some(call)
}
