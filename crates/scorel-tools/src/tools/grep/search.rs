//! Running a query.

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;

use grep_searcher::Searcher;

use super::arguments::{GrepArguments, Mode};
use super::hits::Hits;
use super::query::Query;
use crate::error::{ErrorCode, ToolError};
use crate::pace::{Interruption, Pace};
use crate::result_page::ResultPage;
use crate::roots::{EntryKind, Location};
use crate::running_call::RunningCall;
use crate::walk::{WalkEntryKind, walk};

#[derive(Debug)]
pub(super) struct Search<'a> {
    call: &'a RunningCall,
    query: &'a Query,
    showing: Searcher,
    counting: Searcher,
    pub(super) findings: SearchFindings,
}

#[derive(Debug, Default)]
pub(super) struct SearchFindings {
    pub(super) page: ResultPage,
    pub(super) searched_files: u64,
    pub(super) matching_files: u64,
    pub(super) matching_lines: u64,
    pub(super) binary_files: u64,
    /// Binary files with matches before the first NUL byte.
    pub(super) cut_files: u64,
    /// Unreadable files and directories.
    pub(super) unreadable: u64,
    /// Files that permission rules withhold.
    pub(super) kept_back: u64,
    pub(super) interruption: Option<Interruption>,
}

impl<'a> Search<'a> {
    pub(super) fn new(call: &'a RunningCall, query: &'a Query, arguments: &GrepArguments) -> Self {
        Self {
            call,
            query,
            showing: query.showing_searcher(),
            counting: query.counting_searcher(),
            findings: SearchFindings {
                page: ResultPage::asked(arguments.offset, arguments.limit),
                ..SearchFindings::default()
            },
        }
    }

    /// Searches the file at `base`, or all files below it.
    pub(super) fn run(&mut self, base: &Location) -> Result<(), ToolError> {
        match self.call.roots.kind(base)? {
            EntryKind::Directory => self.search_below(base),
            EntryKind::File | EntryKind::Special => {
                let file = self.call.open_shown(base)?;
                self.search_file(base, file);
                Ok(())
            }
        }
    }

    fn search_below(&mut self, base: &Location) -> Result<(), ToolError> {
        let (call, filter) = (self.call, &self.query.filter);
        let directories = filter.clone();
        let prune = move |path: &Path| directories.excludes_directory(path);
        let walked = walk(call, base, prune, |path, kind| {
            if kind != WalkEntryKind::Entry(EntryKind::File) || !filter.accepts(path) {
                return ControlFlow::Continue(());
            }
            let location = base.join(path);
            match call.open_shown(&location) {
                Ok(file) => self.search_file(&location, file),
                Err(error) if error.code == ErrorCode::PermissionNeeded => {
                    self.findings.kept_back += 1;
                }
                Err(_) => self.findings.unreadable += 1,
            }
            match self.findings.interruption {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            }
        })?;
        self.findings.unreadable += walked.unreadable;
        let interruption = self.findings.interruption.or(walked.interruption);
        self.findings.interruption = interruption;
        Ok(())
    }

    fn search_file(&mut self, location: &Location, file: File) {
        let findings = &mut self.findings;
        let searcher = if self.query.mode == Mode::Content && !findings.page.is_over() {
            &mut self.showing
        } else {
            &mut self.counting
        };
        let reader = PacedFile {
            file,
            pace: &self.call.pace,
        };
        let mut hits = Hits::new(self.query, &mut findings.page, location);
        let result = searcher.search_reader(&self.query.matcher, reader, &mut hits);
        let (lines, is_binary) = (hits.lines, hits.is_binary);
        match (result, self.call.pace.check()) {
            (Ok(()), _) => {}
            (Err(_), Err(interruption)) => findings.interruption = Some(interruption),
            (Err(_), Ok(())) => findings.unreadable += 1,
        }
        findings.searched_files += 1;
        findings.binary_files += u64::from(is_binary);
        if lines > 0 {
            findings.add_file(self.query.mode, location, lines);
            findings.cut_files += u64::from(is_binary);
        }
    }
}

impl SearchFindings {
    fn add_file(&mut self, mode: Mode, location: &Location, lines: u64) {
        self.matching_files += 1;
        self.matching_lines += lines;
        match mode {
            Mode::Content => {}
            Mode::Files => self.page.offer("", &format!("{location}\n")),
            Mode::Count => self.page.offer("", &format!("{location}:{lines}\n")),
        }
    }

    /// Returns whether every file was searched to its end.
    pub(super) fn is_exact(&self) -> bool {
        self.interruption.is_none() && self.unreadable == 0 && self.cut_files == 0
    }
}

/// A reader that fails when the call must end.
#[derive(Debug)]
pub(super) struct PacedFile<'a> {
    pub(super) file: File,
    pub(super) pace: &'a Pace,
}

impl Read for PacedFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.pace
            .check()
            .map_err(|interruption| io::Error::other(interruption.reason()))?;
        self.file.read(buffer)
    }
}
