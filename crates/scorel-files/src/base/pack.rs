use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;

use scorel_fs::{create_regular, open_regular};
use scorel_proto::BlobHash;

use crate::project_dir::hash_of;

/// Below this size a pack may have any number of old copies, in bytes.
const SMALL: u64 = 16 * 1024 * 1024;

/// Copies of files, one after the other in one file: twenty thousand files of their own would take
/// seconds to make.
#[derive(Debug)]
pub(super) struct Pack {
    file: File,
    end: u64,
}

impl Pack {
    /// Opens the pack at `path`, with its content if `keep`, otherwise empty.
    pub(super) fn open(path: &Path, keep: bool) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).create(true).mode(0o600);
        if !keep {
            drop(create_regular(path)?);
        }
        let file = open_regular(options.append(true), path)?;
        Ok(Self {
            end: file.metadata()?.len(),
            file,
        })
    }

    /// Appends a copy and returns its place.
    pub(super) fn append(&mut self, content: &[u8]) -> io::Result<u64> {
        let offset = self.end;
        let written = self.file.write_all(content);
        // A part may have been written.
        self.end = self.file.metadata()?.len();
        written.map(|()| offset)
    }

    /// The copy at a place, if it has this hash.
    pub(super) fn read(&self, offset: u64, bytes: usize, hash: &BlobHash) -> Option<Vec<u8>> {
        let mut content = vec![0; bytes];
        self.file.read_exact_at(&mut content, offset).ok()?;
        (hash_of(&content) == *hash).then_some(content)
    }

    /// Returns whether most of it are old copies, if `used` bytes are not.
    pub(super) fn is_wasteful(&self, used: u64) -> bool {
        self.end > SMALL + 2 * used
    }
}
