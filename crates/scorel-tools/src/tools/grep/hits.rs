//! The matches of one file.

use std::io;

use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkFinish, SinkMatch};

use super::arguments::Mode;
use super::line::shown_line;
use super::query::Query;
use crate::result_page::ResultPage;
use crate::roots::Location;

/// Collects the matches of one file into the page.
#[derive(Debug)]
pub(super) struct Hits<'a> {
    query: &'a Query,
    page: &'a mut ResultPage,
    location: &'a Location,
    /// Context lines before the next match.
    before: String,
    /// True if the last match is on the page.
    kept_last: bool,
    /// Matching lines; at most one in mode `files`.
    pub(super) lines: u64,
    /// True if the search stopped at a NUL byte.
    pub(super) is_binary: bool,
}

impl<'a> Hits<'a> {
    pub(super) fn new(query: &'a Query, page: &'a mut ResultPage, location: &'a Location) -> Self {
        let mut hits = Self {
            query,
            page,
            location,
            before: String::new(),
            kept_last: false,
            lines: 0,
            is_binary: false,
        };
        if query.has_context() {
            hits.separate();
        }
        hits
    }

    fn separate(&mut self) {
        self.before.clear();
        if !self.page.text.is_empty() {
            self.before.push_str("--\n");
        }
    }

    fn show_match(&mut self, number: u64, line: &[u8]) {
        if !self.page.wants_next() {
            self.page.skip();
            self.before.clear();
            self.kept_last = false;
            return;
        }
        let focus = self.query.match_start(line).unwrap_or(0);
        let entry = format!("{}:{number}:{}\n", self.location, shown_line(line, focus));
        let shown = self.page.shown;
        self.page.offer(&self.before, &entry);
        self.before.clear();
        self.kept_last = self.page.shown > shown;
    }
}

impl Sink for Hits<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        match self.query.mode {
            Mode::Files => {
                self.lines = 1;
                return Ok(false);
            }
            Mode::Count => self.lines += found.lines().count() as u64,
            Mode::Content => {
                // The searcher without line numbers runs when the page is full.
                let first = found.line_number().unwrap_or(0);
                for (number, line) in (first..).zip(found.lines()) {
                    self.lines += 1;
                    self.show_match(number, line);
                }
            }
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, io::Error> {
        let number = found.line_number().unwrap_or(0);
        let line = || {
            format!(
                "{}-{number}-{}\n",
                self.location,
                shown_line(found.bytes(), 0)
            )
        };
        match found.kind() {
            SinkContextKind::After if self.kept_last => self.page.append(&line()),
            SinkContextKind::Before if self.page.wants_next() => {
                let line = line();
                self.before.push_str(&line);
            }
            _ => {}
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        self.separate();
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> Result<(), io::Error> {
        self.is_binary = end.binary_byte_offset().is_some();
        Ok(())
    }
}
