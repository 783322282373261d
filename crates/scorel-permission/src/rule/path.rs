//! Path patterns.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use scorel_shell::normal;

use super::RuleErrorKind;
use crate::BaseDirs;

#[derive(Debug, Clone)]
pub(crate) struct PathPattern {
    anchor: Anchor,
    /// The directories before the first wildcard.
    literal: PathBuf,
    /// Components after those; `None` if a `**` among them stands for any number.
    levels: Option<usize>,
    /// True if it ends in `**`, and so matches all that is below what it matches.
    is_tree: bool,
    matcher: GlobSet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
    Project,
    Home,
    Root,
}

impl PathPattern {
    pub(crate) fn parse(pattern: Option<&str>) -> Result<Self, (usize, RuleErrorKind)> {
        let pattern = pattern.unwrap_or("/**").trim();
        if pattern.starts_with('~') && pattern != "~" && !pattern.starts_with("~/") {
            return Err((0, RuleErrorKind::OtherHome));
        }
        let (anchor, rest) = if pattern == "~" {
            (Anchor::Home, "")
        } else if let Some(rest) = pattern.strip_prefix("~/") {
            (Anchor::Home, rest)
        } else if let Some(rest) = pattern.strip_prefix('/') {
            (Anchor::Root, rest)
        } else {
            (Anchor::Project, pattern)
        };
        let mut parts = simplified(rest).ok_or((0, RuleErrorKind::Outside))?;
        if rest.ends_with('/') {
            parts.push("**");
        }
        let is_tree = parts.last() == Some(&"**");
        let literal: PathBuf = parts
            .iter()
            .take_while(|part| !part.contains(['*', '?', '[', '{', '\\']))
            .collect();
        let has_any_depth = parts.iter().any(|part| part.contains("**"));
        let levels = (!has_any_depth).then(|| parts.len() - literal.iter().count());
        let mut globs = GlobSetBuilder::new();
        globs.add(glob(&parts.join("/"))?);
        if let Some((&"**", directory)) = parts.split_last() {
            globs.add(glob(&directory.join("/"))?);
        }
        let matcher = globs
            .build()
            .map_err(|error| (0, RuleErrorKind::Glob(error.to_string())))?;
        Ok(Self {
            anchor,
            literal,
            levels,
            is_tree,
            matcher,
        })
    }

    /// The pattern that matches this path only; `None` if none can spell it.
    pub(crate) fn exactly(path: &Path, dirs: &BaseDirs) -> Option<String> {
        let text = path.strip_prefix(dirs.project()).unwrap_or(path).to_str()?;
        let mut pattern = String::new();
        for letter in text.chars() {
            if "*?[]{}\\!".contains(letter) {
                pattern.push('\\');
            }
            pattern.push(letter);
        }
        let is_plain =
            pattern.trim() == pattern && !pattern.is_empty() && !pattern.starts_with('~');
        is_plain.then_some(pattern)
    }

    /// Returns whether it matches the path, which is absolute and normal.
    pub(crate) fn covers(&self, path: &Path, dirs: &BaseDirs) -> bool {
        path.strip_prefix(self.base(dirs))
            .is_ok_and(|rest| self.matcher.is_match(rest))
    }

    /// Returns whether it matches the path and everything below it.
    pub(crate) fn covers_tree(&self, path: &Path, dirs: &BaseDirs) -> bool {
        self.is_tree && self.covers(path, dirs)
    }

    /// Where paths that it matches are: there, and at most so many levels below.
    pub(crate) fn reach(&self, dirs: &BaseDirs) -> (PathBuf, Option<usize>) {
        (normal(&self.base(dirs).join(&self.literal)), self.levels)
    }

    /// Returns whether it may match something in the directory or below.
    pub(crate) fn reaches_below(&self, directory: &Path, dirs: &BaseDirs) -> bool {
        let literal = normal(&self.base(dirs).join(&self.literal));
        literal.starts_with(directory) || directory.starts_with(&literal)
    }

    fn base<'a>(&self, dirs: &'a BaseDirs) -> &'a Path {
        match self.anchor {
            Anchor::Project => dirs.project(),
            Anchor::Home => dirs.home(),
            Anchor::Root => Path::new("/"),
        }
    }
}

/// The components without `.` and `..`; `None` if they lead out of the anchor.
fn simplified(pattern: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    for part in pattern.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.pop() {
                None | Some("**") => return None,
                Some(_) => {}
            },
            _ => parts.push(part),
        }
    }
    Some(parts)
}

fn glob(pattern: &str) -> Result<globset::Glob, (usize, RuleErrorKind)> {
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .map_err(|error| (0, RuleErrorKind::Glob(error.kind().to_string())))
}
