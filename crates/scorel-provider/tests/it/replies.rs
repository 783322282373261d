//! Replies that are not streamed.

use scorel_testkit::ScriptedResponse;
use serde_json::json;

/// A complete message of the Messages API with a text.
pub(crate) fn anthropic_says(text: &str) -> ScriptedResponse {
    let message = json!({
        "type": "message", "role": "assistant", "model": "model-1", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": text}],
        "usage": {"input_tokens": 3, "output_tokens": 2},
    });
    ScriptedResponse::json(200, message.to_string())
}

/// A complete response of the Responses API with a text.
pub(crate) fn responses_says(text: &str) -> ScriptedResponse {
    let message = json!({
        "type": "message", "role": "assistant", "status": "completed", "id": "msg_1",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    });
    let response = json!({
        "object": "response", "status": "completed", "model": "m", "error": null,
        "output": [message], "usage": {"input_tokens": 3, "output_tokens": 2},
    });
    ScriptedResponse::json(200, response.to_string())
}
