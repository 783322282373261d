use std::fmt;
use std::path::Path;
use std::sync::Arc;

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
