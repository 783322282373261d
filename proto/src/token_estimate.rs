use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

use crate::{Block, Message};

/// Hundredths of a token for a character, by the length of its UTF-8 form. Measured with the
/// vocabularies of three generations of models (`tests/it/estimate.rs`); rather too much than too
/// little, because a request that is too large is refused.
const ASCII: u64 = 28;
const TWO_BYTES: u64 = 50;
const THREE_BYTES: u64 = 120;
const FOUR_BYTES: u64 = 250;

/// In hundredths; see [`TokenEstimate::FRAME`].
const BLOCK: u64 = 800;

/// An image costs what its size in pixels says; this is the cost of a large one.
const IMAGE: u64 = 160_000;

/// A number of tokens, estimated without the model's tokenizer.
///
/// Counted in hundredths: a sum that grows and shrinks by parts equals the sum made anew.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TokenEstimate(u64);

impl TokenEstimate {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// The tokens that an endpoint writes around each block, message or tool.
    pub const FRAME: Self = Self(BLOCK);

    /// A known number of tokens, such as a budget.
    pub const fn of_tokens(tokens: u64) -> Self {
        Self(tokens.saturating_mul(100))
    }

    /// The estimate for a text.
    pub fn of_text(text: &str) -> Self {
        let hundredths = |byte: u8| match byte {
            0..0x80 => ASCII,
            // The rest of a character, which its first byte has counted.
            0x80..0xC0 => 0,
            0xC0..0xE0 => TWO_BYTES,
            0xE0..0xF0 => THREE_BYTES,
            0xF0.. => FOUR_BYTES,
        };
        Self(text.bytes().map(hundredths).sum())
    }

    /// The estimate for a message, as part of a request.
    pub fn of_message(message: &Message) -> Self {
        Self::of_blocks(message.content())
    }

    /// The estimate for the blocks of a message.
    pub fn of_blocks(content: &[Block]) -> Self {
        content.iter().map(Self::of_block).sum()
    }

    fn of_block(block: &Block) -> Self {
        let inside = match block {
            Block::Text { text, .. } => Self::of_text(text),
            Block::Thinking {
                text,
                signature,
                redacted,
                ..
            } => {
                let hidden = signature.as_deref().filter(|_| *redacted);
                Self::of_text(text) + Self::of_text(hidden.unwrap_or_default())
            }
            Block::Image { .. } => return Self(IMAGE),
            Block::ToolUse { name, input, .. } => {
                Self::of_text(name) + Self::of_text(&input.to_string())
            }
            Block::ToolResult(result) => Self::of_blocks(&result.content),
            Block::Blob { preview, .. } => Self::of_text(preview),
            Block::Attachment(file) => Self::of_text(&file.path) + Self::of_blocks(&file.content),
        };
        inside + Self::FRAME
    }

    /// The number of tokens, rounded up.
    pub const fn tokens(self) -> u64 {
        self.0.div_ceil(100)
    }
}

impl Add for TokenEstimate {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for TokenEstimate {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for TokenEstimate {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sum for TokenEstimate {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), Self::add)
    }
}
