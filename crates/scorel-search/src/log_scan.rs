//! Scanning logs for a regular expression, from the newest record to the oldest.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use regex::Regex;
use scorel_journal::{
    EVENTS, FileStorage, LogFile, MAX_RECORD, OpenMode, Storage as _, check_line,
};
use scorel_proto::SearchHit;

use crate::cursor::ScanCursor;
use crate::document::{Document, DocumentScope, decode};
use crate::filter::SearchFilter;
use crate::hit::{SearchPage, SearchedSession};
use crate::limits::MAX_SCAN_BYTES;

/// The bytes that are read at a time: a whole line at the least.
const BLOCK: u64 = 2 * MAX_RECORD as u64;

/// The least that a log costs, so that one call does not open all that are nearly empty.
const LOG_COST: u64 = 16 * 1024;

/// One call of a search by regular expression.
#[derive(Debug)]
pub(crate) struct LogScan<'a> {
    dir: &'a Path,
    pattern: &'a Regex,
    filter: &'a SearchFilter,
    page: SearchPage,
    /// The bytes that were read.
    read: u64,
}

/// The reason why a log is not scanned further.
enum LogEnd {
    Reached,
    /// The page is full, or enough was read: the next call goes on before this offset.
    Stopped(u64),
}

impl<'a> LogScan<'a> {
    pub(crate) fn new(dir: &'a Path, pattern: &'a Regex, filter: &'a SearchFilter) -> Self {
        Self {
            dir,
            pattern,
            filter,
            page: SearchPage::default(),
            read: 0,
        }
    }

    /// Scans sessions, the one with the greatest id first: it was created last.
    pub(crate) fn run(
        mut self,
        mut sessions: Vec<SearchedSession>,
        before: Option<ScanCursor>,
    ) -> SearchPage {
        sessions.sort_unstable_by_key(|session| std::cmp::Reverse(session.session_id));
        let is_ahead = |session: &SearchedSession| {
            before.is_none_or(|before| session.session_id <= before.session_id)
        };
        for session in sessions.into_iter().filter(is_ahead) {
            let session_id = session.session_id;
            let end = before.filter(|before| before.session_id == session_id);
            let scanned = self.scan(&session, end.map(|before| before.end));
            if let Ok(LogEnd::Stopped(end)) = scanned {
                self.page.next_cursor = Some(ScanCursor { session_id, end }.to_string());
                break;
            }
            if let Err(error) = scanned
                && error.kind() != io::ErrorKind::NotFound
            {
                tracing::warn!(session = %session_id, %error, "not searched");
            }
        }
        self.page
    }

    fn scan(&mut self, session: &SearchedSession, end: Option<u64>) -> io::Result<LogEnd> {
        if self.is_done() {
            return Ok(LogEnd::Stopped(end.unwrap_or(u64::MAX)));
        }
        self.read += LOG_COST;
        let path = self.dir.join(session.session_id.to_string()).join(EVENTS);
        let file = FileStorage.open(&path, OpenMode::Read)?;
        let mut end = file.status()?.len.min(end.unwrap_or(u64::MAX));
        while end > 0 {
            let size = end.min(BLOCK);
            if self.is_done() || self.read + size > MAX_SCAN_BYTES {
                return Ok(LogEnd::Stopped(end));
            }
            self.read += size;
            let block = LogBlock::read(&file, end - size..end)?;
            for line in block.lines() {
                if self.page.hits.len() >= self.filter.limit {
                    return Ok(LogEnd::Stopped(block.offset + line.end as u64));
                }
                self.page.hits.extend(self.hit(session, &block.bytes[line]));
            }
            end = block.first_line();
        }
        Ok(LogEnd::Reached)
    }

    fn is_done(&self) -> bool {
        self.page.hits.len() >= self.filter.limit || self.read + LOG_COST > MAX_SCAN_BYTES
    }

    /// `line` has its newline.
    fn hit(&self, session: &SearchedSession, line: &[u8]) -> Option<SearchHit> {
        let line = line.strip_suffix(b"\n")?;
        let text = std::str::from_utf8(line).ok()?;
        let event = decode(text, DocumentScope::Everything)?;
        let document = Document::of(&event, DocumentScope::Everything)?;
        let role = self.filter.role;
        if document.ts < self.filter.since || (role.is_some() && role != document.role) {
            return None;
        }
        let matches = self
            .pattern
            .find_iter(&document.text)
            .map(|found| found.range());
        let matches: Vec<Range<usize>> = matches.filter(|range| !range.is_empty()).collect();
        if matches.is_empty() || check_line(line).is_err() {
            return None;
        }
        Some(session.hit(event.seq, &document, &matches))
    }
}

/// A part of a log.
struct LogBlock {
    offset: u64,
    bytes: Vec<u8>,
    /// Where the first line begins that is in it as a whole.
    start: usize,
}

impl LogBlock {
    fn read(file: &Arc<dyn LogFile>, range: Range<u64>) -> io::Result<Self> {
        let size = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
        let mut bytes = vec![0; size];
        let mut done = 0;
        while done < size {
            match file.read_at(&mut bytes[done..], range.start + done as u64)? {
                0 => break,
                count => done += count,
            }
        }
        bytes.truncate(done);
        let start = if range.start == 0 {
            0
        } else {
            // Not the last byte: a line that only ends here begins before the block, and the next block
            // would end at the same place again.
            let inner = &bytes[..done.saturating_sub(1)];
            let newline = inner.iter().position(|byte| *byte == b'\n');
            newline.map_or(0, |at| at + 1)
        };
        Ok(Self {
            offset: range.start,
            bytes,
            start,
        })
    }

    /// The part before it is read next. A block in which no line begins is damage and is skipped.
    fn first_line(&self) -> u64 {
        self.offset + self.start as u64
    }

    /// The lines from the last to the first, with their newlines.
    fn lines(&self) -> impl Iterator<Item = Range<usize>> {
        let mut end = self.bytes.len();
        std::iter::from_fn(move || {
            if end <= self.start {
                return None;
            }
            let before = &self.bytes[self.start..end - 1];
            let newline = before.iter().rposition(|byte| *byte == b'\n');
            let line = self.start + newline.map_or(0, |at| at + 1)..end;
            end = line.start;
            Some(line)
        })
    }
}
