//! Files to be replaced.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd as _, BorrowedFd};

use rustix::fs::{
    Access, AtFlags, FileType, Gid, Mode, OFlags, Stat, Uid, accessat, fchmod, fchown, fstat,
    openat,
};
use rustix::io::Errno;

use super::super::Location;
use super::super::refused::{not_a_file, refusal};
use crate::error::{ErrorCode, ToolError};
use crate::limits::MAX_FILE_BYTES;
use scorel_files::{Attributes, hash_of};
use scorel_fs::TextEncoding;
use scorel_proto::{BlobHash, FileMode, FileState};

/// A regular file as it was when it was opened, with its content.
#[derive(Debug)]
pub(crate) struct Original {
    stat: Stat,
    content: Vec<u8>,
    pub(crate) hash: BlobHash,
    /// Extended attributes, among them access control lists.
    attributes: Attributes,
}

impl Original {
    /// Reads the file `name` in `directory`, if it exists.
    pub(super) fn open(
        directory: BorrowedFd<'_>,
        name: &OsStr,
        location: &Location,
    ) -> Result<Option<Self>, ToolError> {
        // O_NOFOLLOW: all links were resolved before.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
        let fail = |error| refusal(location, error);
        let opened = match openat(directory, name, flags | OFlags::CLOEXEC, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            result => result.map_err(fail)?,
        };
        let stat = fstat(&opened).map_err(fail)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {}
            FileType::Directory => return Err(refusal(location, Errno::ISDIR)),
            _ => return Err(not_a_file(location)),
        }
        check_writable(directory, name, &stat).map_err(|_| read_only(location))?;
        let attributes = Attributes::of(opened.as_fd());
        let content = read(File::from(opened), &stat, location)?;
        Ok(Some(Self {
            stat,
            attributes,
            hash: hash_of(&content),
            content,
        }))
    }

    /// The file as records describe it.
    pub(crate) fn state(&self) -> FileState {
        FileState::File {
            sha256: self.hash.clone(),
            mode: FileMode::of(self.stat.st_mode),
        }
    }

    pub(crate) fn content(&self) -> &[u8] {
        &self.content
    }

    /// The content as text, and its encoding.
    ///
    /// # Errors
    /// It is not text.
    pub(crate) fn text(
        &self,
        location: &Location,
    ) -> Result<(TextEncoding, Cow<'_, str>), ToolError> {
        TextEncoding::decode(&self.content).ok_or_else(|| {
            location.refused(
                ErrorCode::Binary,
                "is not UTF-8 text, nor UTF-16 or Latin-1, and cannot be changed by this tool",
            )
        })
    }

    /// Returns whether `other` is the same file with the same content.
    pub(super) fn is(&self, other: &Self) -> bool {
        let identity = |it: &Self| (it.stat.st_dev, it.stat.st_ino);
        identity(self) == identity(other) && self.hash == other.hash
    }

    /// Copies owner, permissions and extended attributes to `file`. Returns notes on what could not be copied.
    pub(super) fn copy_metadata(&self, file: &File) -> Result<Vec<String>, Errno> {
        let mut notes = Vec::new();
        let now = fstat(file)?;
        let (uid, gid) = (self.stat.st_uid, self.stat.st_gid);
        if now.st_uid != uid || now.st_gid != gid {
            let given = fchown(file, Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)));
            if given.is_err() {
                notes.push(format!(
                    "The file belonged to user {uid} and group {gid}, which could not be kept."
                ));
            }
        }
        // After `fchown`, which clears bits. Set-user-ID and set-group-ID are dropped, as the kernel does
        // on a write to the old file.
        fchmod(file, Mode::from_raw_mode(self.stat.st_mode & 0o1777))?;
        // After `fchmod`, which changes an access control list.
        let lost = self.attributes.copy(file.as_fd());
        if !lost.is_empty() {
            notes.push(format!(
                "The file had extended attributes that could not be kept: {}.",
                lost.join(", ")
            ));
        }
        if self.stat.st_nlink > 1 {
            notes.push(format!(
                "The file had {} hard links; the other names keep the old content.",
                self.stat.st_nlink
            ));
        }
        Ok(notes)
    }
}

/// Returns whether the file is writable. A rename over it would succeed even if it is not.
fn check_writable(directory: BorrowedFd<'_>, name: &OsStr, stat: &Stat) -> Result<(), Errno> {
    if stat.st_mode & 0o222 == 0 {
        return Err(Errno::ACCESS);
    }
    accessat(directory, name, Access::WRITE_OK, AtFlags::empty())
}

fn read(file: File, stat: &Stat, location: &Location) -> Result<Vec<u8>, ToolError> {
    let mut content = Vec::new();
    if u64::try_from(stat.st_size).is_ok_and(|size| size <= MAX_FILE_BYTES) {
        let mut bounded = file.take(MAX_FILE_BYTES + 1);
        bounded.read_to_end(&mut content).map_err(|error| {
            ToolError::new(
                ErrorCode::Internal,
                format!("{location} cannot be read: {error}"),
            )
        })?;
        if content.len() as u64 <= MAX_FILE_BYTES {
            return Ok(content);
        }
    }
    Err(location.refused(
        ErrorCode::WriteLimit,
        format!(
            "has {} bytes; files of more than {MAX_FILE_BYTES} cannot be changed by \
             this tool",
            stat.st_size
        ),
    ))
}

fn read_only(location: &Location) -> ToolError {
    location.refused(
        ErrorCode::AccessDenied,
        "is read-only; its permissions would have to be changed first",
    )
}
