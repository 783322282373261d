//! The rights of a command.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::guard::{Guard, SettingsCopy};
use crate::surroundings::Surroundings;
use crate::trusted_links;

/// The rights of a command.
///
/// It may read and execute everything except places below `hidden`, and write only below `writable`
/// and to devices such as `/dev/null`. Unix sockets to other programs, `io_uring` and system calls of
/// another architecture are always refused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sandbox {
    /// Directories and files that may be changed, without links on their paths; absent ones are skipped,
    /// and so is one that is hidden or has a link on its path by then. See [`grant`](Self::grant).
    pub writable: Vec<PathBuf>,
    /// Directories and files below something writable that are mounted read-only; absent ones are
    /// skipped. Needs [`Support::mounts`](crate::Support::mounts): if mounting fails, the command is
    /// not run.
    pub protected: Vec<PathBuf>,
    /// Configurations of git among `protected` that the command gets copies of.
    pub settings: Vec<SettingsCopy>,
    /// Directories and files that cannot be read, except shown places below them.
    pub hidden: Vec<PathBuf>,
    /// Directories and files below something hidden that can be read, and be writable.
    pub shown: Vec<PathBuf>,
    /// Directories and files that are covered by empty ones which cannot be opened; absent ones are
    /// skipped. Needs [`Support::mounts`](crate::Support::mounts), and unlike `hidden` also works for
    /// places below something writable.
    pub masked: Vec<PathBuf>,
    /// Places below something writable that are put back when the command has ended, because a mount
    /// does not cover them.
    pub guard: Option<Guard>,
    /// True if the command may use TCP and UDP on the host's network.
    pub network: bool,
    /// The network it has otherwise, and its `/dev/shm`.
    pub surroundings: Surroundings,
    /// The namespaces that the command has for itself. Those that the kernel does not support are left out by
    /// [`Supervisors`](crate::Supervisors).
    pub isolation: Isolation,
}

/// Namespaces of a command, besides what Landlock and seccomp restrict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Isolation {
    /// Mounts, of which only those of writable places can be written to, and System V IPC. Without
    /// them the command can change permissions, times and attributes of the user's files wherever
    /// they are, and gets no System V IPC and no message queues.
    pub mounts: bool,
    /// Process ids: other processes do not exist for the command. Needs `mounts`. Without them,
    /// seccomp refuses calls that name another process or thread, those of the command's own too.
    pub processes: bool,
}

impl Default for Isolation {
    fn default() -> Self {
        Self {
            mounts: true,
            processes: true,
        }
    }
}

impl Isolation {
    /// No namespaces.
    pub const NONE: Self = Self {
        mounts: false,
        processes: false,
    };
}

impl Sandbox {
    /// Makes places writable and returns those that are left out: what is hidden, and what a link leads
    /// to that a command may have made. Such are links in writable places and in `changeable`, where
    /// other commands write. Links elsewhere are followed. Call it when the hidden and shown places
    /// are set.
    pub fn grant(&mut self, wanted: &[PathBuf], changeable: &[PathBuf]) -> Vec<PathBuf> {
        let mut left_out = Vec::new();
        let veil = self.veil();
        for (place, found) in trusted_links::resolve(wanted, changeable) {
            match found.filter(|found| !veil.hides(found)) {
                Some(found) => self.writable.push(found),
                None => left_out.push(place.clone()),
            }
        }
        left_out
    }

    /// The writable places that are not hidden.
    pub(crate) fn granted(&self) -> impl Iterator<Item = &PathBuf> {
        let veil = self.veil();
        let writable = self.writable.iter();
        writable.filter(move |place| !veil.hides(place))
    }

    fn veil(&self) -> Veil {
        let [hidden, shown] = [&self.hidden, &self.shown]
            .map(|places| places.iter().map(|place| real(place)).collect());
        Veil { hidden, shown }
    }

    /// Returns whether internet sockets do no harm: they are allowed, or lead nowhere but to the sandbox's own
    /// loopback.
    pub(crate) fn may_use_sockets(&self) -> bool {
        self.network || self.surroundings != Surroundings::Host
    }

    /// Returns whether Unix sockets lead nowhere but to others of the session. That takes an init, which judges
    /// each `connect`, and a network namespace, by which sockets are told apart.
    pub(crate) fn may_use_unix_sockets(&self) -> bool {
        let has_own_network = !self.network && self.surroundings != Surroundings::Host;
        has_own_network && self.isolation.processes
    }
}

/// The hidden places, as paths without links.
struct Veil {
    hidden: Vec<PathBuf>,
    shown: Vec<PathBuf>,
}

impl Veil {
    fn hides(&self, path: &Path) -> bool {
        let shown = |hidden: &PathBuf| {
            let mut shown = self.shown.iter();
            shown.any(|shown| path.starts_with(shown) && shown.starts_with(hidden))
        };
        let mut around = self.hidden.iter().filter(|it| path.starts_with(it));
        around.any(|hidden| !shown(hidden))
    }
}

/// The canonical path. Of a place that does not exist, that of its nearest existing ancestor with the
/// rest appended.
pub fn real(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => path.to_owned(),
    }
}
