use serde_json::{Value, json};

use super::model_reply::{ModelReply, proof};
use crate::ScriptedResponse;

pub(super) fn render(reply: &ModelReply, model: &str) -> ScriptedResponse {
    let mut answer = ScriptedResponse::event_stream(Vec::new());
    let mut items = Vec::new();
    answer = answer.write(event(&json!({
        "type": "response.created",
        "response": {"id": "resp_1", "model": model, "status": "in_progress", "output": []},
    })));
    if let Some(thinking) = &reply.thinking {
        let index = items.len();
        let delta = json!({
            "type": "response.reasoning_summary_text.delta", "output_index": index,
            "summary_index": 0, "delta": thinking,
        });
        let item = json!({
            "type": "reasoning", "id": format!("rs_{index}"),
            "summary": [{"type": "summary_text", "text": thinking}],
            "encrypted_content": proof(model),
        });
        answer = write_item(answer, index, &item, &[delta]);
        items.push(item);
    }
    if let Some(text) = &reply.text {
        let index = items.len();
        let delta = json!({
            "type": "response.output_text.delta", "output_index": index,
            "content_index": 0, "delta": text,
        });
        let item = json!({
            "type": "message", "id": format!("msg_{index}"), "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        });
        answer = write_item(answer, index, &item, &[delta]);
        items.push(item);
    }
    for call in &reply.calls {
        let index = items.len();
        let delta = json!({
            "type": "response.function_call_arguments.delta", "output_index": index,
            "delta": call.arguments,
        });
        let item = json!({
            "type": "function_call", "id": format!("fc_{index}"), "status": "completed",
            "call_id": call.id, "name": call.name, "arguments": call.arguments,
        });
        answer = write_item(answer, index, &item, &[delta]);
        items.push(item);
    }
    let usage = reply.usage;
    answer.write(event(&json!({
        "type": "response.completed",
        "response": {
            "id": "resp_1", "model": model, "status": "completed", "output": items,
            "usage": {
                "input_tokens": usage.input, "output_tokens": usage.output,
                "total_tokens": usage.input + usage.output,
            },
        },
    })))
}

/// Writes `output_item.added`, the deltas and `output_item.done` of an item.
fn write_item(
    mut answer: ScriptedResponse,
    index: usize,
    item: &Value,
    deltas: &[Value],
) -> ScriptedResponse {
    let mut begun = item.clone();
    for (field, empty) in [
        ("summary", json!([])),
        ("content", json!([])),
        ("arguments", json!("")),
    ] {
        if begun.get(field).is_some() {
            begun[field] = empty;
        }
    }
    let added = json!({
        "type": "response.output_item.added", "output_index": index, "item": begun,
    });
    answer = answer.write(event(&added));
    for delta in deltas {
        answer = answer.write(event(delta));
    }
    let done = json!({"type": "response.output_item.done", "output_index": index, "item": item});
    answer.write(event(&done))
}

fn event(payload: &Value) -> String {
    let name = payload["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {payload}\n\n")
}
