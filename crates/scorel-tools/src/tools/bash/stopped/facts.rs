//! Facts about the sandbox of one command.

use std::path::{Path, PathBuf};

use scorel_exec::{Sandbox, Surroundings};

/// The sandbox of one command, as the search for denials sees it.
#[derive(Debug, Clone)]
pub(in super::super) struct SandboxFacts {
    /// True if nothing more can be asked for.
    pub(super) is_readonly: bool,
    pub(super) network: bool,
    /// True if it has internet sockets that lead nowhere else.
    pub(super) has_loopback: bool,
    /// Where the command started.
    pub(super) directory: PathBuf,
    writable: Vec<PathBuf>,
    protected: Vec<PathBuf>,
    hidden: Vec<PathBuf>,
    shown: Vec<PathBuf>,
    /// Hidden also below something writable.
    masked: Vec<PathBuf>,
}

impl SandboxFacts {
    pub(in super::super) fn new(sandbox: &Sandbox, is_readonly: bool, directory: &Path) -> Self {
        Self {
            is_readonly,
            network: sandbox.network,
            has_loopback: sandbox.surroundings != Surroundings::Host,
            directory: directory.to_owned(),
            writable: resolved(&sandbox.writable),
            protected: resolved(&sandbox.protected),
            hidden: resolved(&sandbox.hidden),
            shown: resolved(&sandbox.shown),
            masked: resolved(&sandbox.masked),
        }
    }

    /// Returns whether the sandbox lets the command write to `path`, absolute and without links.
    pub(super) fn may_write(&self, path: &Path) -> bool {
        is_below(path, &self.writable) && !self.is_protected(path)
    }

    /// Returns whether a Unix socket at `path` may be one of the session's own.
    pub(super) fn may_reach(&self, path: &Path) -> bool {
        self.has_loopback && !self.network && self.may_write(path)
    }

    pub(super) fn is_protected(&self, path: &Path) -> bool {
        is_below(path, &self.protected)
    }

    /// Returns whether `path` is protected, or a directory that something protected is in.
    pub(super) fn holds_protected(&self, path: &Path) -> bool {
        let is_below = |place: &PathBuf| place.starts_with(path);
        self.is_protected(path) || self.protected.iter().any(is_below)
    }

    /// The hidden place that `path` is in. Writable and shown places below a hidden one can be read.
    pub(super) fn hidden_place(&self, path: &Path) -> Option<&Path> {
        let holds = |place: &&PathBuf| path.starts_with(place);
        if let Some(place) = self.masked.iter().find(holds) {
            return Some(place);
        }
        let place = self.hidden.iter().find(holds)?;
        let is_readable = is_below(path, &self.writable) || is_below(path, &self.shown);
        (!is_readable).then_some(place)
    }

    /// The hidden place of this name, if there is something at it.
    pub(super) fn hidden_named(&self, name: &str) -> Option<&Path> {
        let is_it = |place: &&PathBuf| place.ends_with(name) && place.exists();
        let mut places = self.hidden.iter().chain(&self.masked);
        places.find(is_it).map(PathBuf::as_path)
    }
}

fn is_below(path: &Path, places: &[PathBuf]) -> bool {
    places.iter().any(|place| path.starts_with(place))
}

fn resolved(places: &[PathBuf]) -> Vec<PathBuf> {
    let real = |place: &PathBuf| place.canonicalize().unwrap_or_else(|_| place.clone());
    places.iter().map(real).collect()
}
