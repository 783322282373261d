use std::ops::{AddAssign, SubAssign};

use scorel_proto::Block;
use serde_json::Value;

use super::foreign_json::MAX_VALUES;

/// The most bytes of texts that wait: as many as one line may have, and far more than agents write between a
/// call and its result.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The memory that a part of a conversation takes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Weight {
    values: usize,
    /// The bytes of texts.
    bytes: u64,
}

impl Weight {
    /// A message of these blocks.
    pub(super) fn of(blocks: &[Block]) -> Self {
        let mut weight = Self::of_text("");
        blocks.iter().for_each(|block| weight.add_block(block));
        weight
    }

    pub(super) const fn of_text(text: &str) -> Self {
        Self {
            values: 1,
            bytes: text.len() as u64,
        }
    }

    /// True if it may wait.
    pub(super) const fn fits(self) -> bool {
        self.values <= MAX_VALUES && self.bytes <= MAX_BYTES
    }

    pub(super) fn with(mut self, other: Self) -> Self {
        self += other;
        self
    }

    fn add_block(&mut self, block: &Block) {
        match block {
            Block::Text { text, .. } | Block::Thinking { text, .. } => {
                *self += Self::of_text(text);
            }
            Block::ToolUse {
                id,
                name,
                input,
                invalid_input,
                ..
            } => {
                *self += Self::of_text(id);
                self.bytes += (name.len() + invalid_input.as_ref().map_or(0, String::len)) as u64;
                self.add_value(input);
            }
            _ => self.values += 1,
        }
    }

    fn add_value(&mut self, value: &Value) {
        *self += Self::of_text(value.as_str().unwrap_or_default());
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.add_value(item)),
            Value::Object(fields) => fields.iter().for_each(|(name, field)| {
                self.bytes += name.len() as u64;
                self.add_value(field);
            }),
            _ => {}
        }
    }
}

impl AddAssign for Weight {
    fn add_assign(&mut self, other: Self) {
        self.values += other.values;
        self.bytes += other.bytes;
    }
}

impl SubAssign for Weight {
    fn sub_assign(&mut self, other: Self) {
        self.values -= other.values;
        self.bytes -= other.bytes;
    }
}
