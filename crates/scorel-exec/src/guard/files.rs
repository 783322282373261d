//! Reading and replacing directory entries without following links.
//!
//! Every function takes an open directory and one name in it. Paths would be resolved through
//! whatever links the command has left.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use nix::dir::{Dir, Type};
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, openat, readlinkat, renameat};
use nix::libc::mode_t;
use nix::sys::stat::{
    FchmodatFlags, FileStat, Mode, SFlag, fchmod, fchmodat, fstat, fstatat, mkdirat,
};
use nix::unistd::symlinkat;
// nix has `renameat2` for glibc only.
use rustix::fs::{RenameFlags, renameat_with};

use super::kept::{self, MAX_VERSIONS};

/// The permission bits of a mode, set-user-id and the like included.
const PERMISSIONS: mode_t = 0o7777;

pub(super) fn file_type(stat: &FileStat) -> SFlag {
    SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT
}

/// The type of the entry `name`; `None` if there is none.
pub(super) fn entry_type(dir: BorrowedFd<'_>, name: &OsStr) -> io::Result<Option<SFlag>> {
    match fstatat(dir, name, AtFlags::AT_SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(file_type(&stat))),
        Err(Errno::ENOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn permissions(fd: BorrowedFd<'_>) -> nix::Result<mode_t> {
    Ok(fstat(fd)?.st_mode & PERMISSIONS)
}

/// Opens a directory; fails with `ELOOP` or `ENOTDIR` on a link to one.
pub(super) fn open_directory(dir: BorrowedFd<'_>, name: &OsStr) -> nix::Result<OwnedFd> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    match openat(dir, name, flags, Mode::empty()) {
        Err(Errno::EACCES) => open_unreadable(dir, name, flags),
        other => other,
    }
}

/// Opens a directory that its owner may not list. Programs that know the names in it need no list.
fn open_unreadable(dir: BorrowedFd<'_>, name: &OsStr, flags: OFlag) -> nix::Result<OwnedFd> {
    let path_flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let place = openat(dir, name, path_flags, Mode::empty())?;
    let mode = permissions(place.as_fd())?;
    change_mode(place.as_fd(), mode | Mode::S_IRUSR.bits())?;
    let opened = openat(place.as_fd(), ".", flags, Mode::empty());
    change_mode(place.as_fd(), mode)?;
    opened
}

/// Sets the mode behind an `O_PATH` descriptor, which fchmod refuses with EBADF.
fn change_mode(place: BorrowedFd<'_>, mode: mode_t) -> nix::Result<()> {
    let path = format!("/proc/self/fd/{}", place.as_raw_fd());
    let mode = Mode::from_bits_truncate(mode);
    fchmodat(AT_FDCWD, path.as_str(), mode, FchmodatFlags::FollowSymlink)
}

/// Opens a directory by a path without links, as [`open_directory`].
pub(super) fn open_below(root: BorrowedFd<'_>, path: &Path) -> nix::Result<OwnedFd> {
    let mut opened = open_directory(root, OsStr::new("."))?;
    for name in path {
        opened = open_directory(opened.as_fd(), name)?;
    }
    Ok(opened)
}

/// The names in a directory.
pub(super) fn names(dir: BorrowedFd<'_>) -> nix::Result<Vec<OsString>> {
    let entries = typed_names(dir, usize::MAX)?.into_iter();
    Ok(entries.map(|(name, _)| name).collect())
}

/// The first names in a directory, with the types as far as the file system tells.
pub(super) fn typed_names(
    dir: BorrowedFd<'_>,
    limit: usize,
) -> nix::Result<Vec<(OsString, Option<Type>)>> {
    let mut names = Vec::new();
    let copy = dir.try_clone_to_owned().map_err(|_| Errno::EMFILE)?;
    // Not opened again, which may not be permitted any more. The iterator's end sets the offset back, which
    // both descriptors have together.
    for entry in Dir::from_fd(copy)?.iter() {
        let entry = entry?;
        if names.len() == limit {
            break;
        }
        let name = entry.file_name().to_bytes();
        if !matches!(name, b"." | b"..") {
            names.push((OsStr::from_bytes(name).to_owned(), entry.file_type()));
        }
    }
    Ok(names)
}

/// The permissions and content of a regular file; `None` if it is another type or longer than
/// `limit` bytes.
pub(super) fn read_file(
    dir: BorrowedFd<'_>,
    name: &OsStr,
    limit: u64,
) -> io::Result<Option<(mode_t, Vec<u8>)>> {
    // Without O_NONBLOCK, opening a FIFO that took the file's place would wait for a writer.
    let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    let opened = openat(dir, name, flags, Mode::empty())?;
    let stat = fstat(&opened)?;
    if file_type(&stat) != SFlag::S_IFREG {
        return Ok(None);
    }
    let mut content = Vec::new();
    File::from(opened)
        .take(limit.saturating_add(1))
        .read_to_end(&mut content)?;
    let fits = content.len() as u64 <= limit;
    Ok(fits.then_some((stat.st_mode & PERMISSIONS, content)))
}

/// Moves the entry `name` aside. Returns whether there was one.
pub(super) fn remove(dir: BorrowedFd<'_>, name: &OsStr) -> io::Result<bool> {
    let exists = entry_type(dir, name)?.is_some();
    if exists {
        keep(dir, name, name)?;
    }
    Ok(exists)
}

/// Makes `name` a regular file with these permissions and content. Returns whether it was not.
pub(super) fn put_file(
    dir: BorrowedFd<'_>,
    name: &OsStr,
    mode: mode_t,
    content: &[u8],
) -> io::Result<bool> {
    if entry_type(dir, name)? == Some(SFlag::S_IFREG) {
        // Permissions first: the command may have made the file unreadable.
        let mode_changed = put_permissions(dir, name, mode)?;
        let now = read_file(dir, name, content.len() as u64)?;
        if now.is_some_and(|(_, now)| now == content) {
            return Ok(mode_changed);
        }
    }
    let temporary = kept::unforeseen(name);
    write(new_file(dir, &temporary)?, mode, content)?;
    exchange(dir, &temporary, name)?;
    Ok(true)
}

/// Keeps a version of `name` that never was in its place.
pub(super) fn keep_version(dir: BorrowedFd<'_>, name: &OsStr, content: &[u8]) -> io::Result<()> {
    let temporary = kept::unforeseen(name);
    write(new_file(dir, &temporary)?, 0o600, content)?;
    keep(dir, &temporary, name)
}

/// Makes an empty file.
pub(super) fn new_file(dir: BorrowedFd<'_>, name: &OsStr) -> nix::Result<OwnedFd> {
    let flags =
        OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    openat(dir, name, flags, Mode::S_IRUSR | Mode::S_IWUSR)
}

/// Writes a new file to the disk.
pub(super) fn write(opened: OwnedFd, mode: mode_t, content: &[u8]) -> io::Result<()> {
    let mut file = File::from(opened);
    file.write_all(content)?;
    fchmod(&file, Mode::from_bits_truncate(mode))?;
    // Before it is renamed: a crash must not leave an empty file in the place of the old one.
    file.sync_all()
}

/// Makes `name` a link to `target`. Returns whether it was not.
pub(super) fn put_link(dir: BorrowedFd<'_>, name: &OsStr, target: &OsStr) -> io::Result<bool> {
    if readlinkat(dir, name).is_ok_and(|now| now == target) {
        return Ok(false);
    }
    let temporary = kept::unforeseen(name);
    symlinkat(target, dir, temporary.as_os_str())?;
    exchange(dir, &temporary, name)?;
    Ok(true)
}

/// Sets the permissions of `name` unless it is a link. Returns whether they were others.
pub(super) fn put_permissions(dir: BorrowedFd<'_>, name: &OsStr, mode: mode_t) -> io::Result<bool> {
    let flags = OFlag::O_PATH | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let opened = openat(dir, name, flags, Mode::empty())?;
    let stat = fstat(&opened)?;
    if file_type(&stat) == SFlag::S_IFLNK || stat.st_mode & PERMISSIONS == mode {
        return Ok(false);
    }
    // Opening for reading may not be permitted.
    change_mode(opened.as_fd(), mode)?;
    Ok(true)
}

/// Makes `name` a directory that can be opened. What else was there is moved aside.
pub(super) fn make_directory(
    dir: BorrowedFd<'_>,
    name: &OsStr,
    mode: mode_t,
) -> io::Result<OwnedFd> {
    if entry_type(dir, name)? != Some(SFlag::S_IFDIR) {
        remove(dir, name)?;
        mkdirat(dir, name, Mode::from_bits_truncate(mode))?;
    }
    // Also after mkdirat, which the process's umask applies to.
    put_permissions(dir, name, mode)?;
    Ok(open_directory(dir, name)?)
}

/// Renames `temporary` to `name`, and moves the previous entry aside. The exchange leaves no moment in
/// which `name` is absent.
fn exchange(dir: BorrowedFd<'_>, temporary: &OsStr, name: &OsStr) -> io::Result<()> {
    use rustix::io::Errno;
    match renameat_with(dir, temporary, dir, name, RenameFlags::EXCHANGE) {
        Ok(()) => keep(dir, temporary, name),
        Err(Errno::NOENT) => Ok(renameat(dir, temporary, dir, name)?),
        // Not every file system supports the flag.
        Err(_) => {
            remove(dir, name)?;
            Ok(renameat(dir, temporary, dir, name)?)
        }
    }
}

/// Renames `from` to the first free name for a kept version of `name`.
fn keep(dir: BorrowedFd<'_>, from: &OsStr, name: &OsStr) -> io::Result<()> {
    use rustix::io::Errno;
    for n in 0..MAX_VERSIONS {
        let version = kept::version(name, n);
        match renameat_with(dir, from, dir, version, RenameFlags::NOREPLACE) {
            Err(Errno::EXIST) => {}
            // The file system does not support the flag.
            Err(Errno::INVAL) => break,
            other => return Ok(other?),
        }
    }
    let last = kept::version(name, MAX_VERSIONS);
    // Fails where a directory is in the way, or is to be kept.
    renameat(dir, from, dir, last.as_os_str())
        .or_else(|_| renameat(dir, from, dir, kept::unforeseen(name).as_os_str()))?;
    Ok(())
}
