use scorel_engine::{ProviderEvent, foreign_json};
use serde_json::{Value, json};

use super::opaque;
use crate::wire::{DecodedReply, ModelOrigin, text_of};

/// The content blocks of one reply. They arrive strictly one after another.
///
/// A block takes its number with its first content, so that empty blocks take none, and blocks of
/// server-side tools take none either: the engine does not see them.
#[derive(Debug, Default)]
pub(super) struct AnthropicBlocks {
    open: Option<OpenContentBlock>,
    opaque: Vec<Value>,
}

/// The block that deltas extend.
#[derive(Debug)]
enum OpenContentBlock {
    Text {
        block: Option<usize>,
        citations: Vec<Value>,
    },
    Thinking {
        block: Option<usize>,
        signature: String,
    },
    ToolCall {
        block: usize,
        /// The arguments in `content_block_start`: `{}` where they are streamed, all of them on
        /// hosts that do not.
        input: Value,
        streamed: bool,
    },
    Opaque {
        block: Value,
        /// The JSON text of its `input` so far.
        input: String,
    },
}

impl AnthropicBlocks {
    /// The metadata to store with the message.
    pub(super) fn take_opaque(&mut self, origin: &ModelOrigin) -> Option<Value> {
        opaque::metadata(std::mem::take(&mut self.opaque), origin)
    }

    /// Takes a `content_block`, which may already have content.
    pub(super) fn start(&mut self, block: &Value, out: &mut DecodedReply) {
        self.stop(out);
        match text_of(&block["type"]) {
            "text" => {
                self.open_text();
                self.text(text_of(&block["text"]), out);
                for citation in block["citations"].as_array().into_iter().flatten() {
                    self.citation(citation, out);
                }
            }
            "thinking" => {
                self.open_thinking();
                self.thinking(text_of(&block["thinking"]), out);
                self.signature(text_of(&block["signature"]), out);
            }
            "redacted_thinking" => redacted(text_of(&block["data"]), out),
            "tool_use" => self.tool_call(block, out),
            // Server-side tools and their results, MCP, compaction, and types added later. The API
            // wants them back unchanged.
            _ if block.is_object() => {
                out.tally.add_part();
                out.tally.keep(block);
                self.open = Some(OpenContentBlock::Opaque {
                    block: block.clone(),
                    input: String::new(),
                });
            }
            _ => {}
        }
    }

    /// Takes a `delta`; unknown types are ignored.
    pub(super) fn delta(&mut self, delta: &Value, out: &mut DecodedReply) {
        match text_of(&delta["type"]) {
            "text_delta" => self.text(text_of(&delta["text"]), out),
            "thinking_delta" => self.thinking(text_of(&delta["thinking"]), out),
            "signature_delta" => self.signature(text_of(&delta["signature"]), out),
            "citations_delta" => self.citation(&delta["citation"], out),
            "input_json_delta" => self.input(text_of(&delta["partial_json"]), out),
            "compaction_delta" => self.compaction(text_of(&delta["content"]), out),
            _ => {}
        }
    }

    /// Closes the open block, if any, and emits its metadata.
    pub(super) fn stop(&mut self, out: &mut DecodedReply) {
        match self.open.take() {
            Some(OpenContentBlock::Text {
                block: Some(block),
                citations,
            }) if !citations.is_empty() => {
                out.text_fact(block, "citations", json!(citations));
            }
            // A signed block without text is real: newer models omit the text of their reasoning.
            // It has to go back all the same.
            Some(OpenContentBlock::Thinking { block, signature }) if !signature.is_empty() => {
                let block = block.unwrap_or_else(|| out.tally.take_next());
                sign(block, signature, false, out);
            }
            Some(OpenContentBlock::ToolCall {
                block,
                input,
                streamed: false,
            }) if input.as_object().is_some_and(|input| !input.is_empty()) => {
                out.arguments(block, input.to_string());
            }
            Some(OpenContentBlock::Opaque { mut block, input }) => {
                if let Ok(input) = foreign_json::<Value>(input.as_bytes()) {
                    block["input"] = input;
                }
                self.opaque.push(opaque::entry(out.tally.taken(), block));
            }
            _ => {}
        }
    }

