use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Effect;

/// What the gate granted to one call. It travels with the call's plan and is used up by its run.
///
/// The default grants the least that a call without effects needs.
#[derive(Debug, Clone, Default)]
pub struct Permit {
    /// Which files the call may show to the model; all of those its plan declared, if absent.
    pub reads: Option<Arc<dyn ReadFilter>>,
    /// What its command may do.
    pub command: CommandAccess,
    /// What its command must not read though it may read files beside; nothing, if absent.
    pub hidden: Option<Arc<dyn HiddenFiles>>,
    /// True if it may change protected files that its plan declared. See
    /// [`Effect::WritePath`](crate::Effect::WritePath).
    pub protected_writes: bool,
    /// The effects that were judged and allowed. Paths outside the project and private hosts are used
    /// only as far as these effects cover them.
    pub granted: Arc<[Effect]>,
}

impl Permit {
    /// Returns whether the call may show the file at `path`, absolute and without links, or the files below it.
    pub fn grants_reading(&self, path: &Path) -> bool {
        let is_it = |effect: &Effect| matches!(effect, Effect::ReadPath { path: it } if it == path);
        self.granted.iter().any(is_it)
    }

    /// Returns whether the call may fetch from the private host of `url`.
    pub fn grants_private_fetch(&self, url: &str) -> bool {
        let is_it = |effect: &Effect| matches!(effect, Effect::FetchUrl { url: it, is_private: true } if it == url);
        self.granted.iter().any(is_it)
    }
}

/// Which files tools may show to the model: `Read` refuses the others, `Grep` and `Glob` leave them
/// out and say how many.
pub trait ReadFilter: fmt::Debug + Send + Sync {
    /// Returns whether the file at `path`, absolute and without links, may be shown. Called for every file of
    /// a search, from several threads.
    fn may_read(&self, path: &Path) -> bool;
}

/// Which files are hidden from commands. A command finds files by itself, so they are looked for before
/// it starts.
pub trait HiddenFiles: fmt::Debug + Send + Sync {
    /// Where to look.
    fn roots(&self) -> Vec<HiddenRoot>;

    /// How much is hidden at `path`, absolute and without links; `None` if it is not.
    fn extent(&self, path: &Path) -> Option<HiddenExtent>;
}

/// A path at which, or below which, files are hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenRoot {
    /// Absolute, without links.
    pub path: PathBuf,
    /// How many levels below they may be; `None` is any.
    pub depth: Option<usize>,
}

/// How much is hidden at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiddenExtent {
    /// The file itself; if it is a directory, not its contents.
    Entry,
    /// It and everything below it.
    Tree,
}

/// How much a command may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CommandAccess {
    /// Write to its temporary directory only; no network.
    #[default]
    Readonly,
    /// Write to the project, the temporary directory and package caches.
    Workspace {
        /// True if it may use the network.
        network: bool,
    },
    /// Everything the user may do: it runs without a sandbox.
    Full,
}
