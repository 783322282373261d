//! Glob patterns.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use crate::checked_text::check_text;
use crate::error::{ErrorCode, ToolError};
use crate::roots::{Location, Roots};

/// The longest pattern in bytes.
const MAX_PATTERN_BYTES: usize = 1024;

/// A parsed pattern: a starting directory, and a matcher for paths below it.
#[derive(Debug)]
pub(super) struct Pattern {
    /// The directory that contains all matches.
    pub(super) start: Location,
    matcher: GlobMatcher,
    /// The most components of a match below the start; `None` without a limit.
    pub(super) depth: Option<usize>,
    pub(super) only_directories: bool,
}

impl Pattern {
    /// Parses `text` relative to `base`, or to a root that it names. Leading components without wildcards
    /// become part of the start, which spares the walk what cannot match.
    pub(super) fn new(roots: &Roots, base: &Location, text: &str) -> Result<Self, ToolError> {
        check_text("pattern", text, MAX_PATTERN_BYTES, "`*` lists everything")?;
        let only_directories = text.ends_with('/');
        let components: Vec<&str> = text
            .split('/')
            .filter(|component| !matches!(*component, "" | "."))
            .collect();
        if components.contains(&"..") {
            return Err(ToolError::new(
                ErrorCode::SandboxViolation,
                "`pattern` must not contain `..`; set `path` instead",
            ));
        }
        let literal = components
            .iter()
            .take_while(|component| !component.contains(['*', '?', '[', '{', '\\']))
            .count()
            .min(components.len().saturating_sub(1));
        let (prefix, rest) = components.split_at(literal);
        let prefix = prefix.join("/");
        let start = if text.starts_with('/') {
            roots.locate(&format!("/{prefix}"))?
        } else if text.starts_with('@') && !prefix.is_empty() {
            named(roots, base, &prefix)?
        } else {
            base.join(Path::new(&prefix))
        };
        let rest = rest.join("/");
        Ok(Self {
            start,
            matcher: compile(&rest)?,
            depth: depth(&rest),
            only_directories,
        })
    }

    /// Returns whether a path below the start matches.
    pub(super) fn matches(&self, path: &Path) -> bool {
        self.matcher.is_match(path)
    }
}

fn named(roots: &Roots, base: &Location, prefix: &str) -> Result<Location, ToolError> {
    let first = prefix.split('/').next().unwrap_or(prefix);
    if crate::root::RootName::parse(first).is_some() {
        roots.locate(prefix)
    } else {
        Ok(base.join(Path::new(prefix)))
    }
}

/// Without `**` a match has at most as many components as the pattern; alternatives may have fewer.
fn depth(text: &str) -> Option<usize> {
    (!text.contains("**")).then(|| text.matches('/').count() + 1)
}

fn compile(text: &str) -> Result<GlobMatcher, ToolError> {
    GlobBuilder::new(text)
        .literal_separator(true)
        .backslash_escape(true)
        .empty_alternates(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| ToolError::invalid(format!("`pattern`: {}", error.kind())))
}
