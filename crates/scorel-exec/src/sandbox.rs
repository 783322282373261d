//! What a command may do.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::guard::Guard;

/// What a command may do besides reading.
///
/// It may read and execute everything but what is below `hidden`, and write nothing but what is
/// below `writable` and the terminal-like devices. It never reaches Unix sockets, `io_uring` or
/// another architecture's system calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sandbox {
    /// Directories and files that may be changed; those that do not exist are left out.
    pub writable: Vec<PathBuf>,
    /// Directories and files below something writable that can only be read, where the system lets a
    /// user do that; [`End::unprotected`](crate::End::unprotected) says where it does not. Those
    /// that do not exist are left out.
    pub protected: Vec<PathBuf>,
    /// Directories and files whose content cannot be read. Something writable below them still can.
    pub hidden: Vec<PathBuf>,
    /// Places below something writable that are put back when the command has ended. Those among them
    /// that are protected as well, and could be, are not: who changed them was somebody else.
    pub guard: Option<Guard>,
    /// Whether TCP and UDP can be used.
    pub network: bool,
}

/// Places below a home directory that hold credentials.
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

/// The caches of package managers that builds write to, below a home directory. `cargo_home` is
/// where cargo keeps its files, if not in the usual place.
///
/// Only what is downloaded or locked is among them: not programs, and not configuration.
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
