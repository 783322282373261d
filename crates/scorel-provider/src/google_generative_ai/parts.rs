use scorel_runtime::ProviderEvent;
use serde_json::Value;

use super::passback::{self, SignedSpan};
use super::pending_call::{Misplaced, PendingCall};
use crate::wire::ModelOrigin;

/// The largest part, in bytes of JSON, that is kept without being understood: it goes into the log
/// and back with every request.
const OPAQUE_LIMIT: usize = 256 << 10;

/// Makes blocks of the parts of one answer.
#[derive(Debug)]
pub(super) struct Parts {
    origin: ModelOrigin,
    /// How many blocks have begun.
    blocks: usize,
    open: Open,
    has_calls: bool,
}

/// What the next part may continue.
#[derive(Debug, Default)]
enum Open {
    #[default]
    Nothing,
    Text {
        block: usize,
        /// In bytes.
        length: usize,
        signed: Vec<SignedSpan>,
    },
    Thinking {
        block: usize,
    },
    Call(PendingCall),
}

impl Parts {
    pub(super) const fn new(origin: ModelOrigin) -> Self {
        Self {
            origin,
            blocks: 0,
            open: Open::Nothing,
            has_calls: false,
        }
    }

    pub(super) const fn has_calls(&self) -> bool {
        self.has_calls
    }

    pub(super) fn add(
        &mut self,
        part: &Value,
        out: &mut Vec<ProviderEvent>,
    ) -> Result<(), Misplaced> {
        let signature = part["thoughtSignature"].as_str();
        let signature = signature.filter(|signature| !signature.is_empty());
        if let Some(call) = part.get("functionCall") {
            return self.call(call, signature, out);
        }
        match part["text"].as_str() {
            Some("") if signature.is_none() => {}
            Some(text) if part["thought"] == true => self.thinking(text, signature, out),
            Some(text) => self.text(text, signature, out),
            None => self.opaque(part, out),
        }
        Ok(())
    }

    /// Ends the call that may still be open.
    pub(super) fn finish(&mut self, out: &mut Vec<ProviderEvent>) {
        if let Open::Call(call) = std::mem::take(&mut self.open) {
            let block = self.next_block();
            call.finish(block, &self.origin, out);
            self.has_calls = true;
        }
    }

    fn call(
        &mut self,
        call: &Value,
        signature: Option<&str>,
        out: &mut Vec<ProviderEvent>,
    ) -> Result<(), Misplaced> {
        let name = call["name"].as_str().filter(|name| !name.is_empty());
        let is_open = matches!(self.open, Open::Call(_));
        // One that has arguments but no name is answered with an error instead of lost.
        let begins = name.is_some() || !is_open && call["args"].is_object();
        if begins {
            self.finish(out);
            self.open = Open::Call(PendingCall::new(name.unwrap_or_default()));
        }
        let Open::Call(pending) = &mut self.open else {
            return Ok(());
        };
        pending.add(call, signature)?;
        if call["willContinue"] != true {
            self.finish(out);
        }
        Ok(())
    }

    fn text(&mut self, text: &str, signature: Option<&str>, out: &mut Vec<ProviderEvent>) {
        if !matches!(self.open, Open::Text { .. }) {
            self.finish(out);
            self.open = Open::Text {
                block: self.next_block(),
                length: 0,
                signed: Vec::new(),
            };
        }
        let Open::Text {
            block,
            length,
            signed,
        } = &mut self.open
        else {
            return;
        };
        let (block, start) = (*block, *length);
        *length += text.len();
        if !text.is_empty() {
            let delta = text.to_owned();
            out.push(ProviderEvent::Text { block, delta });
        }
        if let Some(signature) = signature {
            signed.push(SignedSpan {
                start,
                end: *length,
                signature: signature.to_owned(),
            });
            let provider = SignedSpan::tag(signed, &self.origin);
            out.push(ProviderEvent::TextMeta { block, provider });
        }
    }

    fn thinking(&mut self, text: &str, signature: Option<&str>, out: &mut Vec<ProviderEvent>) {
        let block = match self.open {
            Open::Thinking { block } => block,
            _ => {
                self.finish(out);
                self.next_block()
            }
        };
        self.open = Open::Thinking { block };
        if !text.is_empty() {
            let delta = text.to_owned();
            out.push(ProviderEvent::Thinking { block, delta });
        }
        if let Some(signature) = signature {
            out.push(ProviderEvent::ThinkingMeta {
                block,
                signature: None,
                redacted: false,
                provider: Some(passback::tag_thought(signature, &self.origin)),
            });
            // The signature is that of the thoughts before it.
            self.open = Open::Nothing;
        }
    }

    /// Keeps what only the endpoint understands, such as the runs of its own tools.
    fn opaque(&mut self, part: &Value, out: &mut Vec<ProviderEvent>) {
        let is_empty = part.as_object().is_none_or(serde_json::Map::is_empty);
        if is_empty || part["thought"] == true {
            return;
        }
        let bytes = part.to_string().len();
        if bytes > OPAQUE_LIMIT {
            tracing::warn!(bytes, "a part of an answer is too large to be kept");
            return;
        }
        self.finish(out);
        self.open = Open::Nothing;
        let block = self.next_block();
        let provider = passback::tag_part(part, &self.origin);
        out.push(ProviderEvent::TextMeta { block, provider });
    }

    const fn next_block(&mut self) -> usize {
        self.blocks += 1;
        self.blocks - 1
    }
}
