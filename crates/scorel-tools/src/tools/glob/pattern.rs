//! Glob patterns.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use crate::error::{ErrorCode, ToolError};
use crate::roots::{Location, Roots};

/// The longest pattern in bytes.
const MAX_PATTERN_BYTES: usize = 1024;

/// A parsed pattern: a starting directory, and a matcher for paths below it.
#[derive(Debug)]
pub(super) struct Pattern {
    start: Location,
    matcher: GlobMatcher,
    depth: Option<usize>,
    only_directories: bool,
}

impl Pattern {
    /// Parses `text` relative to `base`, or to a root that it names. Leading components without wildcards
    /// become part of the start, which spares the walk what cannot match.
    pub(super) fn new(roots: &Roots, base: &Location, text: &str) -> Result<Self, ToolError> {
        check(text)?;
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

    /// The same pattern below another directory: where the links of its own lead.
    pub(super) fn starting_at(self, start: Location) -> Self {
        Self { start, ..self }
    }

    /// The directory that contains all matches.
    pub(super) fn start(&self) -> &Location {
        &self.start
    }

    /// The most components of a match below the start; `None` without a limit.
    pub(super) fn depth(&self) -> Option<usize> {
        self.depth
    }

    /// Returns whether a path below the start matches.
    pub(super) fn matches(&self, path: &Path) -> bool {
        self.matcher.is_match(path)
    }

    /// Returns whether the pattern matches only directories.
    pub(super) fn only_directories(&self) -> bool {
        self.only_directories
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

fn check(text: &str) -> Result<(), ToolError> {
    if text.is_empty() {
        return Err(ToolError::invalid(
            "`pattern` is empty; `*` lists everything",
        ));
    }
    if text.len() > MAX_PATTERN_BYTES {
        return Err(ToolError::invalid(format!(
            "`pattern` has {} bytes; at most {MAX_PATTERN_BYTES} are possible",
            text.len()
        )));
    }
    if text.contains('\0') {
        return Err(ToolError::invalid("`pattern` has a NUL character"));
    }
    Ok(())
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
