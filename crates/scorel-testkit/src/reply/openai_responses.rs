use serde_json::{Value, json};

use super::{Reply, proof};
use crate::Answer;

pub(super) fn render(reply: &Reply, model: &str) -> Answer {
    let mut answer = Answer::event_stream(Vec::new());
    let mut items = Vec::new();
    answer = answer.write(event(&json!({
        "type": "response.created",
        "response": {"id": "resp_1", "model": model, "status": "in_progress", "output": []},
    })));
    if let Some(thinking) = &reply.thinking {
        let place = items.len();
        let delta = json!({
            "type": "response.reasoning_summary_text.delta", "output_index": place,
            "summary_index": 0, "delta": thinking,
        });
        let item = json!({
            "type": "reasoning", "id": format!("rs_{place}"),
            "summary": [{"type": "summary_text", "text": thinking}],
            "encrypted_content": proof(model),
        });
        answer = write_item(answer, place, &item, &[delta]);
        items.push(item);
    }
    if let Some(text) = &reply.text {
        let place = items.len();
        let delta = json!({
            "type": "response.output_text.delta", "output_index": place,
            "content_index": 0, "delta": text,
        });
        let item = json!({
            "type": "message", "id": format!("msg_{place}"), "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        });
        answer = write_item(answer, place, &item, &[delta]);
        items.push(item);
    }
    for call in &reply.calls {
        let place = items.len();
        let delta = json!({
            "type": "response.function_call_arguments.delta", "output_index": place,
            "delta": call.arguments,
        });
        let item = json!({
            "type": "function_call", "id": format!("fc_{place}"), "status": "completed",
            "call_id": call.id, "name": call.name, "arguments": call.arguments,
        });
        answer = write_item(answer, place, &item, &[delta]);
        items.push(item);
    }
    answer.write(event(&json!({
        "type": "response.completed",
        "response": {
            "id": "resp_1", "model": model, "status": "completed", "output": items,
            "usage": {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110},
        },
    })))
}

/// The beginning, the pieces and the end of one item.
fn write_item(mut answer: Answer, place: usize, item: &Value, deltas: &[Value]) -> Answer {
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
        "type": "response.output_item.added", "output_index": place, "item": begun,
    });
    answer = answer.write(event(&added));
    for delta in deltas {
        answer = answer.write(event(delta));
    }
    let done = json!({"type": "response.output_item.done", "output_index": place, "item": item});
    answer.write(event(&done))
}

fn event(payload: &Value) -> String {
    let name = payload["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {payload}\n\n")
}
