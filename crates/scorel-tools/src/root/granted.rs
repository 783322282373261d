//! Roots that a permit grants.

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use rustix::io::Errno;

use super::{LOOK, Resolver, Root, RootName};
use scorel_files::Links;

/// The use of a granted path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RootUse {
    /// The file, or all below the directory, is shown.
    Reading,
    /// The file is created or changed.
    Writing,
}

/// Opens directories from the top of the file system on. Follows no links: the path that was judged
/// has none, so a link in it has appeared since.
struct FromTop {
    top: OwnedFd,
    resolver: Resolver,
}

impl Root {
    /// Opens the root for a granted path, which is absolute and without links: the directory itself for
    /// reading below it; else the directory that the file is in, or the innermost one that exists.
    ///
    /// # Errors
    /// [`Errno::LOOP`] if a link is in the path now; otherwise the system's error.
    pub(crate) fn granted(path: &Path, used_for: RootUse, like: &Self) -> Result<Self, Errno> {
        let from_top = FromTop {
            top: open(
                "/",
                OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
                Mode::empty(),
            )?,
            resolver: like.resolver,
        };
        match used_for {
            RootUse::Reading => from_top.to_read(path),
            RootUse::Writing => from_top.to_write(path),
        }
    }
}

impl FromTop {
    fn to_read(&self, path: &Path) -> Result<Root, Errno> {
        let stat = fstat(self.open(path, LOOK)?)?;
        if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
            let directory = self.open(path, OFlags::RDONLY | OFlags::DIRECTORY)?;
            return Ok(self.root(path, directory, Links::Follow));
        }
        let parent = path.parent().ok_or(Errno::NOENT)?;
        // The file may be readable where its directory is not.
        let directory = self.open(parent, LOOK | OFlags::DIRECTORY)?;
        Ok(self.root(parent, directory, Links::Refuse))
    }

    fn to_write(&self, path: &Path) -> Result<Root, Errno> {
        let mut result = Err(Errno::NOENT);
        for parent in path.ancestors().skip(1) {
            let opened = self.open(parent, OFlags::RDONLY | OFlags::DIRECTORY);
            result = opened.map(|directory| self.root(parent, directory, Links::Refuse));
            if !matches!(result, Err(Errno::NOENT)) {
                break;
            }
        }
        result
    }

    fn open(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let below = path.strip_prefix("/").map_err(|_| Errno::INVAL)?;
        let top: BorrowedFd<'_> = self.top.as_fd();
        self.resolver.open(top, below, flags, Links::Refuse)
    }

    fn root(&self, path: &Path, directory: OwnedFd, links: Links) -> Root {
        Root {
            name: RootName::System,
            path: path.to_owned(),
            given: path.to_owned(),
            directory: Arc::new(directory),
            resolver: self.resolver,
            links,
        }
    }
}
