//! Named directories that tools work in.

mod granted;
mod settle;

use std::fmt;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags};
pub(crate) use scorel_files::{LOOK, Resolver};
use scorel_files::{Links, ProjectDir};

pub(crate) use granted::RootUse;
pub(crate) use settle::{Settled, real_path};

/// A named directory, opened once. Files are opened relative to the open directory, so renaming or
/// replacing it does not lead tools elsewhere.
///
/// Cheap to clone; clones share the open directory.
#[derive(Debug, Clone)]
pub struct Root {
    name: RootName,
    path: PathBuf,
    given: PathBuf,
    /// Shared by the sessions of a project; see [`OpenProjects`](crate::OpenProjects).
    pub(crate) directory: Arc<OwnedFd>,
    pub(crate) resolver: Resolver,
    links: Links,
}

impl Root {
    /// Opens `path` as the root `name`.
    ///
    /// # Errors
    /// The path is not a directory that this process can open.
    pub fn open(name: RootName, path: &Path) -> Result<Self, OpenRootError> {
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
            resolver: Resolver::probe(directory.as_fd()),
            directory: Arc::new(directory),
            links: Links::Follow,
        })
    }

    /// The directory, for the recorder of its changes. Shares the open directory.
    pub fn project_dir(&self) -> ProjectDir {
        ProjectDir::new(&self.path, Arc::clone(&self.directory))
    }

    pub fn name(&self) -> RootName {
        self.name
    }

    /// The directory's path when it was opened, links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The part of an absolute path below this root, by its resolved path or the one it was opened by.
    /// Lexical.
    pub(crate) fn relative<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        path.strip_prefix(&self.path)
            .or_else(|_| path.strip_prefix(&self.given))
            .ok()
    }

    /// Opens `path` below the root.
    ///
    /// # Errors
    /// [`rustix::io::Errno::XDEV`] if the path leads outside; otherwise the system's error.
    pub(crate) fn open_beneath(
        &self,
        path: &Path,
        flags: OFlags,
    ) -> Result<OwnedFd, rustix::io::Errno> {
        let directory = self.directory.as_fd();
        self.resolver.open(directory, path, flags, self.links)
    }
}

/// The names of roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RootName {
    /// The session's project: `@project`.
    Project,
    /// The skills that the session has loaded: `@skill/<name>`.
    Skill,
    /// The package of the session's run: `@pkg`.
    Package,
    /// The state of the session's run: `@state`.
    State,
    /// Everything else, of which a call has what its permit grants. Paths in it are absolute, and no
    /// name leads there.
    System,
}

impl RootName {
    /// The first component of paths in the root.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "@project",
            Self::Skill => "@skill",
            Self::Package => "@pkg",
            Self::State => "@state",
            Self::System => "/",
        }
    }

    /// Returns whether the root is read-only whatever permissions say.
    pub const fn is_read_only(self) -> bool {
        matches!(self, Self::Skill | Self::Package)
    }

    pub(crate) fn parse(component: &str) -> Option<Self> {
        [Self::Project, Self::Skill, Self::Package, Self::State]
            .into_iter()
            .find(|name| name.as_str() == component)
    }
}

impl fmt::Display for RootName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A directory cannot be opened as a root.
#[derive(Debug, thiserror::Error)]
#[error("cannot open {} as {name}", path.display())]
pub struct OpenRootError {
    pub name: RootName,
    pub path: PathBuf,
    pub source: io::Error,
}
