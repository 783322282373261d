use std::collections::HashSet;

use scorel_proto::{AssistantMessage, Block, Cost, Meta, StopReason, Usage};
use serde_json::{Map, Value};

use crate::{EngineEvent, ProviderEvent, foreign_json};

/// The longest id of a call that is kept, in bytes: each delta of the call's arguments repeats it. Some
/// gateways put a signature into it.
const MAX_CALL_ID: usize = 16 << 10;

/// Assembles an answer from the provider's events.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    blocks: Vec<AnswerPart>,
    ids: HashSet<String>,
    /// The bytes of all deltas.
    bytes: usize,
}

#[derive(Debug)]
struct AnswerPart {
    /// The provider's number of the block. Those may have gaps; indices in `blocks` have none.
    number: usize,
    content: PartContent,
}

#[derive(Debug)]
enum PartContent {
    Text {
        text: String,
        provider: Option<Value>,
    },
    Thinking {
        text: String,
        signature: Option<String>,
        redacted: bool,
        provider: Option<Value>,
    },
    ToolCall {
        id: String,
        name: String,
        arguments: String,
        provider: Option<Value>,
    },
}

/// How an answer ended.
#[derive(Debug, Clone)]
pub(crate) struct Ending {
    pub(crate) model: String,
    pub(crate) stop_reason: StopReason,
    pub(crate) usage: Option<Usage>,
    pub(crate) cost: Option<Cost>,
    pub(crate) provider: Option<Value>,
}

impl Assembly {
    /// Applies an event and returns what to publish of it.
    pub(crate) fn add(&mut self, event: ProviderEvent) -> Option<EngineEvent> {
        self.bytes += delta_bytes(&event);
        match event {
            ProviderEvent::Text { block, delta } => self.text(block, delta),
            ProviderEvent::TextMeta { block, provider } => self.text_meta(block, provider),
            ProviderEvent::Thinking { block, delta } => self.thinking(block, delta),
            ProviderEvent::ThinkingMeta {
                block,
                signature,
                redacted,
                provider,
            } => self.thinking_meta(block, signature, redacted, provider),
            ProviderEvent::ToolCallStart {
                block,
                id,
                name,
                provider,
            } => self.tool_call(block, id, name, provider),
            ProviderEvent::ToolCallDelta { block, delta } => self.arguments(block, delta),
            ProviderEvent::Start { .. } | ProviderEvent::Done { .. } => None,
        }
    }

    /// The bytes of text, thinking and arguments so far.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether there is visible text.
    pub(crate) fn has_text(&self) -> bool {
        self.blocks.iter().any(|part| match &part.content {
            PartContent::Text { text, .. } => !text.trim().is_empty(),
            _ => false,
        })
    }

    /// Whether there are tool calls.
    pub(crate) fn has_calls(&self) -> bool {
        let is_call = |part: &AnswerPart| matches!(part.content, PartContent::ToolCall { .. });
        self.blocks.iter().any(is_call)
    }

    /// The whole answer.
    pub(crate) fn finish(self, ending: Ending) -> AssistantMessage {
        let content = self
            .blocks
            .into_iter()
            .filter_map(AnswerPart::into_block)
            .collect();
        message(content, ending, false)
    }

    /// The message of an answer that was cut off, without its tool calls: the last may be incomplete.
    pub(crate) fn cut_off(self, ending: Ending) -> AssistantMessage {
        let readable = |part: &AnswerPart| !matches!(part.content, PartContent::ToolCall { .. });
        let content = self
            .blocks
            .into_iter()
            .filter(readable)
            .filter_map(AnswerPart::into_block);
        message(content.collect(), ending, true)
    }

    /// The index of the block that the provider numbers `number`; `new` creates it.
    fn place(&mut self, number: usize, new: impl FnOnce() -> PartContent) -> usize {
        match self.blocks.iter().rposition(|part| part.number == number) {
            Some(place) => place,
            None => {
                self.blocks.push(AnswerPart {
                    number,
                    content: new(),
                });
                self.blocks.len() - 1
            }
        }
    }

    fn text(&mut self, number: usize, delta: String) -> Option<EngineEvent> {
        if delta.is_empty() {
            return None;
        }
        let place = self.place(number, PartContent::new_text);
        let PartContent::Text { text, .. } = &mut self.blocks[place].content else {
            return None;
        };
        text.push_str(&delta);
        Some(EngineEvent::TextDelta {
            block: index(place),
            delta,
        })
    }

    fn text_meta(&mut self, number: usize, new: Value) -> Option<EngineEvent> {
        let known = self.blocks.len();
        let place = self.place(number, PartContent::new_text);
        let PartContent::Text { provider, .. } = &mut self.blocks[place].content else {
            return None;
        };
        *provider = Some(new);
        // As for thinking: clients rely on block indices without gaps.
        let announce = place == known;
        announce.then(|| EngineEvent::TextDelta {
            block: index(place),
            delta: String::new(),
        })
    }

