//! Mounts over hidden places.
//!
//! A directory is covered by an empty one without permissions, a file by a socket. An empty file would
//! not do: a superuser can open it, and `git commit -a` would record that the file is empty now.

use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open, openat};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sys::stat::{Mode, SFlag, mkdirat, mknodat};

use crate::real_place::{is_gone, kind, open_real};
use crate::sandbox::Sandbox;

use super::mounts::{UNUSED, by_descriptor};

/// Where the covers are made. It exists everywhere, and nothing else needs it meanwhile.
const SCRATCH: &str = "/dev";

#[derive(Debug, thiserror::Error)]
pub(super) enum MaskError {
    #[error("cannot make something to cover them: {0}")]
    Covers(Errno),
    #[error("{}: {source}", place.display())]
    At { place: PathBuf, source: Errno },
}

/// The empty directory and the empty file that are mounted over masked places.
struct Covers {
    directory: OwnedFd,
    file: OwnedFd,
}

/// Covers the masked places of a sandbox.
pub(super) fn cover(sandbox: &Sandbox) -> Result<(), MaskError> {
    let places = outermost(&sandbox.masked);
    if places.is_empty() {
        return Ok(());
    }
    let covers = Covers::make().map_err(MaskError::Covers)?;
    for place in places {
        covers.mount_over(place).map_err(|source| MaskError::At {
            place: place.to_owned(),
            source,
        })?;
    }
    // Only now: the kernel mounts nothing from a file system that is mounted nowhere.
    umount2(SCRATCH, MntFlags::MNT_DETACH).map_err(MaskError::Covers)
}

/// The places that are not below another one.
fn outermost(places: &[PathBuf]) -> BTreeSet<&Path> {
    let mut found: BTreeSet<&Path> = BTreeSet::new();
    // Parents come before their descendants.
    for place in places.iter().map(PathBuf::as_path).collect::<BTreeSet<_>>() {
        if !place.ancestors().skip(1).any(|above| found.contains(above)) {
            found.insert(place);
        }
    }
    found
}

impl Covers {
    /// Makes both in a new file system, which is mounted over [`SCRATCH`].
    fn make() -> nix::Result<Self> {
        let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
        let options = Some("mode=755,size=4k,nr_inodes=8");
        mount(Some("hidden"), SCRATCH, Some("tmpfs"), flags, options)?;
        let scratch = open(SCRATCH, look() | OFlag::O_DIRECTORY, Mode::empty())?;
        mkdirat(&scratch, "directory", Mode::empty())?;
        mknodat(&scratch, "file", SFlag::S_IFSOCK, Mode::empty(), 0)?;
        let covers = Self {
            directory: openat(&scratch, "directory", look(), Mode::empty())?,
            file: openat(&scratch, "file", look(), Mode::empty())?,
        };
        drop(scratch);
        // The whole file system, so that each mount of it is read-only.
        let read_only = flags | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY;
        mount(UNUSED, SCRATCH, UNUSED, read_only, UNUSED)?;
        Ok(covers)
    }

    fn mount_over(&self, place: &Path) -> nix::Result<()> {
        let opened = match open_real(place) {
            Ok(opened) => opened,
            // The target of a link is hidden, or not, under its own path.
            Err(error) if is_gone(error) => return Ok(()),
            Err(error) => return Err(error),
        };
        let cover = match kind(&opened)? {
            SFlag::S_IFDIR => &self.directory,
            _ => &self.file,
        };
        let [cover, place] = [cover, &opened].map(by_descriptor);
        mount(
            Some(cover.as_str()),
            place.as_str(),
            UNUSED,
            MsFlags::MS_BIND,
            UNUSED,
        )
    }
}

fn look() -> OFlag {
    OFlag::O_PATH | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_below_others_are_left_out() {
        let places = ["/p/a", "/p/a/b", "/p/a-b", "/p/a/c/d", "/p/b/c"].map(PathBuf::from);
        let expected = ["/p/a", "/p/a-b", "/p/b/c"].map(Path::new);
        assert!(outermost(&places).into_iter().eq(expected));
    }
}
