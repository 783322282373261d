//! Opening a path that has no links.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open, openat};
use nix::sys::stat::{Mode, SFlag, fstat};
use rustix::fs::{CWD, OFlags, ResolveFlags, openat2};

/// Opens what is at an absolute path, to name it and not to use it. If there is a link on the path, or
/// at its end, that is `ELOOP`.
///
/// A command that runs meanwhile may replace a directory by a link at any moment. What is mounted and
/// granted is what was opened here, whatever is at the path by then.
pub(crate) fn open_real(path: &Path) -> nix::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let mode = rustix::fs::Mode::empty();
    match openat2(CWD, path, flags, mode, ResolveFlags::NO_SYMLINKS) {
        // Some containers' seccomp filters lack it.
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => open_by_names(path),
        Err(error) => Err(Errno::from_raw(error.raw_os_error())),
        Ok(opened) => Ok(opened),
    }
}

fn open_by_names(path: &Path) -> nix::Result<OwnedFd> {
    let look = OFlag::O_PATH | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let mut here = open("/", look, Mode::empty())?;
    for name in path.components() {
        match name {
            Component::Normal(name) => here = next(&here, name, look)?,
            Component::RootDir | Component::CurDir => {}
            Component::ParentDir | Component::Prefix(_) => return Err(Errno::EINVAL),
        }
    }
    Ok(here)
}

fn next(directory: &OwnedFd, name: &OsStr, look: OFlag) -> nix::Result<OwnedFd> {
    let opened = openat(directory, name, look, Mode::empty())?;
    match kind(&opened)? {
        SFlag::S_IFLNK => Err(Errno::ELOOP),
        _ => Ok(opened),
    }
}

/// Of the file that a descriptor refers to.
pub(crate) fn kind(opened: &OwnedFd) -> nix::Result<SFlag> {
    let mode = SFlag::from_bits_truncate(fstat(opened)?.st_mode);
    Ok(mode & SFlag::S_IFMT)
}

/// Returns whether nothing is at the path any more, or a link on it.
pub(crate) fn is_gone(error: Errno) -> bool {
    matches!(error, Errno::ENOENT | Errno::ENOTDIR | Errno::ELOOP)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_path_with_a_link_is_not_opened() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        symlink("a", root.join("link")).unwrap();
        symlink("b", root.join("a/end")).unwrap();
        type Opener = fn(&Path) -> nix::Result<OwnedFd>;
        for open in [open_real as Opener, open_by_names] {
            let opened = |name: &str| open(&root.join(name)).map(drop);
            assert_eq!(opened("a/b"), Ok(()));
            for name in ["link/b", "a/end", "link"] {
                assert_eq!(opened(name), Err(Errno::ELOOP), "{name}");
            }
            assert_eq!(opened("a/c"), Err(Errno::ENOENT));
        }
    }
}
