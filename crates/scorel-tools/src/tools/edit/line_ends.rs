//! Line ending conversion.

use std::borrow::Cow;
use std::ops::Range;

/// A text with CR LF converted to LF, and the way back.
#[derive(Debug)]
pub(super) struct Unified<'a> {
    pub(super) text: Cow<'a, str>,
    /// Offsets in `text` of the line feeds that had a carriage return, sorted.
    crlf: Vec<usize>,
}

impl<'a> Unified<'a> {
    pub(super) fn new(original: &'a str) -> Self {
        if !original.contains("\r\n") {
            return Self {
                text: Cow::Borrowed(original),
                crlf: Vec::new(),
            };
        }
        let mut text = String::with_capacity(original.len());
        let mut crlf = Vec::new();
        for line in original.split_inclusive('\n') {
            match line.strip_suffix("\r\n") {
                Some(line) => {
                    text.push_str(line);
                    crlf.push(text.len());
                    text.push('\n');
                }
                None => text.push_str(line),
            }
        }
        Self {
            text: Cow::Owned(text),
            crlf,
        }
    }

    /// The range of the original that a range of the text came from.
    pub(super) fn original(&self, part: &Range<usize>) -> Range<usize> {
        let offset = |at: usize| at + self.crlf.partition_point(|end| *end < at);
        offset(part.start)..offset(part.end)
    }

    /// Converts a text to the line endings that the original has at `at`.
    pub(super) fn adapt<'b>(&self, text: &'b str, at: usize) -> Cow<'b, str> {
        if self.crlf.is_empty() || !text.contains('\n') || !self.is_crlf_at(at) {
            return Cow::Borrowed(text);
        }
        let unified = Unified::new(text);
        Cow::Owned(unified.text.replace('\n', "\r\n"))
    }

    /// Returns whether the line at `at` ends with CR LF; for an unterminated last line, the line before.
    fn is_crlf_at(&self, at: usize) -> bool {
        let (before, after) = self.text.split_at(at);
        let end = after.find('\n').map(|end| at + end);
        let end = end.or_else(|| before.rfind('\n'));
        end.is_some_and(|end| self.crlf.binary_search(&end).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_found_again() {
        let original = "a\r\nb\nc\r\n\r\n\rd\r\r\n";
        let unified = Unified::new(original);
        assert_eq!(unified.text, "a\nb\nc\n\n\rd\r\n");
        let text = &unified.text;
        for start in 0..=text.len() {
            for end in start..=text.len() {
                let part = &original[unified.original(&(start..end))];
                assert_eq!(part.replace("\r\n", "\n"), text[start..end]);
            }
        }
        assert_eq!(unified.original(&(1..2)), 1..3);
        assert_eq!(unified.original(&(0..1)), 0..1);
    }

    #[test]
    fn new_text_gets_the_line_ends_of_its_place() {
        let unified = Unified::new("a\r\nb\nc\r\nd");
        let adapted = |at| unified.adapt("x\ny\r\nz", at).into_owned();
        assert_eq!(adapted(0), "x\r\ny\r\nz");
        assert_eq!(adapted(1), "x\r\ny\r\nz");
        assert_eq!(adapted(2), "x\ny\r\nz");
        assert_eq!(adapted(4), "x\r\ny\r\nz");
        assert_eq!(adapted(7), "x\r\ny\r\nz");
        assert_eq!(Unified::new("a\nb").adapt("x\r\n", 0), "x\r\n");
    }
}
