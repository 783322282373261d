use std::fmt::Write;

use scorel_screen::{Line, Theme};

use super::row::Row;

/// The bytes of one synchronized update.
#[derive(Debug)]
pub(super) struct Frame {
    theme: Theme,
    bytes: String,
    /// The row of the region.
    at: usize,
    /// `None` after text, of whose width the terminal has the last word.
    column: Option<usize>,
}

impl Frame {
    /// Begins with the cursor in this row of the region, and in this column if it is known.
    pub(super) fn new(theme: Theme, at: usize, column: Option<usize>) -> Self {
        Self {
            theme,
            bytes: String::from("\x1b[?2026h"),
            at,
            column,
        }
    }

    /// Erases the region, prints lines, and leaves the cursor at the beginning of the row after them, which is the
    /// region's first from now on.
    pub(super) fn print(&mut self, lines: &[Line]) {
        self.go(0, 0);
        self.bytes.push_str("\x1b[J");
        if lines.is_empty() {
            return;
        }
        // A line that is too wide, because the terminal has become narrower, must not be cut.
        self.bytes.push_str("\x1b[?7h");
        for line in lines {
            self.bytes.push_str(&self.theme.paint(line));
            self.bytes.push_str("\r\n");
        }
    }

    /// Draws all rows from the cursor on, with nothing below it.
    pub(super) fn draw(&mut self, rows: &[Row]) {
        self.bytes.push_str("\x1b[?7l");
        for (at, row) in rows.iter().enumerate() {
            if at > 0 {
                self.go(at, 0);
            }
            self.bytes.push_str(&row.bytes(None, &self.theme));
            self.column = None;
        }
    }

    pub(super) fn write_row(&mut self, at: usize, old: Option<&Row>, row: &Row) {
        if old == Some(row) {
            return;
        }
        self.go(at, 0);
        self.bytes.push_str(&row.bytes(old, &self.theme));
        self.column = None;
    }

    pub(super) fn remove_row(&mut self, at: usize) {
        self.go(at, 0);
        self.bytes.push_str("\x1b[M");
    }

    pub(super) fn insert_row(&mut self, at: usize) {
        self.go(at, 0);
        self.bytes.push_str("\x1b[L");
    }

    /// Moves the cursor to a cell of the region.
    pub(super) fn go(&mut self, row: usize, column: usize) {
        if row < self.at {
            self.control(format_args!("\x1b[{}A", self.at - row));
        }
        for _ in self.at..row {
            self.bytes.push('\n');
        }
        self.at = row;
        if self.column != Some(column) {
            match column {
                0 => self.bytes.push('\r'),
                _ => self.control(format_args!("\x1b[{}G", column + 1)),
            }
        }
        self.column = Some(column);
    }

    pub(super) fn hide_cursor(&mut self) {
        self.bytes.push_str("\x1b[?25l");
    }

    pub(super) fn show_cursor(&mut self) {
        self.bytes.push_str("\x1b[?25h");
    }

    pub(super) fn wrap_again(&mut self) {
        self.bytes.push_str("\x1b[?7h");
    }

    pub(super) fn end(mut self) -> Vec<u8> {
        self.bytes.push_str("\x1b[?2026l");
        self.bytes.into_bytes()
    }

    fn control(&mut self, sequence: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.bytes.write_fmt(sequence);
    }
}
