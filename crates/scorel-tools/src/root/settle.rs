//! Where a write would put its file.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, Dir, OFlags, readlinkat, statat};
use rustix::io::Errno;
use unicode_normalization::UnicodeNormalization as _;

use super::{LOOK, Root};
use scorel_files::{Links, MAX_LINKS};

/// The target of a write, all links resolved.
#[derive(Debug)]
pub(crate) struct Settled {
    /// The innermost directory that exists.
    pub(crate) directory: OwnedFd,
    /// The missing directories below it, outermost first.
    pub(crate) missing: Vec<OsString>,
    /// The file name, which is not a link.
    pub(crate) name: OsString,
}

impl Root {
    /// Resolves `path` to a directory and a name in it.
    ///
    /// # Errors
    /// [`Errno::XDEV`] if the path leads outside, [`Errno::ISDIR`] if it can only be a directory; otherwise
    /// the system's error.
    pub(crate) fn settle(&self, path: &Path) -> Result<Settled, Errno> {
        let mut path = path.to_owned();
        for _ in 0..=MAX_LINKS {
            let Some(name) = path.file_name().map(OsStr::to_owned) else {
                self.open_beneath(&path, LOOK)?;
                return Err(Errno::ISDIR);
            };
            let parent = path.parent().unwrap_or(Path::new(""));
            let (directory, missing) = self.innermost(parent)?;
            let target = if missing.is_empty() {
                link_target(directory.as_fd(), &name)?
            } else {
                None
            };
            match target {
                Some(_) if self.links == Links::Refuse => return Err(Errno::LOOP),
                // Joined as text, not normalized: `..` in the target applies after links before it.
                Some(target) => path = parent.join(target),
                None => {
                    return Ok(Settled {
                        directory,
                        missing,
                        name,
                    });
                }
            }
        }
        Err(Errno::LOOP)
    }

    /// Opens the directory at `path`, or its innermost existing ancestor, with the missing names.
    fn innermost(&self, path: &Path) -> Result<(OwnedFd, Vec<OsString>), Errno> {
        let mut missing = Vec::new();
        let mut existing = path;
        loop {
            match self.open_beneath(existing, OFlags::RDONLY | OFlags::DIRECTORY) {
                Ok(directory) => {
                    missing.reverse();
                    return Ok((directory, missing));
                }
                Err(Errno::NOENT) => {}
                Err(error) => return Err(error),
            }
            // With `..` in the rest a missing name does not tell where the rest leads.
            let plain = |part| matches!(part, Component::Normal(_));
            let (Some(name), Some(parent), true) = (
                existing.file_name(),
                existing.parent(),
                path.components().all(plain),
            ) else {
                return Err(Errno::NOENT);
            };
            missing.push(name.to_owned());
            existing = parent;
        }
    }
}

impl Settled {
    /// A name that is there and looks like the first missing one: its letters are composed in another way.
    pub(crate) fn look_alike(&self) -> Option<String> {
        let name = self.missing.first().unwrap_or(&self.name).to_str()?;
        if name.is_ascii() || statat(&self.directory, name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
            return None;
        }
        let entries = Dir::read_from(&self.directory).ok()?.flatten();
        let mut names =
            entries.filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned));
        names.find(|other| other.nfc().eq(name.nfc()))
    }
}

/// The target of a link; `None` for anything else.
fn link_target(directory: BorrowedFd<'_>, name: &OsStr) -> Result<Option<PathBuf>, Errno> {
    match readlinkat(directory, name, Vec::new()) {
        Ok(target) if target.to_bytes().first() == Some(&b'/') => Err(Errno::XDEV),
        Ok(target) => Ok(Some(PathBuf::from(OsStr::from_bytes(target.to_bytes())))),
        Err(Errno::INVAL | Errno::NOENT) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The path of an open directory, as the system knows it now.
#[cfg(target_os = "linux")]
pub(crate) fn real_path(directory: BorrowedFd<'_>) -> Result<PathBuf, Errno> {
    use std::os::fd::AsRawFd as _;

    let link = format!("/proc/self/fd/{}", directory.as_raw_fd());
    let path = rustix::fs::readlink(link, Vec::new())?;
    Ok(PathBuf::from(OsStr::from_bytes(path.to_bytes())))
}

/// The path of an open directory, as the system knows it now.
#[cfg(not(target_os = "linux"))]
pub(crate) fn real_path(directory: BorrowedFd<'_>) -> Result<PathBuf, Errno> {
    let path = rustix::fs::getpath(directory)?;
    Ok(PathBuf::from(OsStr::from_bytes(path.to_bytes())))
}
