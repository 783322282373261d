//! What to guard.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Places below one directory that are put back after a command.
///
/// The command's version is kept beside the place, with `.scorel-put-back` after its name. Files are
/// compared by content and permissions, links by target, directories recursively (without git's
/// `*.sample` files); together at most 1,000 entries and 4 MiB.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Guard {
    /// Canonical path of the directory.
    pub root: PathBuf,
    pub places: Vec<GuardedPlace>,
    /// Whether `places` is incomplete because a limit was reached while they were looked for.
    pub has_gaps: bool,
    /// Guards of other directories: a repository's data may be outside its work tree.
    pub others: Vec<Guard>,
}

/// A file or directory that is put back after a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GuardedPlace {
    /// Relative to [`Guard::root`], without symbolic links before the last component. It may be
    /// absent.
    pub path: PathBuf,
    /// The work tree that the place belongs to, relative to [`Guard::root`] and empty for the root
    /// itself. A place whose work tree is gone is not put back, so that commands can remove
    /// repositories.
    pub anchor: PathBuf,
    pub rule: GuardRule,
}

/// What a command may do at a guarded place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GuardRule {
    /// Nothing: any change is put back.
    Unchanged,
    /// The `.git` of a project that has no repository yet. `git init` and `git clone` work; hooks and
    /// settings that make git run something are moved aside.
    NewRepository,
}
