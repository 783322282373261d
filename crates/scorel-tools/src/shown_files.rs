//! The files that a call may show.

use std::path::Path;

use scorel_engine::ReadFilter;
use scorel_permission::DaemonHome;

use crate::off_limits::off_limits;

/// The files that a call may show.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShownFiles<'a> {
    /// Of the permit; all files without it.
    pub(crate) rules: Option<&'a dyn ReadFilter>,
    /// Set outside the roots.
    pub(crate) daemon_home: Option<&'a DaemonHome>,
}

impl ShownFiles<'_> {
    /// Returns whether any file may be withheld.
    pub(crate) fn is_limited(&self) -> bool {
        self.rules.is_some() || self.daemon_home.is_some()
    }

    /// Returns whether the file at `path`, absolute and without links, may be shown.
    pub(crate) fn may_show(&self, path: &Path) -> bool {
        self.rules.is_none_or(|rules| rules.may_read(path))
            && self
                .daemon_home
                .is_none_or(|home| off_limits(path, home).is_none())
    }
}