    fn thinking(&mut self, number: usize, delta: String) -> Option<EngineEvent> {
        if delta.is_empty() {
            return None;
        }
        let place = self.place(number, PartContent::new_thinking);
        let PartContent::Thinking { text, .. } = &mut self.blocks[place].content else {
            return None;
        };
        text.push_str(&delta);
        Some(EngineEvent::ThinkingDelta {
            block: index(place),
            delta,
        })
    }

    fn thinking_meta(
        &mut self,
        number: usize,
        new_signature: Option<String>,
        new_redacted: bool,
        new_provider: Option<Value>,
    ) -> Option<EngineEvent> {
        let known = self.blocks.len();
        let place = self.place(number, PartContent::new_thinking);
        let PartContent::Thinking {
            signature,
            redacted,
            provider,
            ..
        } = &mut self.blocks[place].content
        else {
            return None;
        };
        *signature = new_signature.or(signature.take());
        *provider = new_provider.or(provider.take());
        *redacted |= new_redacted;
        // A block without visible content is announced too: clients rely on indices without gaps.
        let announce = place == known;
        announce.then(|| EngineEvent::ThinkingDelta {
            block: index(place),
            delta: String::new(),
        })
    }

    fn tool_call(
        &mut self,
        number: usize,
        id: String,
        name: String,
        provider: Option<Value>,
    ) -> Option<EngineEvent> {
        let id = self.unused_id(id);
        let shown = (id.clone(), name.clone());
        let known = self.blocks.len();
        let place = self.place(number, || PartContent::ToolCall {
            id,
            name,
            arguments: String::new(),
            provider,
        });
        (place == known).then(|| EngineEvent::ToolCallDelta {
            block: index(place),
            call_id: shown.0,
            name: Some(shown.1),
            delta: String::new(),
        })
    }

    fn arguments(&mut self, number: usize, delta: String) -> Option<EngineEvent> {
        let place = self.blocks.iter().rposition(|part| part.number == number)?;
        let PartContent::ToolCall { id, arguments, .. } = &mut self.blocks[place].content else {
            return None;
        };
        arguments.push_str(&delta);
        let call_id = id.clone();
        (!delta.is_empty()).then(|| EngineEvent::ToolCallDelta {
            block: index(place),
            call_id,
            name: None,
            delta,
        })
    }

    /// Makes ids unique within the answer. Models repeat them, and results refer to calls by id.
    fn unused_id(&mut self, id: String) -> String {
        let is_usable = (1..=MAX_CALL_ID).contains(&id.len());
        let base = if is_usable { id } else { "call".to_owned() };
        let mut unused = base.clone();
        for suffix in 2.. {
            if self.ids.insert(unused.clone()) {
                break;
            }
            unused = format!("{base}-{suffix}");
        }
        unused
    }
}

impl PartContent {
    const fn new_text() -> Self {
        Self::Text {
            text: String::new(),
            provider: None,
        }
    }

    const fn new_thinking() -> Self {
        Self::Thinking {
            text: String::new(),
            signature: None,
            redacted: false,
            provider: None,
        }
    }
}

impl AnswerPart {
    fn into_block(self) -> Option<Block> {
        match self.content {
            PartContent::Text { text, provider } => {
                let empty = text.is_empty() && provider.is_none();
                (!empty).then_some(Block::Text { text, provider })
            }
            PartContent::Thinking {
                text,
                signature,
                redacted,
                provider,
            } => {
                let empty = text.is_empty() && signature.is_none() && provider.is_none();
                (!empty).then_some(Block::Thinking {
                    text,
                    signature,
                    redacted,
                    provider,
                })
            }
            PartContent::ToolCall {
                id,
                name,
                arguments,
                provider,
            } => {
                let (input, invalid_input) = parse_arguments(arguments);
                Some(Block::ToolUse {
                    id,
                    name,
                    input,
                    invalid_input,
                    provider,
                })
            }
        }
    }
}

/// Parses arguments. Anything but a JSON object is kept as text, to be quoted in the error result.
fn parse_arguments(text: String) -> (Value, Option<String>) {
    if text.trim().is_empty() {
        return (Value::Object(Map::new()), None);
    }
    match foreign_json(text.as_bytes()) {
        Ok(Value::Object(map)) => (Value::Object(map), None),
        _ => (Value::Object(Map::new()), Some(text)),
    }
}

fn message(content: Vec<Block>, ending: Ending, partial: bool) -> AssistantMessage {
    AssistantMessage {
        content,
        model: ending.model,
        stop_reason: ending.stop_reason,
        usage: ending.usage,
        cost: ending.cost,
        partial,
        meta: Meta {
            provider: ending.provider,
            ..Meta::default()
        },
    }
}

fn delta_bytes(event: &ProviderEvent) -> usize {
    match event {
        ProviderEvent::Text { delta, .. }
        | ProviderEvent::Thinking { delta, .. }
        | ProviderEvent::ToolCallDelta { delta, .. } => delta.len(),
        ProviderEvent::Start { .. }
        | ProviderEvent::TextMeta { .. }
        | ProviderEvent::ThinkingMeta { .. }
        | ProviderEvent::ToolCallStart { .. }
        | ProviderEvent::Done { .. } => 0,
    }
}

fn index(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
