use scorel_proto::{AssistantMessage, Block};
use serde_json::{Value, json};

use crate::anthropic_messages::Endpoint;
use crate::anthropic_messages::opaque::{kept, kept_at};
use crate::wire::{CallIds, Content, ModelOrigin};

/// The message's blocks, in their order, with those between them that the endpoint gave for itself.
///
/// Of an answer that was cut off only the text is sent.
pub(super) fn render(
    endpoint: &Endpoint,
    ids: &mut CallIds,
    message: &AssistantMessage,
) -> Vec<Value> {
    let origin = endpoint.origin();
    if message.partial {
        return message
            .content
            .iter()
            .filter_map(|block| text(endpoint, block))
            .collect();
    }
    let kept = kept(&origin, message.meta.provider.as_ref());
    let mut rendered = Vec::new();
    for (at, block) in message.content.iter().enumerate() {
        rendered.extend(kept_at(kept, at).cloned());
        rendered.extend(match block {
            Block::Thinking { .. } => thinking(&origin, block),
            Block::ToolUse { .. } => call(&origin, ids, block),
            _ => text(endpoint, block),
        });
    }
    rendered.extend(kept_at(kept, message.content.len()).cloned());
    rendered
}

fn text(endpoint: &Endpoint, block: &Block) -> Option<Value> {
    let Content::Text(text) = Content::of(endpoint, block)? else {
        return None;
    };
    let mut rendered = json!({"type": "text", "text": text});
    if let Block::Text { provider, .. } = block
        && let Some(citations) = endpoint.origin().fact(provider.as_ref(), "citations")
    {
        rendered["citations"] = citations.clone();
    }
    Some(rendered)
}

/// The reasoning if this model signed it, even if it shows nothing of it.
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

/// Arguments that could not be parsed are an empty object here. Their result says what was wrong.
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
        "name": name,
        "input": input,
    });
    if let Some(caller) = origin.fact(provider.as_ref(), "caller") {
        call["caller"] = caller.clone();
    }
    Some(call)
}
