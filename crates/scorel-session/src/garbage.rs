//! Garbage in session directories: files that nothing refers to any more.
//!
//! In: the directories of sessions. Out: blobs that no file of the session names, and old copies of logs
//! that repairs kept. A blob is named wherever its hash stands in the log, so that events of newer versions
//! and damaged lines count too.
//!
//! A blob is stored before the record that names it. So only old blobs are candidates, and storing a
//! blob again renews its age. They are removed in the session's critical section, in which no record is
//! written, after the log was read to its end, and not while a turn is open.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use scorel_journal::{Blobs, EVENTS, OpenMode, Storage, if_present};
use scorel_proto::BlobHash;

/// How long a blob is kept that no record names: a draft may be about to.
const KEEP_BLOBS: Duration = Duration::from_secs(7 * DAY);

/// How long copies of damaged logs are kept.
pub const KEEP_COPIES: Duration = Duration::from_secs(30 * DAY);

const DAY: u64 = 24 * 60 * 60;

/// Hexadecimal digits of a hash.
const DIGITS: usize = 64;

const CHUNK: usize = 256 * 1024;

/// How many files there are of a kind, and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GarbageSum {
    pub items: u64,
    pub bytes: u64,
}

impl GarbageSum {
    pub const fn add(&mut self, bytes: u64) {
        self.items += 1;
        self.bytes += bytes;
    }
}

/// The garbage of all sessions, or the removed part of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionGarbage {
    /// Deleted sessions whose time is over.
    pub trash: GarbageSum,
    pub blobs: GarbageSum,
    /// Copies of damaged logs.
    pub copies: GarbageSum,
    /// What could not be looked at or removed, for people.
    pub problems: Vec<String>,
}

/// The garbage in one directory of a session.
#[derive(Debug, Default)]
pub(crate) struct GarbageFiles {
    pub(crate) blobs: Vec<(BlobHash, u64)>,
    pub(crate) copies: Vec<(PathBuf, u64)>,
}

/// Reads one session's directory.
#[derive(Debug)]
pub(crate) struct GarbageSearch<'a> {
    pub(crate) storage: &'a dyn Storage,
    pub(crate) dir: &'a Path,
    pub(crate) blobs: &'a Blobs,
    pub(crate) now: SystemTime,
}

impl GarbageFiles {
    pub(crate) fn is_empty(&self) -> bool {
        self.blobs.is_empty() && self.copies.is_empty()
    }
}

impl GarbageSearch<'_> {
    pub(crate) fn find(&self) -> io::Result<GarbageFiles> {
        let Some(names) = if_present(self.storage.list(self.dir))? else {
            return Ok(GarbageFiles::default());
        };
        let mut found = GarbageFiles::default();
        let mut texts = Vec::new();
        for name in names {
            let path = self.dir.join(&name);
            match self.old_copy(&path, &name)? {
                Some(bytes) => found.copies.push((path, bytes)),
                None if may_name_blobs(&name) => texts.push(path),
                None => {}
            }
        }
        let old = self.blobs.stored_before(self.blobs_before());
        let old = old.map_err(io::Error::other)?;
        found.blobs = self.unnamed(old, &texts)?;
        Ok(found)
    }

    /// The time before which a blob must have been stored to be garbage.
    pub(crate) fn blobs_before(&self) -> SystemTime {
        self.now
            .checked_sub(KEEP_BLOBS)
            .unwrap_or(SystemTime::UNIX_EPOCH)
    }

    /// The size of an old copy of the log; `None` for everything else.
    fn old_copy(&self, path: &Path, name: &str) -> io::Result<Option<u64>> {
        let kind = name.strip_prefix(EVENTS).unwrap_or_default();
        if !kind.starts_with(".torn-") && !kind.starts_with(".before-repair-") {
            return Ok(None);
        }
        let before = self.now.checked_sub(KEEP_COPIES);
        if Some(self.storage.modified(path)?) < before {
            return Ok(Some(self.storage.status(path)?.len));
        }
        Ok(None)
    }

    fn unnamed(
        &self,
        mut blobs: Vec<(BlobHash, u64)>,
        texts: &[PathBuf],
    ) -> io::Result<Vec<(BlobHash, u64)>> {
        let mut unnamed: HashSet<String> = blobs.iter().map(|(hash, _)| hash.to_string()).collect();
        for path in texts {
            if unnamed.is_empty() {
                break;
            }
            // A spool that its turn no longer needs may be gone.
            if_present(strike_named(self.storage, path, &mut unnamed))?;
        }
        blobs.retain(|(hash, _)| unnamed.contains(hash.as_str()));
        Ok(blobs)
    }
}

/// The bytes of the files in a directory. What cannot be read counts nothing.
pub fn bytes_in(dir: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(dir) else {
        return 0;
    };
    let bytes_of = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_in(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.flatten().map(bytes_of).sum()
}

/// The log with its copies, and the message that is being generated.
fn may_name_blobs(name: &str) -> bool {
    name.starts_with(EVENTS) || name == "inflight"
}

/// Strikes from `hashes` those that stand anywhere in a file.
fn strike_named(
    storage: &dyn Storage,
    path: &Path,
    hashes: &mut HashSet<String>,
) -> io::Result<()> {
    let file = storage.open(path, OpenMode::Read)?;
    let mut chunk = vec![0; CHUNK];
    let mut digits = String::with_capacity(2 * DIGITS);
    let mut offset = 0;
    loop {
        let count = file.read_at(&mut chunk, offset)?;
        if count == 0 {
            return Ok(());
        }
        offset += count as u64;
        for byte in &chunk[..count] {
            if !matches!(byte, b'0'..=b'9' | b'a'..=b'f') {
                digits.clear();
                continue;
            }
            if digits.len() == 2 * DIGITS {
                digits.drain(..=DIGITS);
            }
            digits.push(char::from(*byte));
            if let Some(start) = digits.len().checked_sub(DIGITS) {
                hashes.remove(&digits[start..]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use scorel_journal::FileStorage;

    use super::*;

    #[test]
    fn a_hash_is_found_wherever_it_stands() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join(EVENTS);
        let hash = |digit: char| digit.to_string().repeat(DIGITS);
        let long = format!(
            "{}{}{}",
            "0".repeat(300),
            "1".repeat(DIGITS),
            "2".repeat(99)
        );
        let across = format!("{}{}", " ".repeat(CHUNK - 10), hash('3'));
        let text = format!(
            "{{\"x\":\"{}\"}}\n{long} {across} {}",
            hash('4'),
            "5".repeat(63)
        );
        std::fs::write(&path, text).expect("writable");
        let mut hashes: HashSet<String> = ('1'..='6').map(hash).collect();
        strike_named(&FileStorage, &path, &mut hashes).expect("readable");
        let mut left: Vec<String> = hashes.into_iter().collect();
        left.sort();
        assert_eq!(left, [hash('5'), hash('6')]);
    }
}
