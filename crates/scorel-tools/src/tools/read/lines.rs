//! A window of lines over a text that arrives in pieces.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use crate::char_boundary::floor_char_boundary;
use crate::seen_files::Coverage;

/// The most bytes shown of one line.
pub(super) const MAX_LINE_BYTES: usize = 8 * 1024;
/// The most bytes shown of one line with `column`.
const MAX_PART_BYTES: usize = 64 * 1024;
/// The most bytes shown in all, including line numbers.
const MAX_TEXT_BYTES: usize = 256 * 1024;

/// Numbers lines and keeps those in a window, in bounded memory.
#[derive(Debug, Clone, Default)]
pub(super) struct LineWindow {
    first: u64,
    limit: u64,
    /// Bytes to skip at the start of the first line.
    skip: u64,
    /// The most bytes shown of a line.
    max_line: usize,
    /// Bytes of the file consumed.
    at: u64,
    /// The offsets of the current line and of its text, which does not include a byte order mark.
    line_at: u64,
    text_at: u64,
    /// Complete lines.
    ended: u64,
    /// True if a further line has started.
    in_line: bool,
    /// The shown part of the current line, if it is in the window.
    line: String,
    /// Bytes of the current line omitted before the shown part.
    skipped: u64,
    /// Bytes of the current line omitted after the shown part.
    cut: usize,
    /// The shown lines with their numbers.
    pub(super) text: String,
    shown: u64,
    /// Lines that are shown in part.
    pub(super) cut_lines: u64,
    /// The column after the shown part of the last cut line.
    next_column: Option<u64>,
    /// The shown bytes of the file, including line endings and a byte order mark.
    pub(super) seen: Coverage,
    closed: bool,
}

impl LineWindow {
    /// At most `limit` lines from line `first` on.
    pub(super) fn new(first: u64, limit: u64) -> Self {
        Self {
            first,
            limit,
            max_line: MAX_LINE_BYTES,
            ..Self::default()
        }
    }

    /// Line `line` alone, from byte `column` on; both count from 1.
    pub(super) fn part(line: u64, column: u64) -> Self {
        Self {
            skip: column - 1,
            max_line: MAX_PART_BYTES,
            ..Self::new(line, 1)
        }
    }

    pub(super) fn push(&mut self, piece: &str) {
        let mut rest = piece;
        if self.ended == 0 && !self.in_line {
            rest = rest.strip_prefix('\u{feff}').unwrap_or(rest);
            self.at += (piece.len() - rest.len()) as u64;
            self.text_at = self.at;
        }
        for part in rest.split_inclusive('\n') {
            self.in_line = true;
            self.at += part.len() as u64;
            if self.is_current_shown() {
                self.extend_line(part);
            }
            if part.ends_with('\n') {
                self.end_line();
            }
        }
    }

    /// Ends the text; the last line may lack its line feed.
    pub(super) fn finish(&mut self) {
        if self.in_line {
            self.end_line();
        }
    }

    /// Returns whether there is text after the window.
    pub(super) fn has_more(&self) -> bool {
        self.next_offset().is_some()
    }

    /// The number of the first line after the window, if there is one.
    pub(super) fn next_offset(&self) -> Option<u64> {
        let next = self.first.saturating_add(self.shown);
        let begun = self.ended + u64::from(self.in_line);
        (self.closed && begun >= next).then_some(next)
    }

    pub(super) fn lines(&self) -> u64 {
        self.ended
    }

    /// The numbers of the shown lines.
    pub(super) fn shown(&self) -> Option<RangeInclusive<u64>> {
        (self.shown > 0).then(|| self.first..=self.first + (self.shown - 1))
    }

    /// The column to continue with, if `column` was given and the line was cut.
    pub(super) fn next_column(&self) -> Option<u64> {
        self.next_column.filter(|_| self.max_line == MAX_PART_BYTES)
    }

    fn is_current_shown(&self) -> bool {
        !self.closed && self.ended + 1 >= self.first
    }

    fn extend_line(&mut self, part: &str) {
        let part = part.strip_suffix('\n').unwrap_or(part);
        let part = self.after_skip(part);
        let room = self.max_line - self.line.len();
        // Once a line is cut, a shorter character that would fit must not be appended after the gap.
        let kept = if self.cut > 0 {
            0
        } else {
            floor_char_boundary(part, room)
        };
        self.line.push_str(&part[..kept]);
        self.cut += part.len() - kept;
    }

