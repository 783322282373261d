//! Places to guard.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::directory_stamp::DirectoryStamp;

/// Directories of dependencies and build results, in which no repositories and no protected files are
/// looked for. They are large, and git is not run in them, unless they have
/// [gitlinks](crate::may_link_to_unsearched). They are known by name and not by a marker
/// file in them, which a command could create anywhere.
pub const UNSEARCHED: [&str; 3] = [".venv", "node_modules", "target"];

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
    /// Places that a read-only mount covers. They are put back if it is gone: a file loses its mounts when
    /// another program renames or removes it, as an editor does that replaces it.
    pub mounted: Vec<GuardedPlace>,
    /// The git directories that exist, and the files and links in place of one; relative to `root`. From
    /// others that are there after a command, what git would run is moved aside.
    pub repositories: Vec<PathBuf>,
    /// All directories that were searched, relative to `root`. One that still has its stamp has no new entries.
    /// Empty if they are not known.
    pub directories: Vec<(PathBuf, Option<DirectoryStamp>)>,
    /// Absolute paths of directories in which none is looked for, besides [`UNSEARCHED`].
    pub exempt: Vec<PathBuf>,
    /// True if `places` is incomplete because a limit was reached while they were looked for.
    pub has_gaps: bool,
    /// Guards of other directories: a repository's data may be outside its work tree.
    pub others: Vec<Guard>,
}

/// A file or directory that is put back after a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GuardedPlace {
    /// Relative to [`Guard::root`]. It may be absent. Links before the last component are followed, as
    /// a program that looks for the place does.
    pub path: PathBuf,
    /// The directory that the place belongs to, such as a work tree, relative to [`Guard::root`] and
    /// empty for the root itself. A place whose directory is gone is not put back, so that commands can
    /// remove repositories.
    pub anchor: PathBuf,
    pub rule: GuardRule,
}

/// The changes that a command may make at a guarded place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GuardRule {
    /// Nothing: any change is put back.
    Unchanged,
    /// Only that it goes, as the `.git` file of a submodule or of a work tree does that git removes.
    Removable,
    /// A configuration of git: changes of harmless settings stay.
    Settings,
    /// The `.git` of a project that has no repository yet. `git init` and `git clone` work; hooks and
    /// settings that make git run something are moved aside.
    NewRepository,
    /// A list of what `git rebase` has still to do. New commands in it are reported, and stay.
    Todo,
}

/// A configuration of git that a command gets a copy of. It finds a link to the copy in the file's
/// place, since git replaces its configuration by a rename, which a mount does not allow, but follows
/// links before. When the command has ended, its changes of harmless settings are taken over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingsCopy {
    /// Canonical path of the file.
    pub file: PathBuf,
    /// A directory that the command may write. When the command is started, one is made in it for the copy, and
    /// that one's path is put here.
    pub directory: PathBuf,
}