    fn open_text(&mut self) {
        self.open = Some(OpenContentBlock::Text {
            block: None,
            citations: Vec::new(),
        });
    }

    fn open_thinking(&mut self) {
        self.open = Some(OpenContentBlock::Thinking {
            block: None,
            signature: String::new(),
        });
    }

    fn text(&mut self, delta: &str, out: &mut DecodedReply) {
        if delta.is_empty() {
            return;
        }
        if !matches!(self.open, Some(OpenContentBlock::Text { .. })) {
            self.stop(out);
            self.open_text();
        }
        if let Some(OpenContentBlock::Text { block, .. }) = &mut self.open {
            let block = *block.get_or_insert_with(|| out.tally.take_next());
            out.text(block, delta);
        }
    }

    fn thinking(&mut self, delta: &str, out: &mut DecodedReply) {
        if delta.is_empty() {
            return;
        }
        if !matches!(self.open, Some(OpenContentBlock::Thinking { .. })) {
            self.stop(out);
            self.open_thinking();
        }
        if let Some(OpenContentBlock::Thinking { block, .. }) = &mut self.open {
            let block = *block.get_or_insert_with(|| out.tally.take_next());
            out.thinking(block, delta);
        }
    }

    fn signature(&mut self, delta: &str, out: &mut DecodedReply) {
        if let Some(OpenContentBlock::Thinking { signature, .. }) = &mut self.open {
            out.tally.keep_text(delta);
            signature.push_str(delta);
        }
    }

    fn compaction(&mut self, delta: &str, out: &mut DecodedReply) {
        if let Some(OpenContentBlock::Opaque { block, .. }) = &mut self.open {
            out.tally.keep_text(delta);
            match &mut block["content"] {
                Value::String(content) => content.push_str(delta),
                other => *other = json!(delta),
            }
        }
    }

    fn citation(&mut self, citation: &Value, out: &mut DecodedReply) {
        if let Some(OpenContentBlock::Text { citations, .. }) = &mut self.open {
            out.tally.keep(citation);
            citations.push(citation.clone());
        }
    }

    fn tool_call(&mut self, call: &Value, out: &mut DecodedReply) {
        let block = out.tally.take_next();
        // `caller` has to go back where a server-side tool made the call, not the model.
        let caller = call
            .get("caller")
            .filter(|caller| !caller.is_null() && caller["type"] != "direct");
        let (id, name) = (text_of(&call["id"]).to_owned(), text_of(&call["name"]));
        out.call(block, id, name, caller.map(|it| ("caller", it.clone())));
        self.open = Some(OpenContentBlock::ToolCall {
            block,
            input: call["input"].clone(),
            streamed: false,
        });
    }

    fn input(&mut self, delta: &str, out: &mut DecodedReply) {
        match &mut self.open {
            // The first delta is often empty, and a call without arguments has no other.
            Some(OpenContentBlock::ToolCall {
                block, streamed, ..
            }) if !delta.is_empty() => {
                *streamed = true;
                out.arguments(*block, delta);
            }
            Some(OpenContentBlock::Opaque { input, .. }) => {
                out.tally.keep_text(delta);
                input.push_str(delta);
            }
            _ => {}
        }
    }
}

/// Redacted reasoning arrives whole in `content_block_start`.
fn redacted(data: &str, out: &mut DecodedReply) {
    if !data.is_empty() {
        let block = out.tally.take_next();
        sign(block, data.to_owned(), true, out);
    }
}

fn sign(block: usize, signature: String, redacted: bool, out: &mut DecodedReply) {
    out.events.push(ProviderEvent::ThinkingMeta {
        block,
        signature: Some(signature),
        redacted,
        provider: Some(out.origin.tag("signed", json!(true))),
    });
}
