//! Places that are compared before and after a command, and put back.
//!
//! What cannot be kept from changing, because nobody may mount there, because it does not exist
//! yet, or because there is too much of it, is looked at before the command starts and again when
//! nothing of it is left.
//!
//! The supervisor does both, so that it also happens when the daemon is killed meanwhile. The daemon
//! has a second look of its own, for a supervisor that is killed. When both are killed at once, or
//! the machine stops, what the command did stays: nothing is kept on disk.
//!
//! Nobody can tell who changed a file. What a person changes in such a place while a command runs is
//! put back as well, and kept beside it; only what could be mounted is known not to be the
//! command's doing.

#[cfg(target_os = "linux")]
mod entry;
#[cfg(target_os = "linux")]
mod repository;
#[cfg(target_os = "linux")]
mod restore;
#[cfg(target_os = "linux")]
mod snapshot;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
pub(crate) use snapshot::Snapshot;

/// Places below one directory that a command leaves as they are.
///
/// What it changes, makes or removes there is put back when it has ended, also when the daemon is
/// gone by then. What it had put there is kept beside it, with `.scorel-put-back` after its name.
/// Files are compared by content and permissions, links by where they lead, directories with
/// everything in them but git's samples; together at most 1,000 entries and 4 MiB.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Guard {
    /// The directory, without links.
    pub root: PathBuf,
    /// The places.
    pub places: Vec<GuardedPlace>,
    /// Whether there are places that should be here and are not, because there are too many.
    pub has_gaps: bool,
}

/// A place that a command leaves as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GuardedPlace {
    /// Below the guard's directory, without links before the last name. There may be nothing.
    pub path: PathBuf,
    /// The directory, below the guard's, without which the place does not matter: nothing is put
    /// back if it is gone. Empty for the guard's directory itself.
    pub anchor: PathBuf,
    /// What may become of it.
    pub rule: GuardRule,
}

/// What may become of a guarded place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GuardRule {
    /// Nothing.
    Unchanged,
    /// It is git's data of a repository that does not exist yet. It may come to be, without hooks
    /// and with a configuration that runs nothing.
    NewRepository,
}
