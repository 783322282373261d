use serde_json::{Value, json};

use super::{Answer, Gate};

/// Puts together the event stream of one chat completion.
///
/// Every piece becomes one event and one write. `data: [DONE]` is added at the end, unless the
/// answer is [cut](Self::cut).
#[derive(Debug, Clone, Default)]
pub struct ChatAnswer {
    pieces: Vec<Piece>,
    calls: usize,
}

#[derive(Debug, Clone)]
enum Piece {
    Event(Value),
    Wait(Gate),
    Cut,
}

impl ChatAnswer {
    /// More text.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.delta(&json!({"content": text}))
    }

    /// More reasoning, in the field `reasoning_content`.
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

    /// The reason to stop: `stop`, `tool_calls`, `length` or `content_filter`.
    #[must_use]
    pub fn finish(self, reason: &str) -> Self {
        self.event(json!({
            "choices": [{"index": 0, "delta": {}, "finish_reason": reason}],
        }))
    }

    /// What the call used, in tokens.
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

    /// One `delta` of the first choice, as given.
    #[must_use]
    pub fn delta(self, delta: &Value) -> Self {
        self.event(json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}))
    }

    /// One event, as given; `id`, `object` and `model` are added where it has none.
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
        self.pieces.push(Piece::Event(event));
        self
    }

    /// Waits at the gate before the rest.
    #[must_use]
    pub fn wait(mut self, gate: &Gate) -> Self {
        self.pieces.push(Piece::Wait(gate.clone()));
        self
    }

    /// Closes the connection here.
    #[must_use]
    pub fn cut(mut self) -> Self {
        self.pieces.push(Piece::Cut);
        self
    }
}

impl From<ChatAnswer> for Answer {
    fn from(chat: ChatAnswer) -> Self {
        let start = Self::event_stream(Vec::new());
        let answer = chat
            .pieces
            .into_iter()
            .fold(start, |answer, piece| match piece {
                Piece::Event(event) => answer.write(format!("data: {event}\n\n")),
                Piece::Wait(gate) => answer.wait(&gate),
                Piece::Cut => answer.cut(),
            });
        answer.write("data: [DONE]\n\n")
    }
}
