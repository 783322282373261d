//! The model of a history: the last message says how it answers.

use std::sync::{Arc, Mutex};

use scorel_testkit::{RecordedRequest, ResponseGate, ScriptedChat, ScriptedResponse};
use serde_json::json;

/// The part of an answer that comes before its gate.
pub(super) const HALF: &str = "half an answer";

/// The pieces of a large answer and their length: more than all buffers on the way hold.
const PIECES: usize = 400;
const PIECE: usize = 4096;

/// The gate of the answers that do not end by themselves.
#[derive(Clone, Default)]
pub(super) struct Held(Arc<Mutex<ResponseGate>>);

impl Held {
    /// Ends the answers that wait. Later ones wait again.
    pub(super) fn release(&self) {
        std::mem::take(&mut *self.0.lock().unwrap()).open();
    }

    pub(super) fn answer(&self, request: &RecordedRequest) -> ScriptedResponse {
        let request = request.json();
        let messages = request["messages"].as_array().unwrap();
        let last = messages.last().unwrap();
        let text = last["content"].to_string();
        let chat = ScriptedChat::default();
        if last["role"] == "tool" || request["tools"].is_null() {
            return chat.text("so it is").finish("stop").usage(10, 5).into();
        }
        if text.contains("please hold") {
            let gate = self.0.lock().unwrap().clone();
            let chat = chat.thinking("hm").text(HALF).wait(&gate);
            return chat.text(" and on").finish("stop").usage(10, 5).into();
        }
        if text.contains("please ask") {
            let input = json!({"path": "asked.txt", "content": text}).to_string();
            let chat = chat.text("may I?").tool_call("call_1", "Write", &input);
            return chat.finish("tool_calls").usage(10, 5).into();
        }
        if text.contains("please flood") {
            let piece = "x".repeat(PIECE);
            let chat = (0..PIECES).fold(chat, |chat, _| chat.text(&piece));
            return chat.finish("stop").usage(10, 5).into();
        }
        chat.text("well")
            .text(" said")
            .finish("stop")
            .usage(10, 5)
            .into()
    }
}
