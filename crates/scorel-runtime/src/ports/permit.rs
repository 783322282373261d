use std::fmt;
use std::path::Path;
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
    /// Whether it may change protected files that its plan declared. See
    /// [`Effect::WritePath`](crate::Effect::WritePath).
    pub protected_writes: bool,
    /// The effects that were judged and allowed. What is beyond the project or the public networks is
    /// used only as far as it is among them.
    pub granted: Arc<[Effect]>,
}

impl Permit {
    /// Whether the call may show what is at `path`, absolute and without links, or below it.
    #[must_use]
    pub fn grants_reading(&self, path: &Path) -> bool {
        let is_it = |effect: &Effect| matches!(effect, Effect::ReadPath { path: it } if it == path);
        self.granted.iter().any(is_it)
    }

    /// Whether the call may fetch from the private host of `url`.
    #[must_use]
    pub fn grants_private_fetch(&self, url: &str) -> bool {
        let is_it = |effect: &Effect| matches!(effect, Effect::FetchUrl { url: it, is_private: true } if it == url);
        self.granted.iter().any(is_it)
    }
}

/// Which files tools may show to the model: `Read` refuses the others, `Grep` and `Glob` leave them
/// out and say how many.
pub trait ReadFilter: fmt::Debug + Send + Sync {
    /// Whether the file at `path`, absolute and without links, may be shown. Called for every file of
    /// a search, from several threads.
    fn may_read(&self, path: &Path) -> bool;
}

/// How much a command may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CommandAccess {
    /// Write to its temporary directory only; no network.
    #[default]
    Readonly,
    /// Write to the project, the temporary directory and package caches.
    Workspace {
        /// Whether it may use the network.
        network: bool,
    },
    /// Everything the user may do: it runs without a sandbox.
    Full,
}
