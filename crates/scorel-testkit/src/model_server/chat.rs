use serde_json::{Value, json};

use super::gate::ResponseGate;
use super::response::ScriptedResponse;

/// Builds the event stream of one chat completion.
///
/// Every piece becomes one event and one write. `data: [DONE]` follows, unless the stream is
/// [cut](Self::cut).
#[derive(Debug, Clone, Default)]
pub struct ScriptedChat {
    pieces: Vec<ChatPiece>,
    calls: usize,
}

#[derive(Debug, Clone)]
enum ChatPiece {
    Event(Value),
    Wait(ResponseGate),
    Cut,
}

impl ScriptedChat {
    /// A text delta.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.delta(&json!({"content": text}))
    }

    /// A `reasoning_content` delta.
    #[must_use]
    pub fn thinking(self, text: &str) -> Self {
        self.delta(&json!({"reasoning_content": text}))
    }

    /// A whole tool call; `arguments` is its JSON text.
    #[must_use]
    pub fn tool_call(mut self, id: &str, name: &str, arguments: &str) -> Self {
        let index = self.calls;
        self.calls += 1;
        self.delta(&json!({"tool_calls": [{
            "index": index,
            "id": id,
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }]}))
    }

    /// The finish reason: `stop`, `tool_calls`, `length` or `content_filter`.
    #[must_use]
    pub fn finish(self, reason: &str) -> Self {
        self.event(json!({
            "choices": [{"index": 0, "delta": {}, "finish_reason": reason}],
        }))
    }

    /// The usage chunk, in tokens.
    #[must_use]
    pub fn usage(self, input: u64, output: u64) -> Self {
        self.event(json!({
            "choices": [],
            "usage": {
                "prompt_tokens": input,
                "completion_tokens": output,
                "total_tokens": input + output,
            },
        }))
    }

    /// Any `delta` of the first choice.
    #[must_use]
    pub fn delta(self, delta: &Value) -> Self {
        self.event(json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}))
    }

    /// Any event; `id`, `object` and `model` are added if missing.
    #[must_use]
    pub fn event(mut self, mut event: Value) -> Self {
        if let Some(fields) = event.as_object_mut() {
            for (name, value) in [
                ("id", "chatcmpl-test"),
                ("object", "chat.completion.chunk"),
                ("model", "test-model"),
            ] {
                fields.entry(name).or_insert_with(|| json!(value));
            }
        }
        self.pieces.push(ChatPiece::Event(event));
        self
    }

    /// Waits at the gate before the rest.
    #[must_use]
    pub fn wait(mut self, gate: &ResponseGate) -> Self {
        self.pieces.push(ChatPiece::Wait(gate.clone()));
        self
    }

    /// Closes the connection here.
    #[must_use]
    pub fn cut(mut self) -> Self {
        self.pieces.push(ChatPiece::Cut);
        self
    }
}

impl ScriptedResponse {
    /// A builder for a streamed chat completion.
    pub fn chat() -> ScriptedChat {
        ScriptedChat::default()
    }
}

impl From<ScriptedChat> for ScriptedResponse {
    fn from(chat: ScriptedChat) -> Self {
        let start = Self::event_stream(Vec::new());
        let answer = chat
            .pieces
            .into_iter()
            .fold(start, |answer, piece| match piece {
                ChatPiece::Event(event) => answer.write(format!("data: {event}\n\n")),
                ChatPiece::Wait(gate) => answer.wait(&gate),
                ChatPiece::Cut => answer.cut(),
            });
        answer.write("data: [DONE]\n\n")
    }
}
