use serde_json::{Value, json};

use super::{Reply, proof};
use crate::Answer;

pub(super) fn render(reply: &Reply, model: &str) -> Answer {
    let mut parts = Vec::new();
    if let Some(thinking) = &reply.thinking {
        parts.push(json!({"text": thinking, "thought": true}));
    }
    if let Some(text) = &reply.text {
        parts.push(json!({"text": text}));
    }
    for call in &reply.calls {
        // Arguments that are not JSON cannot be said on this wire.
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        parts.push(json!({
            "functionCall": {"id": call.id, "name": call.name, "args": arguments},
        }));
    }
    if reply.thinking.is_some() {
        let calls = parts
            .iter()
            .position(|part| part["functionCall"].is_object());
        if let Some(place) = calls.or(parts.len().checked_sub(1)) {
            parts[place]["thoughtSignature"] = json!(proof(model));
        }
    }
    let mut answer = Answer::event_stream(Vec::new());
    for part in parts {
        answer = answer.write(event(model, &json!([part]), None));
    }
    answer.write(event(model, &json!([{"text": ""}]), Some("STOP")))
}

fn event(model: &str, parts: &Value, finish: Option<&str>) -> String {
    let mut candidate = json!({"index": 0, "content": {"role": "model", "parts": parts}});
    if let Some(reason) = finish {
        candidate["finishReason"] = json!(reason);
    }
    let payload = json!({
        "candidates": [candidate],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10},
        "modelVersion": model,
    });
    format!("data: {payload}\r\n\r\n")
}
