//! The error output of a process.

use std::collections::VecDeque;

use bytes::BytesMut;

use crate::whole_text::whole_text;

/// Bytes of the end that are kept for an error message.
const TAIL: usize = 2 * 1024;

/// Turns bytes into text and keeps the end of it.
#[derive(Debug, Default)]
pub(crate) struct StderrTail {
    /// An incomplete UTF-8 sequence.
    unread: BytesMut,
    tail: VecDeque<u8>,
}

impl StderrTail {
    /// The text of a chunk.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> String {
        self.unread.extend_from_slice(chunk);
        let bytes = whole_text(&mut self.unread);
        self.keep(&bytes)
    }

    /// The text of an incomplete UTF-8 sequence at the end.
    pub(crate) fn end(&mut self) -> String {
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

    pub(crate) fn text(&self) -> String {
        let (first, second) = self.tail.as_slices();
        let tail = [first, second].concat();
        String::from_utf8_lossy(&tail).trim().to_owned()
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
        assert!(tail.text().ends_with("line 9998\nline 9999"));
        assert!(tail.text().len() <= TAIL);
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
