use scorel_proto::{AssistantMessage, Block};
use serde_json::{Map, Value, json};

use crate::google_generative_ai::Endpoint;
use crate::google_generative_ai::family::Family;
use crate::google_generative_ai::passback::{self, CallFacts, SignedSpan};
use crate::wire::{ModelOrigin, said};

/// Stands for the signature of a call that has none because another model made it.
const FOREIGN_SIGNATURE: &str = "skip_thought_signature_validator";

/// What is sent of the model's message.
#[derive(Debug, Default)]
pub(super) struct Sent<'a> {
    pub(super) parts: Vec<Value>,
    pub(super) calls: Vec<SentCall<'a>>,
}

/// A call, and how its response names it.
#[derive(Debug)]
pub(super) struct SentCall<'a> {
    pub(super) id: &'a str,
    /// The id that was sent: only one that the same model gave, as not every endpoint takes ids.
    pub(super) sent_id: Option<String>,
}

/// The parts of a message, each where it was. Of an answer that was cut off only the text is sent.
pub(super) fn render<'a>(
    endpoint: &Endpoint,
    family: Family,
    message: &'a AssistantMessage,
) -> Sent<'a> {
    let origin = endpoint.origin();
    let mut sent = Sent::default();
    for block in &message.content {
        match block {
            Block::Text { text, provider } if !message.partial => {
                sent.text(text, provider.as_ref(), &origin);
            }
            Block::Text { .. } | Block::Blob { .. } => sent.plain(&said(block).unwrap_or_default()),
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
                let facts = CallFacts::kept(provider.as_ref(), &origin);
                sent.call(family, id, (name, input), facts);
            }
            _ => {}
        }
    }
    sent
}

impl<'a> Sent<'a> {
    fn plain(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.parts.push(json!({"text": text}));
        }
    }

    fn text(&mut self, text: &str, provider: Option<&Value>, origin: &ModelOrigin) {
        if let Some(part) = passback::kept_part(provider, origin) {
            self.parts.push(part.clone());
            return;
        }
        let spans = SignedSpan::kept(provider, origin);
        let mut at = 0;
        for span in spans {
            // Should the text have changed since, the signature no longer belongs to it.
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

    /// Thoughts are for people; only what is signed has a meaning for the model.
    fn thought(&mut self, text: &str, provider: Option<&Value>, origin: &ModelOrigin) {
        if let Some(signature) = passback::kept_thought(provider, origin) {
            let part = json!({"text": text, "thought": true, "thoughtSignature": signature});
            self.parts.push(part);
        }
    }

    fn call(&mut self, family: Family, id: &'a str, call: (&str, &Value), facts: CallFacts) {
        let mut function = Map::new();
        if let Some(id) = &facts.id {
            function.insert("id".to_owned(), json!(id));
        }
        function.insert("name".to_owned(), json!(call.0));
        function.insert("args".to_owned(), call.1.clone());
        let mut part = Map::new();
        part.insert("functionCall".to_owned(), Value::Object(function));
        let is_first = self.calls.is_empty();
        let missing = family.signed_calls && is_first;
        let foreign = missing.then(|| FOREIGN_SIGNATURE.to_owned());
        if let Some(signature) = facts.signature.or(foreign) {
            part.insert("thoughtSignature".to_owned(), json!(signature));
        }
        self.parts.push(Value::Object(part));
        self.calls.push(SentCall {
            id,
            sent_id: facts.id,
        });
    }
}
