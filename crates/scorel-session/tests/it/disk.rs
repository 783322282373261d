//! The real file system, with faults that last as long as a test wants.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::SystemTime;

use nix::errno::Errno;
use scorel_journal::{FileStatus, FileStorage, LogFile, OpenMode, Storage};
use tokio::sync::{oneshot, watch};

use crate::follower::within;

/// A disk that can be full, or fail to sync.
#[derive(Debug, Clone)]
pub(crate) struct Disk {
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    full: AtomicBool,
    /// How many more records fit before the disk is full.
    room: AtomicUsize,
    sync_fails: AtomicBool,
    /// Why no log can be made.
    no_new_log: Mutex<Option<io::ErrorKind>>,
    /// How many appends and openings were refused.
    refused: watch::Sender<usize>,
    opened: AtomicUsize,
    /// How many files are open, and how many may be.
    open: AtomicUsize,
    max_open: AtomicUsize,
    /// Whether the next log that is opened for writing cannot be.
    open_fails: AtomicBool,
    removals_fail: AtomicBool,
    held: Mutex<Option<Held>>,
}

/// What an append that is held up waits for.
#[derive(Debug)]
struct Held {
    entered: oneshot::Sender<()>,
    released: mpsc::Receiver<()>,
}

/// An append that is held up until this is dropped.
#[derive(Debug)]
pub(crate) struct Hold {
    entered: oneshot::Receiver<()>,
    _release: mpsc::Sender<()>,
}

impl Hold {
    /// Waits until there is such an append.
    pub(crate) async fn entered(&mut self) {
        within(&mut self.entered).await.expect("the disk stays");
    }
}

impl Disk {
    pub(crate) fn new() -> Self {
        let state = State {
            full: AtomicBool::new(false),
            room: AtomicUsize::new(usize::MAX),
            sync_fails: AtomicBool::new(false),
            no_new_log: Mutex::new(None),
            refused: watch::Sender::new(0),
            opened: AtomicUsize::new(0),
            open: AtomicUsize::new(0),
            max_open: AtomicUsize::new(usize::MAX),
            open_fails: AtomicBool::new(false),
            removals_fail: AtomicBool::new(false),
            held: Mutex::new(None),
        };
        Self {
            state: Arc::new(state),
        }
    }

    pub(crate) fn storage(&self) -> Arc<dyn Storage> {
        Arc::new(self.clone())
    }

    pub(crate) fn set_full(&self, full: bool) {
        self.state.room.store(usize::MAX, Ordering::SeqCst);
        self.state.full.store(full, Ordering::SeqCst);
    }

    /// The disk is full after so many more records.
    pub(crate) fn full_after(&self, records: usize) {
        self.state.room.store(records, Ordering::SeqCst);
    }

    /// No more than so many files can be open.
    pub(crate) fn set_descriptors(&self, count: usize) {
        self.state.max_open.store(count, Ordering::SeqCst);
    }

    /// How many files are open.
    pub(crate) fn open_files(&self) -> usize {
        self.state.open.load(Ordering::SeqCst)
    }

    fn check_descriptors(&self) -> io::Result<()> {
        if self.open_files() < self.state.max_open.load(Ordering::SeqCst) {
            return Ok(());
        }
        self.state.refused.send_modify(|refused| *refused += 1);
        Err(Errno::EMFILE.into())
    }

    /// The next opening of a log fails.
    pub(crate) fn fail_next_open(&self) {
        self.state.open_fails.store(true, Ordering::SeqCst);
    }

    pub(crate) fn fail_removals(&self, fail: bool) {
        self.state.removals_fail.store(fail, Ordering::SeqCst);
    }

    /// Holds up the next record.
    pub(crate) fn hold_next_record(&self) -> Hold {
        let (entered_here, entered) = oneshot::channel();
        let (release, released) = mpsc::channel();
        *self.state.held.lock().expect("not poisoned") = Some(Held {
            entered: entered_here,
            released,
        });
        Hold {
            entered,
            _release: release,
        }
    }

    fn hold_up(&self) {
        let held = self.state.held.lock().expect("not poisoned").take();
        if let Some(held) = held {
            held.entered.send(()).expect("the test waits");
            // It ends with the hold.
            let _ = held.released.recv();
        }
    }

    pub(crate) fn fail_syncs(&self) {
        self.state.sync_fails.store(true, Ordering::SeqCst);
    }

