//! Compiled queries.

use std::path::Path;

use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};

use super::arguments::{GrepArguments, Mode};
use crate::error::ToolError;

const MAX_PATTERN_BYTES: usize = 16 * 1024;
/// The memory limit in bytes of a compiled pattern, and of its automaton.
const MAX_COMPILED_BYTES: usize = 10 * 1024 * 1024;
/// The longest searched line in bytes; with `multiline` the largest file.
const MAX_HEAP_BYTES: usize = 32 * 1024 * 1024;

/// A compiled query.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) matcher: RegexMatcher,
    pub(super) filter: FileFilter,
    pub(super) mode: Mode,
    before: u8,
    after: u8,
    multiline: bool,
}

impl Query {
    pub(super) fn new(arguments: &GrepArguments) -> Result<Self, ToolError> {
        let multiline = arguments.multiline.unwrap_or(false);
        let context = arguments.context.unwrap_or(0);
        Ok(Self {
            matcher: compile(arguments, multiline)?,
            filter: FileFilter {
                files: file_glob(arguments.glob.as_deref())?,
                types: file_type(arguments.file_type.as_deref())?,
            },
            mode: arguments.mode.unwrap_or_default(),
            before: arguments.before.unwrap_or(context),
            after: arguments.after.unwrap_or(context),
            multiline,
        })
    }

    /// Returns whether context lines are shown.
    pub(super) fn has_context(&self) -> bool {
        self.before > 0 || self.after > 0
    }

    /// The offset of the first match in a line.
    pub(super) fn match_start(&self, line: &[u8]) -> Option<usize> {
        let found = self.matcher.find(line).ok().flatten()?;
        Some(found.start())
    }

    /// A searcher with line numbers and context.
    pub(super) fn showing_searcher(&self) -> Searcher {
        self.searcher()
            .line_number(true)
            .before_context(self.before.into())
            .after_context(self.after.into())
            .build()
    }

    pub(super) fn counting_searcher(&self) -> Searcher {
        self.searcher().line_number(false).build()
    }

    fn searcher(&self) -> SearcherBuilder {
        let mut builder = SearcherBuilder::new();
        builder
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(MAX_HEAP_BYTES))
            .multi_line(self.multiline);
        builder
    }
}

/// Selects files by path.
#[derive(Debug, Clone)]
pub(super) struct FileFilter {
    files: Override,
    types: Types,
}

impl FileFilter {
    /// Returns whether to search the file at `path`, relative to the start.
    pub(super) fn accepts(&self, path: &Path) -> bool {
        !self.files.matched(path, false).is_ignore() && !self.types.matched(path, false).is_ignore()
    }

    /// Returns whether to skip the directory at `path`.
    pub(super) fn excludes_directory(&self, path: &Path) -> bool {
        self.files.matched(path, true).is_ignore()
    }
}

fn compile(arguments: &GrepArguments, multiline: bool) -> Result<RegexMatcher, ToolError> {
    let pattern = &arguments.pattern;
    if pattern.is_empty() {
        return Err(ToolError::invalid("`pattern` is empty"));
    }
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(ToolError::invalid(format!(
            "`pattern` has {} bytes; at most {MAX_PATTERN_BYTES} are possible",
            pattern.len()
        )));
    }
    let mut builder = RegexMatcherBuilder::new();
    builder
        .case_insensitive(arguments.ignore_case.unwrap_or(false))
        .multi_line(true)
        .dot_matches_new_line(multiline)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_COMPILED_BYTES);
    if !multiline {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(pattern).map_err(|error| {
        let hint = match error.kind() {
            grep_regex::ErrorKind::NotAllowed(_) => "; set `multiline` to match line ends",
            _ => "",
        };
        ToolError::invalid(format!("`pattern`: {error}{hint}"))
    })
}

fn file_glob(glob: Option<&str>) -> Result<Override, ToolError> {
    let Some(glob) = glob else {
        return Ok(Override::empty());
    };
    let mut builder = OverrideBuilder::new("");
    builder
        .add(glob)
        .and_then(|builder| builder.build())
        .map_err(|error| ToolError::invalid(format!("`glob`: {error}")))
}

fn file_type(name: Option<&str>) -> Result<Types, ToolError> {
    let Some(name) = name else {
        return Ok(Types::empty());
    };
    let mut builder = TypesBuilder::new();
    builder.add_defaults().select(name);
    builder.build().map_err(|_| {
        ToolError::invalid(format!(
            "`type`: no file type is named `{name}`; use `glob`, such as `*.{name}`"
        ))
    })
}
