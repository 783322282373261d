//! One named directory that tools may work in.

mod beneath;
mod settle;

use std::fmt;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

pub(crate) use beneath::{LOOK, Resolver};
pub(crate) use settle::{Settled, real_path};

/// A directory, opened once, that tools reach by a name.
///
/// Everything below it is opened relative to the open directory: renaming or replacing the
/// directory's path later does not lead tools elsewhere.
#[derive(Debug)]
pub struct Root {
    name: RootName,
    path: PathBuf,
    given: PathBuf,
    directory: OwnedFd,
    resolver: Resolver,
}

impl Root {
    /// Opens `path` as the root `name`.
    ///
    /// # Errors
    /// The path is not a directory that this process can open.
    pub fn open(name: RootName, path: &Path) -> Result<Self, OpenRootError> {
        Self::open_with(name, path, None)
    }

    /// As [`Root::open`], with a fixed way to resolve paths where the probe's choice is not wanted.
    pub(crate) fn open_with(
        name: RootName,
        path: &Path,
        resolver: Option<Resolver>,
    ) -> Result<Self, OpenRootError> {
        let fail = |source| OpenRootError {
            name,
            path: path.to_owned(),
            source,
        };
        let real = path.canonicalize().map_err(fail)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory =
            rustix::fs::open(&real, flags, Mode::empty()).map_err(|error| fail(error.into()))?;
        Ok(Self {
            name,
            path: real,
            given: std::path::absolute(path).map_err(fail)?,
            resolver: resolver.unwrap_or_else(|| Resolver::probe(directory.as_fd())),
            directory,
        })
    }

    /// The root's name.
    #[must_use]
    pub fn name(&self) -> RootName {
        self.name
    }

    /// The directory's real path when it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The part of an absolute path below this root, under its real path or the one it was opened
    /// by. Purely lexical.
    pub(crate) fn relative<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        path.strip_prefix(&self.path)
            .or_else(|_| path.strip_prefix(&self.given))
            .ok()
    }

    /// Opens what is at `path` below the root.
    ///
    /// # Errors
    /// [`rustix::io::Errno::XDEV`] where the path leads outside; otherwise what the system says.
    pub(crate) fn open_beneath(
        &self,
        path: &Path,
        flags: OFlags,
    ) -> Result<OwnedFd, rustix::io::Errno> {
        self.resolver.open(self.directory.as_fd(), path, flags)
    }
}

/// The names that roots have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RootName {
    /// The session's project: `@project`.
    Project,
    /// The files of a workflow package: `@pkg`.
    Package,
    /// The private state of a workflow run: `@state`.
    State,
}

impl RootName {
    const ALL: [Self; 3] = [Self::Project, Self::Package, Self::State];

    /// The name as paths begin with it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "@project",
            Self::Package => "@pkg",
            Self::State => "@state",
        }
    }

    /// Whether no tool may ever write below the root, whatever permissions say.
    #[must_use]
    pub const fn is_read_only(self) -> bool {
        matches!(self, Self::Package)
    }

    /// The name that `component` is, if any.
    pub(crate) fn parse(component: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|name| name.as_str() == component)
    }
}

impl fmt::Display for RootName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A directory cannot serve as a root.
#[derive(Debug, thiserror::Error)]
#[error("cannot open {} as {name}", path.display())]
pub struct OpenRootError {
    /// The root's name.
    pub name: RootName,
    /// The directory.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}
