//! The lines that begin and end a head.

use std::ops::Range;

const FENCE: &str = "---";

/// The byte order mark, which some editors write.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// The parts of a text with a head, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fenced {
    /// The YAML, without the fences.
    pub(crate) head: Range<usize>,
    /// The first byte after the head's last line.
    pub(crate) body: usize,
}

/// The reason why a text has no head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FenceError {
    Missing,
    Unterminated,
}

impl Fenced {
    pub(crate) fn find(text: &str) -> Result<Self, FenceError> {
        let is_fence = |line: &str| line.trim_end() == FENCE;
        let stripped = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let mut lines = stripped.split_inclusive('\n');
        let first = lines.next().filter(|line| is_fence(line));
        let start = text.len() - stripped.len() + first.ok_or(FenceError::Missing)?.len();
        let mut end = start;
        for line in lines {
            if is_fence(line) {
                let body = end + line.len();
                return Ok(Self {
                    head: start..end,
                    body,
                });
            }
            end += line.len();
        }
        Err(FenceError::Unterminated)
    }
}
