//! Files below a project's directory.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, openat, readlinkat};
use rustix::io::Errno;
use scorel_proto::{BlobHash, FileMode, FilePath, FileState, LinkTarget};
use sha2::{Digest as _, Sha256};

use crate::beneath::{LOOK, Links, Resolver};

const CHUNK: usize = 256 * 1024;

/// A project's directory, opened once. Paths in it are opened beneath it and through no link.
#[derive(Debug, Clone)]
pub struct ProjectDir {
    path: PathBuf,
    directory: Arc<OwnedFd>,
    resolver: Resolver,
}

/// The file, link or other object at a path.
#[derive(Debug)]
pub(crate) enum Found {
    /// Nothing, or a directory: no file.
    Nothing,
    File(File, Stat),
    Link(LinkTarget),
    /// A device, pipe or socket, or a directory on the way is a link.
    Other,
}

impl ProjectDir {
    /// A directory that is open already. `path` is its path, links resolved.
    pub fn new(path: &Path, directory: Arc<OwnedFd>) -> Self {
        Self {
            path: path.to_owned(),
            resolver: Resolver::probe(directory.as_fd()),
            directory,
        }
    }

    /// Opens the directory at `path`.
    ///
    /// # Errors
    ///
    /// It is not a directory that this process can open.
    pub fn open(path: &Path) -> io::Result<Self> {
        let real = path.canonicalize()?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = rustix::fs::open(&real, flags, Mode::empty())?;
        Ok(Self::new(&real, Arc::new(directory)))
    }

    /// The directory's path when it was opened, links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }
    pub(crate) fn directory(&self) -> &OwnedFd {
        &self.directory
    }

    /// Opens a directory below this one; [`Errno::LOOP`] if a link is on the way.
    pub(crate) fn open_directory(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let flags = flags | OFlags::DIRECTORY;
        let directory = self.directory.as_fd();
        self.resolver.open(directory, path, flags, Links::Refuse)
    }

    /// Looks up the object at a path.
    pub(crate) fn find(&self, path: &FilePath) -> Result<Found, Errno> {
        let (parent, name) = split(path);
        let parent = match self.open_directory(&parent, LOOK) {
            Ok(parent) => parent,
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(Found::Nothing),
            Err(Errno::LOOP | Errno::XDEV) => return Ok(Found::Other),
            Err(error) => return Err(error),
        };
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
        match openat(&parent, &name, flags | OFlags::CLOEXEC, Mode::empty()) {
            Ok(opened) => {
                let stat = fstat(&opened)?;
                Ok(match FileType::from_raw_mode(stat.st_mode) {
                    FileType::RegularFile => Found::File(File::from(opened), stat),
                    FileType::Directory => Found::Nothing,
                    _ => Found::Other,
                })
            }
            Err(Errno::NOENT) => Ok(Found::Nothing),
            Err(Errno::LOOP) => {
                let target = readlinkat(&parent, &name, Vec::new())?;
                Ok(Found::Link(LinkTarget::from_bytes(target.to_bytes())))
            }
            Err(Errno::NXIO | Errno::NODEV) => Ok(Found::Other),
            Err(error) => Err(error),
        }
    }

    /// The permission bits of a regular file.
    pub(crate) fn mode(&self, path: &FilePath) -> Option<FileMode> {
        match self.find(path) {
            Ok(Found::File(_, stat)) => Some(FileMode::of(stat.st_mode)),
            _ => None,
        }
    }

    /// The state of a path. Files of more than `max` bytes are `unknown`, and so is [`Found::Other`].
    pub(crate) fn observe(&self, path: &FilePath, max: u64) -> Result<FileState, Errno> {
        self.read(path, max, |_| {})
    }

    /// As [`Self::observe`], with the content of a regular file.
    pub(crate) fn observe_content(
        &self,
        path: &FilePath,
        max: u64,
    ) -> Result<(FileState, Option<Vec<u8>>), Errno> {
        let mut content = Vec::new();
        let state = self.read(path, max, |part| content.extend_from_slice(part))?;
        let content = state.content().is_some().then_some(content);
        Ok((state, content))
    }

    fn read(
        &self,
        path: &FilePath,
        max: u64,
        mut each: impl FnMut(&[u8]),
    ) -> Result<FileState, Errno> {
        let (file, stat) = match self.find(path)? {
            Found::Nothing => return Ok(FileState::Absent),
            Found::Link(link) => return Ok(FileState::Link { link }),
            Found::Other => return Ok(FileState::Unknown),
            Found::File(file, stat) => (file, stat),
        };
        let mut hasher = Sha256::new();
        // One byte more, to notice a file that grows.
        let mut file = file.take(max.saturating_add(1));
        let mut buffer = vec![0; CHUNK];
        let mut length = 0;
        loop {
            let count = file.read(&mut buffer).map_err(|error| errno(&error))?;
            if count == 0 {
                break;
            }
            length += count as u64;
            if length > max {
                return Ok(FileState::Unknown);
            }
            hasher.update(&buffer[..count]);
            each(&buffer[..count]);
        }
        Ok(FileState::File {
            sha256: digest(hasher),
            mode: FileMode::of(stat.st_mode),
        })
    }
}

/// The hash of a content, as records have it.
pub fn hash_of(content: &[u8]) -> BlobHash {
    digest(Sha256::new_with_prefix(content))
}

/// The hash of what the hasher was given.
pub fn digest(hasher: Sha256) -> BlobHash {
    format!("{:x}", hasher.finalize())
        .parse()
        .expect("a digest is 64 lower-case hexadecimal digits")
}

/// The directory of a path and the name in it.
pub(crate) fn split(path: &FilePath) -> (PathBuf, OsString) {
    let path = PathBuf::from(OsString::from_vec(path.to_bytes()));
    let name = path
        .file_name()
        .unwrap_or(OsStr::from_bytes(b""))
        .to_owned();
    (path.parent().map(Path::to_owned).unwrap_or_default(), name)
}

pub(crate) fn errno(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}
