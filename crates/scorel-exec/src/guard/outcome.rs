//! The result of restoring.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// The result of restoring a snapshot.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RestoreOutcome {
    /// Paths that were different: relative to [`Guard::root`], absolute in [`Guard::others`].
    pub(crate) restored: Vec<String>,
    /// Set if changes may have stayed because a place was beyond the limits.
    pub(crate) has_gaps: bool,
    /// Places that could not be restored, with the reasons.
    pub(crate) failed: Vec<String>,
}

impl RestoreOutcome {
    /// Adds what was restored before or elsewhere.
    pub(crate) fn add(&mut self, other: Self) {
        for path in other.restored {
            if !self.restored.contains(&path) {
                self.restored.push(path);
            }
        }
        self.has_gaps |= other.has_gaps;
        self.failed.extend(other.failed);
    }

    /// The same with absolute paths.
    pub(super) fn below(mut self, root: &Path) -> Self {
        for path in &mut self.restored {
            *path = root.join(&*path).to_string_lossy().into_owned();
        }
        self
    }
}
