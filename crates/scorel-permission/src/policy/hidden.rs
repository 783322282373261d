//! Places that denying rules hide.

use std::path::{Path, PathBuf};

use super::Policy;
use crate::rule::{PathPattern, RuleScope};

/// The part of a path that a denying rule hides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HiddenPart {
    /// The path, and nothing below it.
    Entry,
    /// The path and everything below it.
    Tree,
}

impl Policy {
    /// Where files are that denying rules hide from reading: each at a path, or at most so many levels
    /// below it; without a number at any depth. Empty if no rule denies reading.
    pub fn hidden_places(&self) -> Vec<(PathBuf, Option<usize>)> {
        let reach = |pattern: &PathPattern| pattern.reach(&self.dirs);
        self.hiding().map(reach).collect()
    }

    /// The part of `path`, absolute and normal, that denying rules hide; `None` if they hide nothing there.
    pub fn hidden_part(&self, path: &Path) -> Option<HiddenPart> {
        let part = |pattern: &PathPattern| {
            if pattern.covers_tree(path, &self.dirs) {
                Some(HiddenPart::Tree)
            } else {
                pattern
                    .covers(path, &self.dirs)
                    .then_some(HiddenPart::Entry)
            }
        };
        self.hiding().filter_map(part).max()
    }

    fn hiding(&self) -> impl Iterator<Item = &PathPattern> {
        self.rules
            .deny
            .iter()
            .filter_map(|rule| match rule.scope() {
                RuleScope::Read(pattern) => Some(pattern),
                _ => None,
            })
    }
}
