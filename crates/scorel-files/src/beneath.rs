//! Opening paths beneath a directory.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, fstat, openat, readlinkat};
use rustix::io::Errno;

/// The number of links that are followed in one path, as the kernel does (`MAXSYMLINKS`).
pub const MAX_LINKS: usize = 40;

/// Flags to inspect an entry without opening it.
#[cfg(target_os = "linux")]
pub const LOOK: OFlags = OFlags::PATH;
/// Flags to inspect an entry; without `O_PATH` it must be opened.
#[cfg(not(target_os = "linux"))]
pub const LOOK: OFlags = OFlags::NONBLOCK;

/// The treatment of a link on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// It is followed while it stays beneath.
    Follow,
    /// It is an error, `ELOOP`: all links were resolved before.
    Refuse,
}

/// The means by which paths are opened beneath a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolver {
    /// `openat2` with `RESOLVE_BENEATH`.
    #[cfg(target_os = "linux")]
    Kernel,
    /// One component at a time with `O_NOFOLLOW`; links are resolved by hand.
    Walk,
}

impl Resolver {
    /// `openat2` where it works: old kernels and some containers' seccomp filters lack it.
    #[cfg(target_os = "linux")]
    pub fn probe(directory: BorrowedFd<'_>) -> Self {
        let flags = LOOK | OFlags::DIRECTORY;
        match Self::Kernel.open(directory, Path::new("."), flags, Links::Follow) {
            Ok(_) => Self::Kernel,
            Err(_) => Self::Walk,
        }
    }

    /// There is no `openat2`.
    #[cfg(not(target_os = "linux"))]
    pub fn probe(_directory: BorrowedFd<'_>) -> Self {
        Self::Walk
    }

    /// Opens `path`, which is relative to `directory`; the empty path is the directory itself.
    ///
    /// An absolute link never stays beneath.
    ///
    /// # Errors
    ///
    /// [`Errno::XDEV`] if the path leads outside, [`Errno::LOOP`] at a link that is refused; otherwise the
    /// system's error.
    pub fn open(
        self,
        directory: BorrowedFd<'_>,
        path: &Path,
        flags: OFlags,
        links: Links,
    ) -> Result<OwnedFd, Errno> {
        let flags = flags | OFlags::CLOEXEC;
        match self {
            #[cfg(target_os = "linux")]
            Self::Kernel => ask_kernel(directory, path, flags, links),
            Self::Walk => Walk::new(directory, path, links)?.open(flags),
        }
    }
}

#[cfg(target_os = "linux")]
fn ask_kernel(
    directory: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
    links: Links,
) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};

    // The kernel returns EAGAIN when any rename in the system races with a `..`.
    const TRIES: usize = 64;

    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let resolve = match links {
        Links::Follow => beneath,
        Links::Refuse => beneath | ResolveFlags::NO_SYMLINKS,
    };
    let mut result = Err(Errno::AGAIN);
    for _ in 0..TRIES {
        result = openat2(directory, path, flags, Mode::empty(), resolve);
        if !matches!(result, Err(Errno::AGAIN | Errno::INTR)) {
            break;
        }
    }
    result
}

/// The state of resolving a path by hand.
struct Walk<'a> {
    root: BorrowedFd<'a>,
    /// The directories entered below the root, outermost first. `..` pops one instead of asking the system, so
    /// a directory that is moved in the meantime cannot lead out.
    entered: Vec<OwnedFd>,
    /// The components to resolve, the next one last.
    pending: Vec<OsString>,
    followed: usize,
    links: Links,
}

impl<'a> Walk<'a> {
    fn new(root: BorrowedFd<'a>, path: &Path, links: Links) -> Result<Self, Errno> {
        let mut walk = Self {
            root,
            entered: Vec::new(),
            pending: Vec::new(),
            followed: 0,
            links,
        };
        walk.push(path.as_os_str().as_bytes())?;
        Ok(walk)
    }

    fn open(mut self, flags: OFlags) -> Result<OwnedFd, Errno> {
        while let Some(name) = self.pending.pop() {
            if name == ".." {
                self.entered.pop().ok_or(Errno::XDEV)?;
            } else if self.pending.is_empty() {
                if let Some(last) = self.step(&name, flags)? {
                    return Ok(last);
                }
            } else if let Some(entered) = self.step(&name, LOOK | OFlags::DIRECTORY)? {
                self.entered.push(entered);
            }
        }
        openat(self.directory(), ".", flags, Mode::empty())
    }

    /// Opens one component, or pushes those of a link's target.
    fn step(&mut self, name: &OsStr, flags: OFlags) -> Result<Option<OwnedFd>, Errno> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let failure = match openat(self.directory(), name, flags, Mode::empty()) {
            Ok(opened) if !is_link(&opened)? => return Ok(Some(opened)),
            Ok(_) => Errno::LOOP,
            Err(error @ (Errno::LOOP | Errno::NOTDIR)) => error,
            Err(error) => return Err(error),
        };
        let Ok(target) = readlinkat(self.directory(), name, Vec::new()) else {
            return Err(failure);
        };
        self.followed += 1;
        if self.followed > MAX_LINKS || self.links == Links::Refuse {
            return Err(Errno::LOOP);
        }
        self.push(target.to_bytes())?;
        Ok(None)
    }

    fn push(&mut self, path: &[u8]) -> Result<(), Errno> {
        if path.first() == Some(&b'/') {
            return Err(Errno::XDEV);
        }
        let components = path.split(|byte| *byte == b'/').rev();
        self.pending.extend(
            components
                .filter(|name| !name.is_empty() && *name != b".")
                .map(|name| OsStr::from_bytes(name).to_owned()),
        );
        Ok(())
    }

    fn directory(&self) -> BorrowedFd<'_> {
        self.entered.last().map_or(self.root, AsFd::as_fd)
    }
}

/// Returns whether a link itself was opened, as `O_PATH | O_NOFOLLOW` does.
fn is_link(opened: &OwnedFd) -> Result<bool, Errno> {
    let stat = fstat(opened)?;
    Ok(FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}
