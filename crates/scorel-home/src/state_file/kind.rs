use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::StateError;
use crate::trusted_file::{self, Trust};

/// Upper bound of a file of a few lines.
const MAX_SMALL: u64 = 64 * 1024;

/// Upper bound of the grants.
const MAX_GRANTS: u64 = 16 * 1024 * 1024;

/// Upper bound of a list, well above what the limits of its entries allow.
const MAX_LIST: u64 = 64 * 1024 * 1024;

/// A kind of state file, without the type of its content.
#[derive(Debug)]
pub struct StateKind {
    /// Its path in the home; `*` stands for the name of each file, or of each directory that has one.
    pub place: &'static str,
    /// The version that this program writes; `None` for a format without versions.
    pub version: Option<u32>,
    /// The most bytes of a file.
    pub max_bytes: u64,
    pub need: Need,
    /// The advice to a person about a damaged file.
    pub cure: &'static str,
}

/// The part of Scorel that needs a state file to be whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The daemon does not start with a damaged one.
    Start,
    /// A damaged one stops the feature that needs it.
    Use,
    /// Nothing: it is made again.
    Nothing,
}

pub const DEVICE: StateKind = StateKind {
    place: "device.json",
    version: Some(1),
    max_bytes: MAX_SMALL,
    need: Need::Start,
    cure: "restore it from a backup, or move it away to become a new device that paired clients do not know",
};

pub const PROJECTS: StateKind = StateKind {
    place: "projects.json",
    version: Some(1),
    max_bytes: MAX_LIST,
    need: Need::Start,
    cure: "restore it from a backup, or move it away to start with no projects (their sessions stay in the home)",
};

pub const GRANTS: StateKind = StateKind {
    place: "grants.json",
    version: Some(1),
    max_bytes: MAX_GRANTS,
    need: Need::Use,
    cure: "fix it, or remove it to be asked again",
};

pub const TRUST: StateKind = StateKind {
    place: "trust.json",
    version: Some(1),
    max_bytes: MAX_LIST,
    need: Need::Use,
    cure: "fix it, or remove it and trust the items again",
};

pub const CHANNELS: StateKind = StateKind {
    place: "channels.json",
    version: Some(1),
    max_bytes: MAX_LIST,
    need: Need::Use,
    cure: "fix it, or remove it: then schedules begin anew, and what they missed is left out",
};

pub const CREDENTIALS: StateKind = StateKind {
    place: "credentials.json",
    version: Some(1),
    max_bytes: MAX_GRANTS,
    need: Need::Use,
    cure: "fix it, or remove it and log in to MCP servers again",
};

pub const WORKTREE: StateKind = StateKind {
    place: "worktrees/*.json",
    version: None,
    max_bytes: MAX_SMALL,
    need: Need::Use,
    cure: "restore it from a backup, or remove the worktree with git",
};

pub const RUN: StateKind = StateKind {
    place: "runs/*/run.json",
    version: Some(1),
    max_bytes: MAX_SMALL,
    need: Need::Use,
    cure: "fix it, or remove it: it is made again from the run's document",
};

pub const MODELS: StateKind = StateKind {
    place: "models.json",
    version: Some(1),
    max_bytes: MAX_LIST,
    need: Need::Nothing,
    cure: "it can be removed",
};

/// Its `version` is the program's.
pub const DAEMON: StateKind = StateKind {
    place: "daemon.json",
    version: None,
    max_bytes: MAX_SMALL,
    need: Need::Nothing,
    cure: "it can be removed",
};

#[derive(Deserialize)]
struct VersionField {
    version: u32,
}

impl StateKind {
    /// The files of this kind in the home at `root`, existing or not, in order.
    pub fn files(&self, root: &Path) -> Vec<PathBuf> {
        let Some((dir, end)) = self.place.split_once('*') else {
            return vec![root.join(self.place)];
        };
        let entries = fs::read_dir(root.join(dir)).into_iter().flatten().flatten();
        let entries = entries.map(|it| it.path());
        let mut files: Vec<_> = match end.strip_prefix('/') {
            Some(name) => entries.map(|it| it.join(name)).collect(),
            None => entries
                .filter(|it| it.to_string_lossy().ends_with(end))
                .collect(),
        };
        files.sort();
        files
    }

    /// Checks a file as far as that needs no type of its content; a missing one is whole.
    ///
    /// # Errors
    /// Those of [`StateFile::read`](super::StateFile::read).
    pub fn check(&self, path: &Path) -> Result<(), StateError> {
        let Some(bytes) = self.read(path)? else {
            return Ok(());
        };
        let parsed: serde_json::Result<IgnoredAny> = serde_json::from_slice(&bytes);
        parsed.map_err(|error| self.damaged(path, error.to_string()))?;
        Ok(())
    }

    /// The bytes of a file of a known version.
    pub(super) fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, StateError> {
        let Some((_, bytes)) = trusted_file::read(path, self.max_bytes, Trust::Home)? else {
            return Ok(None);
        };
        let Some(known) = self.version else {
            return Ok(Some(bytes));
        };
        // On its own, since a later version may have any other form.
        let field: serde_json::Result<VersionField> = serde_json::from_slice(&bytes);
        let version = field.map_err(|error| self.damaged(path, error.to_string()))?;
        match version {
            VersionField { version } if version > known => Err(StateError::Newer {
                path: path.to_owned(),
                version,
                known,
            }),
            _ => Ok(Some(bytes)),
        }
    }

    pub(super) fn damaged(&self, path: &Path, reason: String) -> StateError {
        StateError::Damaged {
            path: path.to_owned(),
            reason,
            cure: self.cure,
        }
    }
}
