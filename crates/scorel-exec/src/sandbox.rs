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
    /// Directories and files that cannot be read, except what is writable or shown below them.
    pub hidden: Vec<PathBuf>,
    /// Directories and files below something hidden that can be read.
    pub shown: Vec<PathBuf>,
    /// Places below something writable that are put back when the command has ended, because a mount
    /// does not cover them.
    pub guard: Option<Guard>,
    /// Whether the command may use TCP and UDP.
    pub network: bool,
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
