use scorel_runtime::ProviderEvent;
use serde_json::{Value, json};

use super::opaque::OpaqueBlocks;
use crate::wire::ModelOrigin;

/// The blocks of one answer while it streams. They come one after another.
///
/// The engine's numbers count only what the engine sees: a block gets its number with its first
/// content, and blocks of the endpoint's own tools get none.
#[derive(Debug)]
pub(super) struct Blocks {
    origin: ModelOrigin,
    /// The next number.
    next: usize,
    open: Option<Open>,
    opaque: OpaqueBlocks,
    has_calls: bool,
}

/// The block that deltas are added to.
#[derive(Debug)]
enum Open {
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
        /// The arguments, where they came with the start.
        input: Value,
        /// Whether they came piece by piece.
        streamed: bool,
    },
    Opaque {
        block: Value,
        /// The text of its `input`, as far as it came.
        input: String,
    },
}

impl Blocks {
    pub(super) fn new(origin: ModelOrigin) -> Self {
        Self {
            origin,
            next: 0,
            open: None,
            opaque: OpaqueBlocks::default(),
            has_calls: false,
        }
    }

    pub(super) const fn has_calls(&self) -> bool {
        self.has_calls
    }

    /// What to keep with the message.
    pub(super) fn take_kept(&mut self) -> Option<Value> {
        std::mem::take(&mut self.opaque).keep(&self.origin)
    }

    /// Takes a `content_block`. It may hold content already.
    pub(super) fn start(&mut self, block: &Value, out: &mut Vec<ProviderEvent>) {
        self.stop(out);
        match text_of(&block["type"]) {
            "text" => {
                self.open_text();
                self.text(text_of(&block["text"]), out);
                for citation in block["citations"].as_array().into_iter().flatten() {
                    self.citation(citation);
                }
            }
            "thinking" => {
                self.open_thinking();
                self.thinking(text_of(&block["thinking"]), out);
                self.signature(text_of(&block["signature"]));
            }
            "redacted_thinking" => self.redacted(text_of(&block["data"]), out),
            "tool_use" => self.tool_call(block, out),
            _ => {
                self.open = Some(Open::Opaque {
                    block: block.clone(),
                    input: String::new(),
                });
            }
        }
    }

    /// Takes a `delta`. What is unknown is ignored.
    pub(super) fn delta(&mut self, delta: &Value, out: &mut Vec<ProviderEvent>) {
        match text_of(&delta["type"]) {
            "text_delta" => self.text(text_of(&delta["text"]), out),
            "thinking_delta" => self.thinking(text_of(&delta["thinking"]), out),
            "signature_delta" => self.signature(text_of(&delta["signature"])),
            "citations_delta" => self.citation(&delta["citation"]),
            "input_json_delta" => self.input(text_of(&delta["partial_json"]), out),
            "compaction_delta" => {
                if let Some(Open::Opaque { block, .. }) = &mut self.open {
                    let before = text_of(&block["content"]);
                    block["content"] = json!(format!("{before}{}", text_of(&delta["content"])));
                }
            }
            _ => {}
        }
    }

    /// Ends the open block, if there is one.
    pub(super) fn stop(&mut self, out: &mut Vec<ProviderEvent>) {
        match self.open.take() {
            Some(Open::Text {
                block: Some(block),
                citations,
            }) if !citations.is_empty() => out.push(ProviderEvent::TextMeta {
                block,
                provider: self.origin.tag("citations", json!(citations)),
            }),
            Some(Open::Thinking { block, signature }) if !signature.is_empty() => {
                let block = block.unwrap_or_else(|| self.number());
                self.sign(block, signature, false, out);
            }
            Some(Open::ToolCall {
                block,
                input,
                streamed: false,
            }) if input.as_object().is_some_and(|input| !input.is_empty()) => {
                let delta = input.to_string();
                out.push(ProviderEvent::ToolCallDelta { block, delta });
            }
            Some(Open::Opaque { mut block, input }) => {
                if let Ok(input) = serde_json::from_str::<Value>(&input) {
                    block["input"] = input;
                }
                self.opaque.push(self.next, &block);
            }
            _ => {}
        }
    }

    fn open_text(&mut self) {
        self.open = Some(Open::Text {
            block: None,
            citations: Vec::new(),
        });
    }

    fn open_thinking(&mut self) {
        self.open = Some(Open::Thinking {
            block: None,
            signature: String::new(),
        });
    }

    fn text(&mut self, delta: &str, out: &mut Vec<ProviderEvent>) {
        if delta.is_empty() {
            return;
        }
        if !matches!(self.open, Some(Open::Text { .. })) {
            self.stop(out);
            self.open_text();
        }
        let Self { open, next, .. } = self;
        if let Some(Open::Text { block, .. }) = open {
            let block = *block.get_or_insert_with(|| take(next));
            let delta = delta.to_owned();
            out.push(ProviderEvent::Text { block, delta });
        }
    }

    fn thinking(&mut self, delta: &str, out: &mut Vec<ProviderEvent>) {
        if delta.is_empty() {
            return;
        }
        if !matches!(self.open, Some(Open::Thinking { .. })) {
            self.stop(out);
            self.open_thinking();
        }
        let Self { open, next, .. } = self;
        if let Some(Open::Thinking { block, .. }) = open {
            let block = *block.get_or_insert_with(|| take(next));
            let delta = delta.to_owned();
            out.push(ProviderEvent::Thinking { block, delta });
        }
    }

    fn signature(&mut self, delta: &str) {
        if let Some(Open::Thinking { signature, .. }) = &mut self.open {
            signature.push_str(delta);
        }
    }

    fn citation(&mut self, citation: &Value) {
        if let Some(Open::Text { citations, .. }) = &mut self.open {
            citations.push(citation.clone());
        }
    }

    fn redacted(&mut self, data: &str, out: &mut Vec<ProviderEvent>) {
        if !data.is_empty() {
            let block = self.number();
            self.sign(block, data.to_owned(), true, out);
        }
    }

    fn sign(&self, block: usize, signature: String, redacted: bool, out: &mut Vec<ProviderEvent>) {
        out.push(ProviderEvent::ThinkingMeta {
            block,
            signature: Some(signature),
            redacted,
            provider: Some(self.origin.tag("signed", json!(true))),
        });
    }

    fn tool_call(&mut self, call: &Value, out: &mut Vec<ProviderEvent>) {
        let block = self.number();
        self.has_calls = true;
        // Who called matters only where it was not the model itself.
        let caller = call
            .get("caller")
            .filter(|caller| caller["type"] != "direct");
        let caller = caller.filter(|caller| !caller.is_null());
        out.push(ProviderEvent::ToolCallStart {
            block,
            id: text_of(&call["id"]).to_owned(),
            name: text_of(&call["name"]).to_owned(),
            provider: caller.map(|caller| self.origin.tag("caller", caller.clone())),
        });
        self.open = Some(Open::ToolCall {
            block,
            input: call["input"].clone(),
            streamed: false,
        });
    }

    fn input(&mut self, delta: &str, out: &mut Vec<ProviderEvent>) {
        match &mut self.open {
            Some(Open::ToolCall {
                block, streamed, ..
            }) if !delta.is_empty() => {
                *streamed = true;
                out.push(ProviderEvent::ToolCallDelta {
                    block: *block,
                    delta: delta.to_owned(),
                });
            }
            Some(Open::Opaque { input, .. }) => input.push_str(delta),
            _ => {}
        }
    }

    const fn number(&mut self) -> usize {
        take(&mut self.next)
    }
}

/// The number, which is counted up.
const fn take(next: &mut usize) -> usize {
    *next += 1;
    *next - 1
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
