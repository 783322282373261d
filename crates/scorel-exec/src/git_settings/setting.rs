//! A setting of git.

use std::ops::Range;

use super::harmless::{is_harmless, is_remote};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitSetting {
    /// `section.key` or `section.subsection.key`; section and key in lower case.
    pub name: String,
    /// `None` for a key without `=`, which means true.
    pub value: Option<String>,
    pub(super) span: Range<usize>,
}

impl GitSetting {
    /// Section and key.
    pub fn parts(&self) -> (&str, &str) {
        let section = self.name.split('.').next().unwrap_or_default();
        let key = self.name.rsplit('.').next().unwrap_or_default();
        (section, key)
    }

    /// Returns whether git runs nothing for it and obeys no other file.
    pub fn is_harmless(&self) -> bool {
        is_harmless(self.parts(), self.value.as_deref())
    }

    /// Returns whether it says where a remote is.
    pub fn is_remote(&self) -> bool {
        is_remote(self.parts())
    }

    pub(crate) fn is_work_tree(&self) -> bool {
        self.name == "core.worktree"
    }

    /// The part between section and key.
    pub(super) fn subsection(&self) -> Option<&str> {
        let (section, key) = self.parts();
        let inner = self.name.get(section.len() + 1..)?;
        inner.strip_suffix(key)?.strip_suffix('.')
    }

    /// The remote that a branch is of. Without a URL, its name is a path.
    pub(super) fn remote_of_branch(&self) -> Option<&str> {
        let is_of_branch = matches!(self.parts(), ("branch", "remote" | "pushremote"));
        self.value
            .as_deref()
            .filter(|name| is_of_branch && *name != ".")
    }

    /// Returns whether it is this setting, wherever its text is.
    pub(super) fn is(&self, other: &Self) -> bool {
        (&self.name, &self.value) == (&other.name, &other.value)
    }
}
