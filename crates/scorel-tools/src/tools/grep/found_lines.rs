//! Matches as data, for tools whose results programs read.

use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::arguments::GrepArguments;
use super::line::shown_line;
use super::query::Query;
use super::search::PacedFile;
use crate::error::{ErrorCode, ToolError};
use crate::roots::{EntryKind, Location};
use crate::running_call::RunningCall;
use crate::walk::{WalkEntryKind, walk};

/// Bytes of lines that are kept.
const MAX_KEPT_BYTES: usize = 32 * 1024;

/// A search for lines.
#[derive(Debug, Clone)]
pub struct LineQuery {
    /// A regular expression.
    pub pattern: String,
    /// Only files whose path below the start matches this are searched.
    pub glob: Option<String>,
    pub ignores_case: bool,
    /// Lines that are kept before and after each match.
    pub context: u8,
    /// Matches that are kept.
    pub limit: usize,
}

/// The lines that a search has found.
#[derive(Debug, Default)]
pub struct FoundLines {
    /// By path and number.
    pub lines: Vec<FoundLine>,
    /// All matching lines, also those that were not kept.
    pub total: u64,
    /// Searched files.
    pub files: u64,
    /// True if matches are missing among the lines.
    pub is_cut: bool,
    kept_bytes: usize,
}

/// A line with a match.
#[derive(Debug)]
pub struct FoundLine {
    /// With the root's name.
    pub path: String,
    pub line: u64,
    /// In characters, from 1.
    pub column: u64,
    pub text: String,
    pub before: Vec<String>,
    pub after: Vec<String>,
}

impl RunningCall {
    /// Searches the file at `base`, or all files below it that ignore files do not exclude.
    ///
    /// # Errors
    /// The query cannot be compiled, or the location cannot be opened.
    pub fn find_lines(&self, base: &Location, wanted: &LineQuery) -> Result<FoundLines, ToolError> {
        let query = Query::new(&arguments(wanted))?;
        let mut found = FoundLines::default();
        if self.roots.kind(base)? != EntryKind::Directory {
            let file = self.open_shown(base)?;
            self.find_in(base, file, (&query, wanted), &mut found);
            return Ok(found);
        }
        let (filter, directories) = (&query.filter, query.filter.clone());
        let prune = move |path: &Path| directories.excludes_directory(path);
        let walked = walk(self, base, prune, |path, kind| {
            if kind != WalkEntryKind::Entry(EntryKind::File) || !filter.accepts(path) {
                return ControlFlow::Continue(());
            }
            let location = base.join(path);
            match self.open_shown(&location) {
                Ok(file) => self.find_in(&location, file, (&query, wanted), &mut found),
                // Lines that rules keep back do not exist for the model.
                Err(error) if error.code == ErrorCode::PermissionNeeded => {}
                Err(_) => found.is_cut = true,
            }
            match self.pace.check() {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        })?;
        found.is_cut |= walked.unreadable > 0 || walked.interruption.is_some();
        Ok(found)
    }

    fn find_in(
        &self,
        location: &Location,
        file: File,
        (query, wanted): (&Query, &LineQuery),
        found: &mut FoundLines,
    ) {
        found.files += 1;
        let first = found.lines.len();
        let reader = PacedFile {
            file,
            pace: &self.pace,
        };
        let sink = FileLines {
            query,
            wanted,
            path: location.named(),
            first,
            recent: Vec::new(),
            found,
        };
        let searched = query
            .showing_searcher()
            .search_reader(&query.matcher, reader, sink);
        found.is_cut |= searched.is_err();
    }
}

/// The lines of one file.
struct FileLines<'a> {
    query: &'a Query,
    wanted: &'a LineQuery,
    path: String,
    /// The index of the file's first match.
    first: usize,
    /// The lines right before the next one, as far as they may be its context.
    recent: Vec<(u64, String)>,
    found: &'a mut FoundLines,
}

impl FileLines<'_> {
    /// Adds a line to the context of the matches before it, and to that of the next one.
    fn follow(&mut self, number: u64, line: &[u8]) {
        let context = u64::from(self.wanted.context);
        let text = shown_line(line, 0);
        for earlier in self.found.lines[self.first..].iter_mut().rev() {
            match number - earlier.line {
                0 => continue,
                distance if distance <= context => {}
                _ => break,
            }
            earlier.after.push(text.clone());
            self.found.kept_bytes += text.len();
        }
        self.recent.push((number, text));
        self.recent.retain(|(at, _)| number - at < context);
    }

    fn add(&mut self, number: u64, line: &[u8]) {
        self.found.total += 1;
        let is_full =
            self.found.lines.len() >= self.wanted.limit || self.found.kept_bytes >= MAX_KEPT_BYTES;
        if is_full {
            self.found.is_cut = true;
            return;
        }
        let start = self.query.match_start(line).unwrap_or(0);
        let context = u64::from(self.wanted.context);
        let near = self.recent.iter().filter(|(at, _)| number - at <= context);
        let before = near.map(|(_, text)| text.clone());
        let added = FoundLine {
            path: self.path.clone(),
            line: number,
            column: String::from_utf8_lossy(&line[..start]).chars().count() as u64 + 1,
            text: shown_line(line, start),
            before: before.collect(),
            after: Vec::new(),
        };
        let context: usize = added.before.iter().map(String::len).sum();
        self.found.kept_bytes += added.text.len() + context;
        self.found.lines.push(added);
    }
}

impl Sink for FileLines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        for (number, line) in (found.line_number().unwrap_or(0)..).zip(found.lines()) {
            self.add(number, line);
            self.follow(number, line);
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, io::Error> {
        self.follow(found.line_number().unwrap_or(0), found.bytes());
        Ok(true)
    }
}

fn arguments(wanted: &LineQuery) -> GrepArguments {
    GrepArguments {
        pattern: wanted.pattern.clone(),
        path: None,
        glob: wanted.glob.clone(),
        file_type: None,
        mode: None,
        before: None,
        after: None,
        context: Some(wanted.context),
        ignore_case: Some(wanted.ignores_case),
        multiline: None,
        limit: None,
        offset: None,
    }
}
