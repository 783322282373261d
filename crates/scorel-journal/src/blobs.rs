//! Content-addressed files beside a journal, for content that is too large for a record.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use bytes::Bytes;
use scorel_proto::BlobHash;
use sha2::{Digest, Sha256};

use crate::storage::{LogFile, OpenMode, Storage, if_present, is_no_space, read_exact_at};
use crate::{read_bounded, replace_file};

#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    #[error("a blob of {len} bytes is longer than {max}")]
    TooLarge {
        /// In bytes.
        len: u64,
        /// In bytes.
        max: u64,
    },
    #[error("content missing")]
    Missing,
    /// The stored content does not have the hash in its name.
    #[error("content damaged")]
    Damaged,
    #[error("the content has {len} bytes only")]
    OutOfRange {
        /// Length of the content in bytes.
        len: u64,
    },
    /// The disk or the quota is full.
    #[error("no space is left")]
    NoSpace(#[source] io::Error),
    #[error("the file system is read-only")]
    ReadOnly(#[source] io::Error),
    #[error("cannot access the content")]
    Io(#[source] io::Error),
}

impl From<io::Error> for BlobError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly(error),
            _ if is_no_space(&error) => Self::NoSpace(error),
            _ => Self::Io(error),
        }
    }
}

/// The blobs of one session: files `blobs/<SHA-256>`. A record refers to a blob by its hash, so a blob
/// is stored, durably, before the record.
#[derive(Debug, Clone)]
pub struct Blobs {
    storage: Arc<dyn Storage>,
    session: PathBuf,
    dir: PathBuf,
    max: u64,
    /// Read-locked while a blob is stored and write-locked while one is removed, so that a blob stored
    /// again is not removed as old.
    removing: Arc<RwLock<()>>,
}

impl Blobs {
    /// The blobs of the journal in `dir`, each of at most `max` bytes. Does no I/O.
    pub fn new(storage: Arc<dyn Storage>, dir: &Path, max: u64) -> Self {
        Self {
            storage,
            session: dir.to_owned(),
            dir: dir.join("blobs"),
            max,
            removing: Arc::default(),
        }
    }

    /// Stores and syncs `content` and returns its hash. Idempotent; a damaged copy is replaced.
    ///
    /// # Errors
    ///
    /// [`BlobError::TooLarge`], [`BlobError::NoSpace`], [`BlobError::ReadOnly`] or [`BlobError::Io`].
    pub fn put(&self, content: &[u8]) -> Result<BlobHash, BlobError> {
        self.check_len(content.len() as u64)?;
        let hash = hash_of(content);
        let _stays = self.removing.read().unwrap_or_else(PoisonError::into_inner);
        // Young again: it is about to be needed.
        if self.get(&hash).is_ok() && self.storage.touch(&self.path(&hash)).is_ok() {
            // A crash may have come between the rename and the sync of the directory.
            self.storage.sync_dir(&self.dir)?;
            return Ok(hash);
        }
        self.storage.create_dir(&self.dir)?;
        self.storage.sync_dir(&self.session)?;
        replace_file(&*self.storage, &self.path(&hash), content)?;
        Ok(hash)
    }

    /// The blobs that were stored before `time`, the last time each, with their sizes in bytes.
    ///
    /// # Errors
    ///
    /// [`BlobError::Io`].
    pub fn stored_before(&self, time: SystemTime) -> Result<Vec<(BlobHash, u64)>, BlobError> {
        let names = if_present(self.storage.list(&self.dir))?.unwrap_or_default();
        let mut found = Vec::new();
        for hash in names.iter().filter_map(|name| name.parse().ok()) {
            if self.is_older(&hash, time)? {
                let bytes = self.len_of(&hash)?;
                found.push((hash, bytes));
            }
        }
        Ok(found)
    }

    /// Removes a blob, unless it was stored again since `time`. Returns whether it did. Only a blob that
    /// no record names, and none will, may be removed.
    ///
    /// # Errors
    ///
    /// [`BlobError::ReadOnly`] or [`BlobError::Io`].
    pub fn remove_older(&self, hash: &BlobHash, time: SystemTime) -> Result<bool, BlobError> {
        let _stored = self
            .removing
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if !self.is_older(hash, time)? {
            return Ok(false);
        }
        self.storage.remove(&self.path(hash))?;
        Ok(true)
    }

    fn is_older(&self, hash: &BlobHash, time: SystemTime) -> Result<bool, BlobError> {
        Ok(self.storage.modified(&self.path(hash))? < time)
    }

