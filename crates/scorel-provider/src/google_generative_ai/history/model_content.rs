use scorel_proto::{AssistantMessage, Block};
use serde_json::{Map, Value, json};

use crate::google_generative_ai::dialect::GeminiEndpoint;
use crate::google_generative_ai::family::GeminiFamily;
use crate::google_generative_ai::passback::{
    CALL, CallFacts, PART, SIGNED, SignedSpan, THOUGHT, stored,
};
use crate::wire::{ModelOrigin, sendable_text, sent_function_name};

/// Accepted in place of the signature of a call that another model made.
const FOREIGN_SIGNATURE: &str = "skip_thought_signature_validator";

/// An assistant message as it is sent.
#[derive(Debug, Default)]
pub(super) struct ModelContent {
    pub(super) parts: Vec<Value>,
    pub(super) calls: Vec<SentCall>,
}

#[derive(Debug)]
pub(super) struct SentCall {
    pub(super) id: String,
    pub(super) name: String,
    /// The id in the request, which the response has to repeat. Only ids that this model issued are
    /// sent: older Gemini models issue none, and not every endpoint takes them.
    pub(super) sent_id: Option<String>,
}

/// The parts of a message in their order: a signature is only valid on its own part, which must not
/// be moved or merged. Of a partial message only the text is sent.
pub(super) fn render(
    endpoint: &GeminiEndpoint,
    family: GeminiFamily,
    message: &AssistantMessage,
) -> ModelContent {
    let origin = endpoint.origin();
    let mut sent = ModelContent::default();
    for block in &message.content {
        match block {
            Block::Text { text, provider, .. } if !message.partial => {
                sent.text(text, provider.as_ref(), &origin);
            }
            Block::Text { .. } | Block::Blob { .. } => {
                sent.plain(&sendable_text(block).unwrap_or_default());
            }
            _ if message.partial => {}
            Block::Thinking { text, provider, .. } => {
                sent.thought(text, provider.as_ref(), &origin);
            }
            Block::ToolUse {
                id,
                name,
                input,
                provider,
                ..
            } => {
                let facts = stored(&origin, provider.as_ref(), CALL);
                sent.call(family, id, (name, input), facts);
            }
            _ => {}
        }
    }
    sent
}

impl ModelContent {
    fn plain(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.parts.push(json!({"text": text}));
        }
    }

    fn text(&mut self, text: &str, provider: Option<&Value>, origin: &ModelOrigin) {
        if let Some(part) = origin.fact(provider, PART) {
            self.parts.push(part.clone());
            return;
        }
        let spans: Vec<SignedSpan> = stored(origin, provider, SIGNED);
        let mut at = 0;
        for span in spans {
            // The text was edited since: the signature no longer belongs to it.
            let between = text.get(at..span.start);
            let (Some(between), Some(signed)) = (between, text.get(span.start..span.end)) else {
                break;
            };
            self.plain(between);
            let part = json!({"text": signed, "thoughtSignature": span.signature});
            self.parts.push(part);
            at = span.end;
        }
        self.plain(&text[at..]);
    }

    /// Thoughts are summaries for display and need not go back, unless they are signed.
    fn thought(&mut self, text: &str, provider: Option<&Value>, origin: &ModelOrigin) {
        let signature = origin.fact(provider, THOUGHT).and_then(Value::as_str);
        if let Some(signature) = signature {
            let part = json!({"text": text, "thought": true, "thoughtSignature": signature});
            self.parts.push(part);
        }
    }

    fn call(
        &mut self,
        family: GeminiFamily,
        id: &str,
        (name, input): (&str, &Value),
        facts: CallFacts,
    ) {
        let mut function = Map::new();
        if let Some(id) = &facts.id {
            function.insert("id".to_owned(), json!(id));
        }
        function.insert("name".to_owned(), json!(sent_function_name(name)));
        function.insert("args".to_owned(), input.clone());
        let mut part = Map::new();
        part.insert("functionCall".to_owned(), Value::Object(function));
        // Of parallel calls only the first one is signed.
        let required = family.signs_calls() && self.calls.is_empty();
        let foreign = required.then(|| FOREIGN_SIGNATURE.to_owned());
        if let Some(signature) = facts.signature.or(foreign) {
            part.insert("thoughtSignature".to_owned(), json!(signature));
        }
        self.parts.push(Value::Object(part));
        self.calls.push(SentCall {
            id: id.to_owned(),
            name: name.to_owned(),
            sent_id: facts.id,
        });
    }
}
