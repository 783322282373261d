use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::UNIX_EPOCH;

use scorel_journal::{Storage, if_present, read_bounded, replace_file};

const MAX_BYTES: u64 = 256;

/// The mark that the index covers every log to its end: a file beside it, from the end of one daemon to the
/// first record of the next.
///
/// The mark names the index that it is about. An index from a backup, or of another version, has none.
#[derive(Debug)]
pub(super) struct CleanMark {
    storage: Arc<dyn Storage>,
    index: PathBuf,
    file: PathBuf,
    /// The last daemon left a mark.
    was_clean: OnceLock<bool>,
    state: Mutex<MarkState>,
    /// A record can be written. Spares each record the lock.
    is_gone: AtomicBool,
}

#[derive(Debug, Default)]
struct MarkState {
    /// `None`: as the last daemon left it.
    on_disk: Option<bool>,
    /// One is to be left, unless another record comes.
    is_due: bool,
}

impl CleanMark {
    pub(super) fn new(storage: Arc<dyn Storage>, index: &Path) -> Self {
        Self {
            storage,
            index: index.to_owned(),
            file: index.with_extension("clean"),
            was_clean: OnceLock::new(),
            state: Mutex::default(),
            is_gone: AtomicBool::new(false),
        }
    }

    /// True if the index covered every log when this daemon began.
    pub(super) fn was_clean(&self) -> bool {
        *self.was_clean.get_or_init(|| self.is_valid())
    }

    fn is_valid(&self) -> bool {
        let mark = read_bounded(&*self.storage, &self.file, MAX_BYTES);
        let stamp = self.index_stamp();
        mark.is_ok_and(|mark| stamp.is_ok_and(|stamp| mark == stamp.into_bytes()))
    }

    /// Removes the mark durably. To be called before each record.
    pub(super) fn remove(&self) -> io::Result<()> {
        if self.is_gone.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut state = self.state();
        if state.on_disk.unwrap_or_else(|| self.was_clean()) {
            if_present(self.storage.remove(&self.file))?;
            self.storage
                .sync_dir(self.file.parent().unwrap_or(&self.file))?;
        }
        state.on_disk = Some(false);
        state.is_due = false;
        self.is_gone.store(true, Ordering::Release);
        Ok(())
    }

    /// The index is about to be written for the last time. A record that comes from now on prevents the mark.
    pub(super) fn announce(&self) {
        self.state().is_due = true;
        self.is_gone.store(false, Ordering::Release);
    }

    /// Leaves the mark, if no record has come since [`CleanMark::announce`].
    pub(super) fn leave(&self) {
        let mut state = self.state();
        if !std::mem::take(&mut state.is_due) || self.is_valid() {
            return;
        }
        state.on_disk = Some(true);
        let stamp = self.index_stamp();
        let left =
            stamp.and_then(|stamp| replace_file(&*self.storage, &self.file, stamp.as_bytes()));
        if let Err(error) = left {
            tracing::debug!(%error, "the next daemon looks at every log");
        }
    }

    /// Tells the index from every other one: each is written to a file of its own.
    fn index_stamp(&self) -> io::Result<String> {
        let status = self.storage.status(&self.index)?;
        let modified = self.storage.modified(&self.index)?;
        let modified = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (inode, nanoseconds) = (status.id.ino, modified.as_nanos());
        Ok(format!("{inode} {} {nanoseconds}\n", status.len))
    }

    fn state(&self) -> MutexGuard<'_, MarkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
