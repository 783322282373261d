//! The contents of changed files.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use scorel_fs::{if_present, open_regular};
use scorel_proto::BlobHash;

use crate::limits::CheckpointLimits;
use crate::project_dir::hash_of;
use crate::sync::sync_all;

/// Makes the names of temporary files unique within the process.
static TEMPORARY: AtomicU64 = AtomicU64::new(0);

/// The number of contents of a batch that are open files at a time.
const MAX_OPEN: usize = 64;

/// The contents of changed files of one session: files `files/<SHA-256>` in its directory.
///
/// A content expires when it is old or the session has too many. Records keep its hash, but files cannot
/// be restored to it any more.
#[derive(Debug)]
pub(crate) struct ContentStore {
    session: PathBuf,
    dir: PathBuf,
    state: Mutex<StoreState>,
}

#[derive(Debug)]
struct StoreState {
    limits: CheckpointLimits,
    /// The size of all contents in bytes; `None` until they were listed.
    bytes: Option<u64>,
}

/// Contents that become durable together: each costs the disk less than one by one.
#[derive(Debug)]
pub(crate) struct StoreBatch<'a> {
    store: &'a ContentStore,
    /// Those that are not synced yet.
    open: Vec<File>,
    /// By the paths that they get.
    written: BTreeMap<PathBuf, WrittenContent>,
}

#[derive(Debug)]
struct WrittenContent {
    temporary: PathBuf,
    bytes: u64,
}

impl ContentStore {
    /// The store of the session in `session`. Does no I/O.
    pub(crate) fn new(session: &Path, limits: CheckpointLimits) -> Self {
        Self {
            session: session.to_owned(),
            dir: session.join("files"),
            state: Mutex::new(StoreState {
                limits,
                bytes: None,
            }),
        }
    }

    pub(crate) fn limits(&self) -> CheckpointLimits {
        self.state().limits
    }

    pub(crate) fn set_limits(&self, limits: CheckpointLimits) {
        self.state().limits = limits;
    }

    /// Keeps one content, durably.
    pub(crate) fn put(&self, content: &[u8]) -> io::Result<()> {
        let mut batch = self.batch();
        batch.add(content)?;
        batch.finish()
    }

    pub(crate) fn batch(&self) -> StoreBatch<'_> {
        StoreBatch {
            store: self,
            open: Vec::new(),
            written: BTreeMap::new(),
        }
    }

    /// The content, if it is kept and undamaged.
    pub(crate) fn get(&self, hash: &BlobHash) -> Option<Vec<u8>> {
        let mut content = Vec::new();
        let file = open_regular(File::options().read(true), &self.path(hash)).ok()?;
        file.take(self.limits().max_file_bytes.saturating_add(1))
            .read_to_end(&mut content)
            .ok()?;
        (hash_of(&content) == *hash).then_some(content)
    }

    /// Returns whether the content is kept. Does not read it.
    pub(crate) fn has(&self, hash: &BlobHash) -> bool {
        self.path(hash).is_file()
    }

    /// Makes a content young again, if it is kept: it expires by its age since it was last needed.
    pub(crate) fn touch(&self, hash: &BlobHash) -> io::Result<()> {
        let kept = open_regular(File::options().append(true), &self.path(hash));
        if_present(kept)?.map_or(Ok(()), |file| file.set_modified(SystemTime::now()))
    }

    fn path(&self, hash: &BlobHash) -> PathBuf {
        self.dir.join(hash.as_str())
    }

    fn state(&self) -> MutexGuard<'_, StoreState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn make_dir(&self) -> io::Result<()> {
        match DirBuilder::new().mode(0o700).create(&self.dir) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            Err(_) => Ok(()),
            Ok(()) => File::open(&self.session)?.sync_all(),
        }
    }

    /// Counts `added` bytes, and expires contents if the sum is unknown or above the limit.
    fn added(&self, added: u64) -> io::Result<()> {
        let mut state = self.state();
        let bytes = state.bytes.map(|bytes| bytes + added);
        match bytes {
            Some(bytes) if bytes <= state.limits.max_bytes => state.bytes = Some(bytes),
            _ => state.bytes = Some(expire(&self.dir, state.limits)?),
        }
        Ok(())
    }
}

