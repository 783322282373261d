//! The error output of a process.

use std::collections::VecDeque;

use bytes::BytesMut;

use crate::whole_text::whole_text;

/// Bytes of the end that are kept.
const TAIL: usize = 64 * 1024;

/// Bytes of the last line that are shown.
const LINE: usize = 1024;

/// Turns bytes into text and keeps the end of it.
#[derive(Debug, Default)]
pub struct StderrTail {
    /// An incomplete UTF-8 sequence.
    unread: BytesMut,
    tail: VecDeque<u8>,
}

impl StderrTail {
    /// The text of a chunk.
    pub fn push(&mut self, chunk: &[u8]) -> String {
        self.unread.extend_from_slice(chunk);
        let bytes = whole_text(&mut self.unread);
        self.keep(&bytes)
    }

    /// The text of an incomplete UTF-8 sequence at the end.
    pub fn end(&mut self) -> String {
        let bytes = self.unread.split();
        self.keep(&bytes)
    }

    fn keep(&mut self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let kept = &bytes[bytes.len().saturating_sub(TAIL)..];
        let excess = (self.tail.len() + kept.len()).saturating_sub(TAIL);
        self.tail.drain(..excess);
        self.tail.extend(kept);
        text
    }

    /// At most `bytes` of the end, without blanks around it.
    pub fn last(&self, bytes: usize) -> String {
        let skipped = self.tail.len().saturating_sub(bytes);
        let end: Vec<u8> = self.tail.iter().skip(skipped).copied().collect();
        String::from_utf8_lossy(&end).trim().to_owned()
    }

    /// All of the end that is kept.
    pub fn text(&self) -> String {
        self.last(TAIL)
    }

    /// The last line that is not blank.
    pub fn last_line(&self) -> String {
        let end = self.last(LINE);
        end.lines().last().unwrap_or_default().trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept() {
        let mut tail = StderrTail::default();
        for n in 0..10_000 {
            assert_eq!(
                tail.push(format!("line {n}\n").as_bytes()),
                format!("line {n}\n")
            );
        }
        assert!(tail.last(TAIL).ends_with("line 9998\nline 9999"));
        assert!(tail.last(usize::MAX).len() <= TAIL);
        assert_eq!(tail.last(5), "9999");
        assert_eq!(tail.last_line(), "line 9999");
    }

    #[test]
    fn a_character_that_is_cut_is_put_together() {
        let mut tail = StderrTail::default();
        assert_eq!(tail.push(b"a\xc3"), "a");
        assert_eq!(tail.push(b"\xbcb"), "üb");
        assert_eq!(tail.push(b"\xc3"), "");
        assert_eq!(tail.end(), "\u{fffd}");
    }
}