    /// The part of a piece after the bytes to skip.
    fn after_skip<'a>(&mut self, part: &'a str) -> &'a str {
        let wanted = usize::try_from(self.skip).unwrap_or(usize::MAX);
        let at = floor_char_boundary(part, wanted);
        self.skipped += at as u64;
        // Only the start of a line is skipped.
        self.skip = if at < part.len() {
            0
        } else {
            self.skip - at as u64
        };
        &part[at..]
    }

    fn end_line(&mut self) {
        self.in_line = false;
        if self.is_current_shown() {
            self.show_line();
        }
        self.ended += 1;
        self.line.clear();
        self.skipped = 0;
        self.cut = 0;
        (self.line_at, self.text_at) = (self.at, self.at);
    }

    fn show_line(&mut self) {
        let before = self.text.len();
        let line = self.line.strip_suffix('\r').unwrap_or(&self.line);
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{:>6}\t", self.ended + 1);
        if self.skipped > 0 {
            let _ = write!(self.text, "[{} bytes ...] ", self.skipped);
        }
        self.text.push_str(line);
        if self.cut > 0 {
            let _ = write!(self.text, " [... {} more bytes]", self.cut);
        }
        self.text.push('\n');
        if self.text.len() > MAX_TEXT_BYTES {
            self.text.truncate(before);
            self.closed = true;
            return;
        }
        self.shown += 1;
        self.note_seen();
        self.closed = self.shown >= self.limit;
    }

    /// Adds the bytes of the line just shown to the seen ones.
    fn note_seen(&mut self) {
        let shown_at = self.text_at + self.skipped;
        let from = if self.skipped > 0 {
            shown_at
        } else {
            self.line_at
        };
        if self.cut == 0 {
            self.seen.add(from..self.at);
            return;
        }
        let shown = self.line.len() as u64;
        self.seen.add(from..shown_at + shown);
        self.cut_lines += 1;
        self.next_column = Some(self.skipped + shown + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(first: u64, limit: u64, pieces: &[&str]) -> LineWindow {
        let mut window = LineWindow::new(first, limit);
        for piece in pieces {
            window.push(piece);
        }
        window.finish();
        window
    }

    #[test]
    fn pieces_may_end_anywhere() {
        let text = "one\r\ntwo\n\nfour";
        let whole = window(1, 10, &[text]);
        assert_eq!(
            whole.text,
            "     1\tone\n     2\ttwo\n     3\t\n     4\tfour\n"
        );
        for at in 0..=text.len() {
            let split = window(1, 10, &[&text[..at], &text[at..]]);
            assert_eq!(split.text, whole.text, "split at {at}");
            assert_eq!(split.lines(), 4);
        }
    }

    #[test]
    fn a_final_line_feed_begins_no_line() {
        let window = window(1, 2, &["a\nb\n"]);
        assert_eq!((window.lines(), window.next_offset()), (2, None));
    }

    #[test]
    fn the_window_tells_where_to_go_on() {
        let window = window(2, 2, &["a\nb\nc\nd\n"]);
        assert_eq!(window.text, "     2\tb\n     3\tc\n");
        assert_eq!(
            (window.shown(), window.next_offset()),
            (Some(2..=3), Some(4))
        );
    }

    #[test]
    fn an_offset_beyond_the_end_shows_nothing() {
        let window = window(u64::MAX, u64::MAX, &["a\nb\n"]);
        assert_eq!((window.shown(), window.next_offset()), (None, None));
        assert_eq!(window.lines(), 2);
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        let long = "é".repeat(MAX_LINE_BYTES);
        let window = window(1, 9, &["x", &long, "y\nnext"]);
        let cut = format!(
            "     1\tx{} [... {} more bytes]\n     2\tnext\n",
            "é".repeat((MAX_LINE_BYTES - 1) / 2),
            2 * MAX_LINE_BYTES + 2 - MAX_LINE_BYTES + 1,
        );
        assert_eq!(window.text, cut);
        assert_eq!(window.cut_lines, 1);
    }

    #[test]
    fn the_text_is_bounded_by_whole_lines() {
        let line = format!("{}\n", "x".repeat(1_000));
        let window = window(1, u64::MAX, &[&line.repeat(1_000)]);
        assert!(window.text.len() <= MAX_TEXT_BYTES);
        assert!(window.text.ends_with("x\n"));
        assert_eq!(window.next_offset(), Some(window.shown + 1));
    }
}