impl StoreBatch<'_> {
    /// Adds a content, unless it is too large to be kept.
    pub(crate) fn add(&mut self, content: &[u8]) -> io::Result<()> {
        let bytes = content.len() as u64;
        if bytes > self.store.limits().max_file_bytes {
            return Ok(());
        }
        let hash = hash_of(content);
        let path = self.store.path(&hash);
        if self.written.contains_key(&path) {
            return Ok(());
        }
        if self.store.get(&hash).is_some() {
            return self.store.touch(&hash);
        }
        if self.open.len() >= MAX_OPEN {
            self.sync()?;
        }
        self.store.make_dir()?;
        let count = TEMPORARY.fetch_add(1, Ordering::Relaxed);
        let temporary = self.store.dir.join(format!(".{hash}.{count}.tmp"));
        // A crash may have left one: the counter starts at zero in every process.
        let _absent = fs::remove_file(&temporary);
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&temporary)?;
        let written = file.write_all(content);
        self.open.push(file);
        let content = WrittenContent { temporary, bytes };
        self.written.insert(path, content);
        written
    }

    /// Makes the contents durable. Those that were there already are durable.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.sync()?;
        if self.written.is_empty() {
            return Ok(());
        }
        let mut bytes = 0;
        while let Some((path, written)) = self.written.pop_first() {
            fs::rename(&written.temporary, path)?;
            bytes += written.bytes;
        }
        File::open(&self.store.dir)?.sync_all()?;
        self.store.added(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        let open = std::mem::take(&mut self.open);
        sync_all(&open).into_iter().collect::<Result<(), _>>()?;
        Ok(())
    }
}

impl Drop for StoreBatch<'_> {
    fn drop(&mut self) {
        for written in self.written.values() {
            // The caller has the error that led here.
            let _ = fs::remove_file(&written.temporary);
        }
    }
}

/// Removes the contents that are too old, then the oldest ones while all together are too large. Returns
/// the size of the rest.
fn expire(dir: &Path, limits: CheckpointLimits) -> io::Result<u64> {
    let oldest = SystemTime::now().checked_sub(limits.keep);
    let mut kept = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let is_content = |name: &str| name.parse::<BlobHash>().is_ok();
        let metadata = match entry.metadata() {
            Ok(metadata) if entry.file_name().to_str().is_some_and(is_content) => metadata,
            _ => continue,
        };
        let modified = metadata.modified()?;
        if oldest.is_some_and(|oldest| modified < oldest) {
            fs::remove_file(entry.path())?;
        } else {
            kept.push((modified, metadata.len(), entry.path()));
        }
    }
    kept.sort();
    let mut bytes: u64 = kept.iter().map(|(_, bytes, _)| bytes).sum();
    for (_, size, path) in kept {
        if bytes <= limits.max_bytes {
            break;
        }
        fs::remove_file(path)?;
        bytes -= size;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn limits() -> CheckpointLimits {
        CheckpointLimits {
            max_file_bytes: 10,
            max_bytes: 25,
            keep: Duration::from_secs(1000),
        }
    }

    #[test]
    fn contents_are_kept_once_and_the_oldest_expire() {
        let session = tempfile::tempdir().unwrap();
        let store = ContentStore::new(session.path(), limits());
        let contents: Vec<Vec<u8>> = (0..3).map(|byte| vec![byte; 10]).collect();
        let age = |content: &[u8], seconds| {
            let time = SystemTime::now() - Duration::from_secs(seconds);
            let path = store.path(&hash_of(content));
            let file = File::options().append(true).open(path).unwrap();
            file.set_modified(time).unwrap();
        };
        store.put(&contents[0]).unwrap();
        store.put(&contents[0]).unwrap();
        age(&contents[0], 20);
        store.put(&contents[1]).unwrap();
        age(&contents[1], 10);
        // Needed again: it is the younger one now.
        store.put(&contents[0]).unwrap();
        store.put(&contents[2]).unwrap();
        let has = |content: &[u8]| store.has(&hash_of(content));
        assert!(has(&contents[0]) && !has(&contents[1]) && has(&contents[2]));
        age(&contents[0], 1001);
        store.put(&contents[1]).unwrap();
        store.put(b"x").unwrap();
        assert!(!has(&contents[0]) && has(b"x"), "30 bytes are too many");
        let names = fs::read_dir(session.path().join("files")).unwrap();
        assert!(names.count() <= 3, "no temporary file is left");
    }

    #[test]
    fn what_is_too_large_or_damaged_is_not_there() {
        let session = tempfile::tempdir().unwrap();
        let store = ContentStore::new(session.path(), limits());
        store.put(&[7; 11]).unwrap();
        assert_eq!(store.get(&hash_of(&[7; 11])), None);
        store.put(b"abc").unwrap();
        let hash = hash_of(b"abc");
        fs::write(store.path(&hash), "abd").unwrap();
        assert_eq!(store.get(&hash), None);
        store.put(b"abc").unwrap();
        assert_eq!(store.get(&hash).as_deref(), Some(&b"abc"[..]));
    }
}
