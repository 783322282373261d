//! The rights of a command.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::guard::Guard;
use crate::shared_space::SharedSpace;
use crate::surroundings::Surroundings;

/// The rights of a command.
///
/// It may read and execute everything except places below `hidden`, and write only below `writable`
/// and to devices such as `/dev/null`. Unix sockets, `io_uring` and system calls of another
/// architecture are always refused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sandbox {
    /// Directories and files that may be changed; absent ones are skipped.
    pub writable: Vec<PathBuf>,
    /// Directories and files below something writable that are mounted read-only; absent ones are
    /// skipped. Needs [`Support::mounts`](crate::Support::mounts): if mounting fails, the command is
    /// not run.
    pub protected: Vec<PathBuf>,
    /// Directories and files that cannot be read, except writable and shown places below them.
    pub hidden: Vec<PathBuf>,
    /// Directories and files below something hidden that can be read.
    pub shown: Vec<PathBuf>,
    /// Directories and files that are covered by empty ones which cannot be opened; absent ones are
    /// skipped. Needs [`Support::mounts`](crate::Support::mounts), and unlike `hidden` also works for
    /// places below something writable.
    pub masked: Vec<PathBuf>,
    /// Places below something writable that are put back when the command has ended, because a mount
    /// does not cover them.
    pub guard: Option<Guard>,
    /// Whether the command may use TCP and UDP on the host's network.
    pub network: bool,
    /// The network it has otherwise, and its `/dev/shm`.
    pub surroundings: Surroundings,
    /// What the command has for itself. What the kernel does not support is left out by
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
    /// The same sandbox in a shared space.
    pub(crate) fn in_space(self, space: &SharedSpace) -> Self {
        Self {
            surroundings: Surroundings::Shared(space.holder()),
            ..self
        }
    }

    /// Whether internet sockets do no harm: they are allowed, or lead nowhere but to the sandbox's own
    /// loopback.
    #[cfg(target_os = "linux")]
    pub(crate) fn may_use_sockets(&self) -> bool {
        self.network || self.surroundings != Surroundings::Host
    }
}

/// Caches of package managers below a home directory. `cargo_home` is the value of `CARGO_HOME`, if it
/// is set.
///
/// Only downloads and lock files are among them. Programs (`~/.cargo/bin`) and configuration
/// (`~/.cargo/config.toml`) would run outside the sandbox later, and so would the sources that cargo
/// has unpacked; see [`cargo_registry`].
#[must_use]
pub fn default_caches(home: &Path, cargo_home: Option<&Path>) -> Vec<PathBuf> {
    const CARGO: &[&str] = &[
        ".global-cache",
        ".package-cache",
        ".package-cache-mutate",
        "git",
        "registry/cache",
        "registry/index",
    ];
    const OTHERS: &[&str] = &[
        ".cache/go-build",
        ".cache/pip",
        ".cache/uv",
        ".cache/yarn",
        ".local/share/pnpm/store",
        ".npm/_cacache",
        ".npm/_locks",
        ".npm/_logs",
        ".npm/_npx",
        "go/pkg",
    ];
    let cargo_home = cargo_home.map_or_else(|| home.join(".cargo"), Path::to_owned);
    let cargo = CARGO.iter().map(|name| cargo_home.join(name));
    cargo
        .chain(OTHERS.iter().map(|name| home.join(name)))
        .collect()
}

/// The directory of packages that cargo has downloaded. `cache` and `index` in it are among the
/// [`default_caches`], `src` is not: its build scripts and macros run whenever a person builds.
#[must_use]
pub fn cargo_registry(home: &Path, cargo_home: Option<&Path>) -> PathBuf {
    let cargo_home = cargo_home.map_or_else(|| home.join(".cargo"), Path::to_owned);
    cargo_home.join("registry")
}
