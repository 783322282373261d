use serde_json::{Value, json};

use super::passback::{PART, SIGNED, SignedSpan, THOUGHT};
use super::pending_call::{ConflictingArguments, PendingCall};
use crate::wire::{DecodedReply, non_empty};

/// The largest part, in bytes of JSON, that is stored without being understood: it is written to the
/// log and sent back with every request.
const OPAQUE_LIMIT: usize = 256 << 10;

/// Turns the parts of one reply into blocks.
#[derive(Debug, Default)]
pub(super) struct GeminiParts {
    open: OpenPart,
}

/// The part that the next one may continue.
#[derive(Debug, Default)]
enum OpenPart {
    #[default]
    Nothing,
    Text {
        block: usize,
        /// The length in bytes.
        length: usize,
        signed: Vec<SignedSpan>,
    },
    Thinking {
        block: usize,
    },
    Call(PendingCall),
}

impl GeminiParts {
    pub(super) fn add(
        &mut self,
        part: &Value,
        out: &mut DecodedReply,
    ) -> Result<(), ConflictingArguments> {
        let signature = non_empty(&part["thoughtSignature"]);
        if let Some(call) = part.get("functionCall") {
            return self.call(call, signature, out);
        }
        match part["text"].as_str() {
            // An empty text with a signature is stored: the signature must go back on it.
            Some("") if signature.is_none() => {}
            Some(text) if part["thought"] == true => self.thinking(text, signature, out),
            Some(text) => self.text(text, signature, out),
            None => self.opaque(part, out),
        }
        Ok(())
    }

    /// Emits what of the open part is still to come: a call, or the signatures of a text.
    pub(super) fn finish(&mut self, out: &mut DecodedReply) {
        match std::mem::take(&mut self.open) {
            OpenPart::Call(call) => call.finish(out),
            OpenPart::Text { block, signed, .. } if !signed.is_empty() => {
                out.text_fact(block, SIGNED, json!(signed));
            }
            _ => {}
        }
    }

    pub(super) fn drop_call(&mut self) {
        if matches!(self.open, OpenPart::Call(_)) {
            self.open = OpenPart::Nothing;
        }
    }

    fn call(
        &mut self,
        call: &Value,
        signature: Option<&str>,
        out: &mut DecodedReply,
    ) -> Result<(), ConflictingArguments> {
        let name = non_empty(&call["name"]);
        let is_open = matches!(self.open, OpenPart::Call(_));
        // Arguments without a name make a call, too: it gets an error result instead of getting
        // lost.
        let begins = name.is_some() || !is_open && call["args"].is_object();
        if begins {
            self.finish(out);
            self.open = OpenPart::Call(PendingCall::new(name.unwrap_or_default()));
        }
        let OpenPart::Call(pending) = &mut self.open else {
            return Ok(());
        };
        pending.add(call, signature, &mut out.tally)?;
        if call["willContinue"] != true {
            self.finish(out);
        }
        Ok(())
    }

    fn text(&mut self, text: &str, signature: Option<&str>, out: &mut DecodedReply) {
        if !matches!(self.open, OpenPart::Text { .. }) {
            self.finish(out);
            self.open = OpenPart::Text {
                block: out.tally.take_next(),
                length: 0,
                signed: Vec::new(),
            };
        }
        let OpenPart::Text {
            block,
            length,
            signed,
        } = &mut self.open
        else {
            return;
        };
        let (block, start) = (*block, *length);
        *length += text.len();
        out.text(block, text);
        if let Some(signature) = signature {
            out.tally.keep_text(signature);
            signed.push(SignedSpan {
                start,
                end: *length,
                signature: signature.to_owned(),
            });
        }
    }

    fn thinking(&mut self, text: &str, signature: Option<&str>, out: &mut DecodedReply) {
        let block = match self.open {
            OpenPart::Thinking { block } => block,
            _ => {
                self.finish(out);
                out.tally.take_next()
            }
        };
        self.open = OpenPart::Thinking { block };
        out.thinking(block, text);
        if let Some(signature) = signature {
            out.thinking_fact(block, THOUGHT, json!(signature));
            // Later thoughts are not covered by this signature and need a block of their own.
            self.open = OpenPart::Nothing;
        }
    }

    /// Stores a part of a kind that only the provider understands, such as `executableCode` of its
    /// own tools, as an empty text block at its position.
    fn opaque(&mut self, part: &Value, out: &mut DecodedReply) {
        let is_empty = part.as_object().is_none_or(serde_json::Map::is_empty);
        if is_empty || part["thought"] == true {
            return;
        }
        let bytes = part.to_string().len();
        if bytes > OPAQUE_LIMIT {
            tracing::warn!(bytes, "a part of a reply is too large to store");
            return;
        }
        self.finish(out);
        self.open = OpenPart::Nothing;
        let block = out.tally.take_next();
        out.text_fact(block, PART, part.clone());
    }
}
