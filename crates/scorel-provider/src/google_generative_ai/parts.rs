use serde_json::{Value, json};

use super::passback::{PART, SIGNED, SignedSpan, THOUGHT};
use super::pending_call::{ConflictingArguments, PendingCall};
use crate::wire::{DecodedReply, non_empty};

/// The largest part, in bytes of JSON, that is stored without being understood: it is written to the
/// log and sent back with every request.
const OPAQUE_LIMIT: usize = 256 << 10;

/// Turns the parts of one reply into blocks. This is the part that the next one may continue.
#[derive(Debug, Default)]
pub(super) enum OpenPart {
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

impl OpenPart {
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
        match std::mem::take(self) {
            Self::Call(call) => call.finish(out),
            Self::Text { block, signed, .. } if !signed.is_empty() => {
                out.text_fact(block, SIGNED, json!(signed));
            }
            _ => {}
        }
    }

    pub(super) fn drop_call(&mut self) {
        if matches!(self, Self::Call(_)) {
            *self = Self::Nothing;
        }
    }

    fn call(
        &mut self,
        call: &Value,
        signature: Option<&str>,
        out: &mut DecodedReply,
    ) -> Result<(), ConflictingArguments> {
        let name = non_empty(&call["name"]);
        let is_open = matches!(self, Self::Call(_));
        // Arguments without a name make a call, too: it gets an error result instead of getting
        // lost.
        let begins = name.is_some() || !is_open && call["args"].is_object();
        if begins {
            self.finish(out);
            *self = Self::Call(PendingCall::new(name.unwrap_or_default()));
        }
        let Self::Call(pending) = self else {
            return Ok(());
        };
        pending.add(call, signature, &mut out.tally)?;
        if call["willContinue"] != true {
            self.finish(out);
        }
        Ok(())
    }

    fn text(&mut self, text: &str, signature: Option<&str>, out: &mut DecodedReply) {
        if !matches!(self, Self::Text { .. }) {
            self.finish(out);
            *self = Self::Text {
                block: out.tally.take_next(),
                length: 0,
                signed: Vec::new(),
            };
        }
        let Self::Text {
            block,
            length,
            signed,
        } = self
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
        let block = match self {
            Self::Thinking { block } => *block,
            _ => {
                self.finish(out);
                out.tally.take_next()
            }
        };
        *self = Self::Thinking { block };
        out.thinking(block, text);
        if let Some(signature) = signature {
            out.thinking_fact(block, THOUGHT, json!(signature));
            // Later thoughts are not covered by this signature and need a block of their own.
            *self = Self::Nothing;
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
        let block = out.tally.take_next();
        out.text_fact(block, PART, part.clone());
    }
}
