//! The rights of a command.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::guard::Guard;

/// The rights of a command.
///
/// It may read and execute everything except what is below `hidden`, and write only below `writable`
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
    /// Directories and files that cannot be read, except what is writable below them.
    pub hidden: Vec<PathBuf>,
    /// Places below something writable that are put back when the command has ended, because a mount
    /// does not cover them.
    pub guard: Option<Guard>,
    /// Whether the command may use TCP and UDP.
    pub network: bool,
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

/// Paths below a home directory that hold credentials.
#[must_use]
pub fn secret_places(home: &Path) -> Vec<PathBuf> {
    const PLACES: &[&str] = &[
        ".aws",
        ".azure",
        ".cargo/credentials",
        ".cargo/credentials.toml",
        ".config/gcloud",
        ".config/gh",
        ".docker",
        ".git-credentials",
        ".gnupg",
        ".kube",
        ".local/share/keyrings",
        ".netrc",
        ".password-store",
        ".pgpass",
        ".pypirc",
        ".ssh",
    ];
    PLACES.iter().map(|place| home.join(place)).collect()
}

/// Caches of package managers below a home directory. `cargo_home` is the value of `CARGO_HOME`, if it
/// is set.
///
/// Only downloads and lock files are among them. Programs (`~/.cargo/bin`) and configuration
/// (`~/.cargo/config.toml`) would run outside the sandbox later.
#[must_use]
pub fn default_caches(home: &Path, cargo_home: Option<&Path>) -> Vec<PathBuf> {
    const CARGO: &[&str] = &[
        ".global-cache",
        ".package-cache",
        ".package-cache-mutate",
        "git",
        "registry",
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
        "go/pkg",
    ];
    let cargo_home = cargo_home.map_or_else(|| home.join(".cargo"), Path::to_owned);
    let cargo = CARGO.iter().map(|name| cargo_home.join(name));
    cargo
        .chain(OTHERS.iter().map(|name| home.join(name)))
        .collect()
}
