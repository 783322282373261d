use serde_json::{Value, json};

use super::model_reply::{ModelReply, proof};
use crate::ScriptedResponse;

pub(super) fn render(reply: &ModelReply, model: &str) -> ScriptedResponse {
    let mut stream = MessageStream {
        answer: ScriptedResponse::event_stream(Vec::new()),
        count: 0,
    };
    stream.write(&json!({"type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "usage": {"input_tokens": reply.usage.input, "output_tokens": 1},
    }}));
    if let Some(thinking) = &reply.thinking {
        stream.block(
            &json!({"type": "thinking", "thinking": "", "signature": ""}),
            &[
                json!({"type": "thinking_delta", "thinking": thinking}),
                json!({"type": "signature_delta", "signature": proof(model)}),
            ],
        );
    }
    if let Some(text) = &reply.text {
        stream.block(
            &json!({"type": "text", "text": ""}),
            &[json!({"type": "text_delta", "text": text})],
        );
    }
    for call in &reply.calls {
        stream.block(
            &json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}}),
            &[json!({"type": "input_json_delta", "partial_json": call.arguments})],
        );
    }
    let reason = if reply.calls.is_empty() {
        "end_turn"
    } else {
        "tool_use"
    };
    stream.write(&json!({
        "type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": null},
        "usage": {"output_tokens": reply.usage.output},
    }));
    stream.write(&json!({"type": "message_stop"}));
    stream.answer
}

struct MessageStream {
    answer: ScriptedResponse,
    count: usize,
}

impl MessageStream {
    fn block(&mut self, begun: &Value, deltas: &[Value]) {
        let index = self.count;
        self.count += 1;
        self.write(&json!({"type": "content_block_start", "index": index, "content_block": begun}));
        for delta in deltas {
            self.write(&json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        self.write(&json!({"type": "content_block_stop", "index": index}));
    }

    fn write(&mut self, payload: &Value) {
        let name = payload["type"].as_str().unwrap_or_default();
        let event = format!("event: {name}\ndata: {payload}\n\n");
        self.answer = self.answer.clone().write(event);
    }
}