    /// Syncs fail and no log can be made, so that none can be copied, until the disk is mended.
    pub(crate) fn fail_syncs_and_copies(&self, kind: io::ErrorKind) {
        *self.state.no_new_log.lock().expect("not poisoned") = Some(kind);
        self.fail_syncs();
    }

    pub(crate) fn mend(&self) {
        *self.state.no_new_log.lock().expect("not poisoned") = None;
        self.state.sync_fails.store(false, Ordering::SeqCst);
    }

    /// Waits until so many appends have been refused from now on.
    pub(crate) async fn refuses(&self, count: usize) {
        let mut refused = self.state.refused.subscribe();
        let wanted = *refused.borrow() + count;
        within(refused.wait_for(|refused| *refused >= wanted))
            .await
            .expect("the disk stays");
    }

    /// How many times a log was opened for writing.
    pub(crate) fn opened(&self) -> usize {
        self.state.opened.load(Ordering::SeqCst)
    }

    fn wrap(&self, path: &Path, file: Arc<dyn LogFile>) -> Arc<dyn LogFile> {
        self.state.open.fetch_add(1, Ordering::SeqCst);
        Arc::new(File {
            disk: self.clone(),
            file,
            is_log: is_log(path),
        })
    }

    fn check_room(&self, is_log: bool) -> io::Result<()> {
        let less = |room: usize| room.checked_sub(1);
        let state = &self.state;
        let used_up = is_log
            && state
                .room
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, less)
                .is_err();
        if used_up || state.full.load(Ordering::SeqCst) {
            state.refused.send_modify(|refused| *refused += 1);
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }
}

/// Whether a path is that of a log, or of one that is being made.
fn is_log(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(scorel_journal::EVENTS))
}

impl Storage for Disk {
    fn open(&self, path: &Path, access: OpenMode) -> io::Result<Arc<dyn LogFile>> {
        self.check_descriptors()?;
        if access == OpenMode::Append && is_log(path) {
            self.state.opened.fetch_add(1, Ordering::SeqCst);
            if self.state.open_fails.swap(false, Ordering::SeqCst) {
                return Err(io::Error::other("too many open files"));
            }
        }
        Ok(self.wrap(path, FileStorage.open(path, access)?))
    }

    fn create_new(&self, path: &Path) -> io::Result<Arc<dyn LogFile>> {
        self.check_descriptors()?;
        let refused = *self.state.no_new_log.lock().expect("not poisoned");
        if let Some(kind) = refused.filter(|_| is_log(path)) {
            self.state.refused.send_modify(|refused| *refused += 1);
            return Err(kind.into());
        }
        Ok(self.wrap(path, FileStorage.create_new(path)?))
    }

    fn status(&self, path: &Path) -> io::Result<FileStatus> {
        FileStorage.status(path)
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        FileStorage.create_dir(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        FileStorage.remove_dir(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        FileStorage.list(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        FileStorage.rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        FileStorage.link(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        if self.state.removals_fail.load(Ordering::SeqCst) {
            return Err(io::Error::other("the disk is broken"));
        }
        FileStorage.remove(path)
    }

    fn modified(&self, path: &Path) -> io::Result<SystemTime> {
        FileStorage.modified(path)
    }

    fn touch(&self, path: &Path) -> io::Result<()> {
        FileStorage.touch(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        FileStorage.sync_dir(path)
    }

    fn can_open(&self, count: u64) -> bool {
        let max = self.state.max_open.load(Ordering::SeqCst);
        self.check_descriptors().is_ok() && max.saturating_sub(self.open_files()) as u64 >= count
    }
}

#[derive(Debug)]
struct File {
    disk: Disk,
    file: Arc<dyn LogFile>,
    is_log: bool,
}

impl Drop for File {
    fn drop(&mut self) {
        self.disk.state.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl LogFile for File {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        self.file.read_at(buf, offset)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        self.disk.check_room(self.is_log)?;
        if self.is_log {
            self.disk.hold_up();
        }
        self.file.append(bytes)
    }

    fn sync_data(&self) -> io::Result<()> {
        if self.disk.state.sync_fails.load(Ordering::SeqCst) {
            return Err(io::Error::other("the disk is broken"));
        }
        self.file.sync_data()
    }

    fn status(&self) -> io::Result<FileStatus> {
        self.file.status()
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }
}