    /// Gives another session the blobs with these hashes, as links: a blob never changes. Where the
    /// file system refuses a link, the blob is copied. A blob that is missing here stays missing.
    ///
    /// # Errors
    ///
    /// As [`Blobs::put`], and what reading a blob that has to be copied fails with.
    pub fn share<'a>(
        &self,
        hashes: impl IntoIterator<Item = &'a BlobHash>,
        with: &Self,
    ) -> Result<(), BlobError> {
        let mut hashes = hashes.into_iter().peekable();
        if hashes.peek().is_none() {
            return Ok(());
        }
        self.storage.create_dir(&with.dir)?;
        self.storage.sync_dir(&with.session)?;
        for hash in hashes {
            match self.storage.link(&self.path(hash), &with.path(hash)) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(_) => {
                    with.put(&self.get(hash)?)?;
                }
            }
        }
        Ok(self.storage.sync_dir(&with.dir)?)
    }

    /// Reads a blob and verifies its hash.
    ///
    /// # Errors
    ///
    /// [`BlobError::Missing`], [`BlobError::Damaged`], [`BlobError::TooLarge`] or
    /// [`BlobError::Io`].
    pub fn get(&self, hash: &BlobHash) -> Result<Bytes, BlobError> {
        self.check_len(self.open(hash)?.1)?;
        let content = read_bounded(&*self.storage, &self.path(hash), self.max)?;
        if hash_of(&content) != *hash {
            return Err(BlobError::Damaged);
        }
        Ok(content.into())
    }

    /// Reads a part of a blob. Its hash is not verified, which would take reading all of it.
    ///
    /// # Errors
    ///
    /// [`BlobError::Missing`], [`BlobError::OutOfRange`], [`BlobError::TooLarge`] or
    /// [`BlobError::Io`].
    pub fn get_range(&self, hash: &BlobHash, range: Range<u64>) -> Result<Bytes, BlobError> {
        let (file, len) = self.open(hash)?;
        let count = match range.end.checked_sub(range.start) {
            Some(count) if range.end <= len => count,
            _ => return Err(BlobError::OutOfRange { len }),
        };
        let count = self.check_len(count)?;
        let mut content = vec![0; count];
        read_exact_at(&*file, &mut content, range.start)?;
        Ok(content.into())
    }

    /// Length in bytes.
    ///
    /// # Errors
    ///
    /// [`BlobError::Missing`] or [`BlobError::Io`].
    pub fn len_of(&self, hash: &BlobHash) -> Result<u64, BlobError> {
        Ok(self.storage.status(&self.path(hash))?.len)
    }

    fn open(&self, hash: &BlobHash) -> Result<(Arc<dyn LogFile>, u64), BlobError> {
        let file = self.storage.open(&self.path(hash), OpenMode::Read)?;
        let len = file.status()?.len;
        Ok((file, len))
    }

    fn path(&self, hash: &BlobHash) -> PathBuf {
        self.dir.join(hash.as_str())
    }

    fn check_len(&self, len: u64) -> Result<usize, BlobError> {
        let max = self.max;
        usize::try_from(len)
            .ok()
            .filter(|_| len <= max)
            .ok_or(BlobError::TooLarge { len, max })
    }
}

fn hash_of(content: &[u8]) -> BlobHash {
    format!("{:x}", Sha256::digest(content))
        .parse()
        .expect("a digest is 64 lower-case hexadecimal digits")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::FileStorage;

    fn blobs(dir: &Path) -> Blobs {
        Blobs::new(Arc::new(FileStorage), dir, 1000)
    }

    #[test]
    fn content_is_stored_once_under_its_own_hash() {
        let dir = tempfile::tempdir().expect("a directory");
        let blobs = blobs(dir.path());
        let hash = blobs.put(b"abc").expect("stored");
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash.as_str(), known);
        assert_eq!(blobs.put(b"abc").expect("stored"), hash);
        let names = fs::read_dir(dir.path().join("blobs")).expect("readable");
        assert_eq!(names.count(), 1);
        assert_eq!(blobs.get(&hash).expect("there"), "abc");
        assert_eq!(blobs.get_range(&hash, 1..3).expect("there"), "bc");
        assert_eq!(blobs.len_of(&hash).expect("there"), 3);
        let outside = [1..4, 4..4, 0..u64::MAX];
        for range in outside {
            let result = blobs.get_range(&hash, range);
            assert!(matches!(result, Err(BlobError::OutOfRange { len: 3 })));
        }
    }

    #[test]
    fn shared_blobs_are_one_file_and_outlive_their_source() {
        use std::os::unix::fs::MetadataExt;
        let [from, to] = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
        let (source, copy) = (blobs(from.path()), blobs(to.path()));
        let hash = source.put(b"abc").expect("stored");
        let missing = hash_of(b"gone");
        source.share([&hash, &missing], &copy).expect("shared");
        source.share([&hash], &copy).expect("again");
        let path = to.path().join("blobs").join(hash.as_str());
        assert_eq!(fs::metadata(path).expect("there").nlink(), 2);
        drop(from);
        assert_eq!(copy.get(&hash).expect("there"), "abc");
        assert!(matches!(copy.get(&missing), Err(BlobError::Missing)));
    }

    #[test]
    fn missing_damaged_and_oversize_content_are_different_errors() {
        let dir = tempfile::tempdir().expect("a directory");
        let blobs = blobs(dir.path());
        let hash = hash_of(b"abc");
        assert!(matches!(blobs.get(&hash), Err(BlobError::Missing)));
        let long = blobs.put(&[0; 1001]);
        assert!(matches!(
            long,
            Err(BlobError::TooLarge {
                len: 1001,
                max: 1000
            })
        ));
        blobs.put(b"abc").expect("stored");
        let path = dir.path().join("blobs").join(hash.as_str());
        fs::write(&path, "abd").expect("writable");
        assert!(matches!(blobs.get(&hash), Err(BlobError::Damaged)));
        blobs.put(b"abc").expect("replaced");
        assert_eq!(blobs.get(&hash).expect("whole again"), "abc");
    }
}
