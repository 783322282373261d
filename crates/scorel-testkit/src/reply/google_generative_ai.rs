use serde_json::{Value, json};

use super::model_reply::{ModelReply, proof};
use crate::ScriptedResponse;

pub(super) fn render(reply: &ModelReply, model: &str) -> ScriptedResponse {
    let mut parts = Vec::new();
    if let Some(thinking) = &reply.thinking {
        parts.push(json!({"text": thinking, "thought": true}));
    }
    if let Some(text) = &reply.text {
        parts.push(json!({"text": text}));
    }
    for call in &reply.calls {
        // This API sends arguments as an object, so invalid JSON cannot be represented.
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        parts.push(json!({
            "functionCall": {"id": call.id, "name": call.name, "args": arguments},
        }));
    }
    if reply.thinking.is_some() {
        let calls = parts
            .iter()
            .position(|part| part["functionCall"].is_object());
        if let Some(signed) = calls.or(parts.len().checked_sub(1)) {
            parts[signed]["thoughtSignature"] = json!(proof(model));
        }
    }
    let mut answer = ScriptedResponse::event_stream(Vec::new());
    for part in parts {
        answer = answer.write(event(reply, model, &json!([part]), None));
    }
    answer.write(event(reply, model, &json!([{"text": ""}]), Some("STOP")))
}

fn event(reply: &ModelReply, model: &str, parts: &Value, finish: Option<&str>) -> String {
    let mut candidate = json!({"index": 0, "content": {"role": "model", "parts": parts}});
    if let Some(reason) = finish {
        candidate["finishReason"] = json!(reason);
    }
    let usage = reply.usage;
    let payload = json!({
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": usage.input, "candidatesTokenCount": usage.output,
        },
        "modelVersion": model,
    });
    format!("data: {payload}\r\n\r\n")
}
