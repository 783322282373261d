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
    /// Each with the provider's number of it. Those may have gaps; the indices here have none. The text of
    /// a call's arguments is its `invalid_input` until the answer is complete.
    blocks: Vec<(usize, Block)>,
    ids: HashSet<String>,
    /// The bytes of all deltas.
    bytes: usize,
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

    /// Returns whether there is visible text.
    pub(crate) fn has_text(&self) -> bool {
        self.blocks
            .iter()
            .any(|(_, block)| matches!(block, Block::Text { text, .. } if !text.trim().is_empty()))
    }

    /// Returns whether there are tool calls.
    pub(crate) fn has_calls(&self) -> bool {
        self.blocks.iter().any(|(_, block)| is_call(block))
    }

    /// The whole answer.
    pub(crate) fn finish(self, ending: Ending) -> AssistantMessage {
        let blocks = self.blocks.into_iter().map(|(_, block)| block);
        message(blocks.filter_map(finished).collect(), ending, false)
    }

    /// The message of an answer that was cut off, without its tool calls: the last may be incomplete.
    pub(crate) fn cut_off(self, ending: Ending) -> AssistantMessage {
        let blocks = self.blocks.into_iter().map(|(_, block)| block);
        let readable = blocks.filter(|block| !is_call(block));
        message(readable.filter_map(finished).collect(), ending, true)
    }

    /// The index of the block that the provider numbers `number`; `new` creates it.
    fn place(&mut self, number: usize, new: impl FnOnce() -> Block) -> usize {
        let known = self.place_of(number);
        known.unwrap_or_else(|| {
            self.blocks.push((number, new()));
            self.blocks.len() - 1
        })
    }

    fn place_of(&self, number: usize) -> Option<usize> {
        self.blocks.iter().rposition(|(known, _)| *known == number)
    }

    fn text(&mut self, number: usize, delta: String) -> Option<EngineEvent> {
        if delta.is_empty() {
            return None;
        }
        self.bytes += delta.len();
        let place = self.place(number, || Block::text(""));
        let Block::Text { text, .. } = &mut self.blocks[place].1 else {
            return None;
        };
        text.push_str(&delta);
        let block = index(place);
        Some(EngineEvent::TextDelta { block, delta })
    }

    fn text_meta(&mut self, number: usize, new: Value) -> Option<EngineEvent> {
        let known = self.blocks.len();
        let place = self.place(number, || Block::text(""));
        let Block::Text { provider, .. } = &mut self.blocks[place].1 else {
            return None;
        };
        *provider = Some(new);
        // As for thinking: clients rely on block indices without gaps.
        (place == known).then(|| EngineEvent::TextDelta {
            block: index(place),
            delta: String::new(),
        })
    }

    fn thinking(&mut self, number: usize, delta: String) -> Option<EngineEvent> {
        if delta.is_empty() {
            return None;
        }
        self.bytes += delta.len();
        let place = self.place(number, no_thinking);
        let Block::Thinking { text, .. } = &mut self.blocks[place].1 else {
            return None;
        };
        text.push_str(&delta);
        let block = index(place);
        Some(EngineEvent::ThinkingDelta { block, delta })
    }

    fn thinking_meta(
        &mut self,
        number: usize,
        new_signature: Option<String>,
        new_redacted: bool,
        new_provider: Option<Value>,
    ) -> Option<EngineEvent> {
        let known = self.blocks.len();
        let place = self.place(number, no_thinking);
        let Block::Thinking {
            signature,
            redacted,
            provider,
            ..
        } = &mut self.blocks[place].1
        else {
            return None;
        };
        *signature = new_signature.or(signature.take());
        *provider = new_provider.or(provider.take());
        *redacted |= new_redacted;
        // A block without visible content is announced too: clients rely on indices without gaps.
        (place == known).then(|| EngineEvent::ThinkingDelta {
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
        let (call_id, shown) = (id.clone(), name.clone());
        let known = self.blocks.len();
        let place = self.place(number, || Block::ToolUse {
            id,
            name,
            input: Value::Null,
            invalid_input: Some(String::new()),
            provider,
        });
        (place == known).then(|| EngineEvent::ToolCallDelta {
            block: index(place),
            call_id,
            name: Some(shown),
            delta: String::new(),
        })
    }

    fn arguments(&mut self, number: usize, delta: String) -> Option<EngineEvent> {
        self.bytes += delta.len();
        let place = self.place_of(number)?;
        let Block::ToolUse {
            id,
            invalid_input: Some(arguments),
            ..
        } = &mut self.blocks[place].1
        else {
            return None;
        };
        arguments.push_str(&delta);
        (!delta.is_empty()).then(|| EngineEvent::ToolCallDelta {
            block: index(place),
            call_id: id.clone(),
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

const fn no_thinking() -> Block {
    Block::Thinking {
        text: String::new(),
        signature: None,
        redacted: false,
        provider: None,
    }
}

const fn is_call(block: &Block) -> bool {
    matches!(block, Block::ToolUse { .. })
}

/// A block as part of a message; `None` if there is nothing in it.
fn finished(block: Block) -> Option<Block> {
    match block {
        Block::Text {
            text,
            provider: None,
            ..
        } if text.is_empty() => None,
        Block::Thinking {
            text,
            signature: None,
            provider: None,
            ..
        } if text.is_empty() => None,
        Block::ToolUse {
            id,
            name,
            invalid_input,
            provider,
            ..
        } => {
            let (input, invalid_input) = parse_arguments(invalid_input.unwrap_or_default());
            Some(Block::ToolUse {
                id,
                name,
                input,
                invalid_input,
                provider,
            })
        }
        other => Some(other),
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

fn index(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
