//! A storage that injects faults into the real file system.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use nix::errno::Errno;
use scorel_journal::{FileStatus, FileStorage, LogFile, OpenMode, Storage};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Open,
    CreateNew,
    PathStatus,
    CreateDir,
    List,
    Rename,
    Link,
    Remove,
    SyncDir,
    Read,
    Append,
    SyncData,
    FileStatus,
    SetLen,
}

pub(crate) const OPS: [Op; 13] = [
    Op::Open,
    Op::CreateNew,
    Op::PathStatus,
    Op::CreateDir,
    Op::List,
    Op::Rename,
    Op::Remove,
    Op::SyncDir,
    Op::Read,
    Op::Append,
    Op::SyncData,
    Op::FileStatus,
    Op::SetLen,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Fail without an effect.
    Error(Errno),
    /// Write and report this many bytes.
    Short(usize),
    /// Write this many bytes and fail.
    Part(usize, Errno),
}

#[derive(Debug, Default)]
struct State {
    trace: Vec<Op>,
    /// Accesses of the kind that succeed before the fault.
    faults: Vec<(Op, usize, Fault)>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Disk {
    state: Arc<Mutex<State>>,
    volatile: bool,
}

impl Disk {
    /// A disk whose syncs do nothing, for tests that would spend their time syncing.
    pub(crate) fn volatile() -> Self {
        Self {
            volatile: true,
            ..Self::default()
        }
    }

    fn sync(&self, op: Op, sync: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        self.access(op, || if self.volatile { Ok(()) } else { sync() })
    }

    pub(crate) fn storage(&self) -> Arc<dyn Storage> {
        Arc::new(self.clone())
    }

    /// Injects a fault into the access of this kind after the next `passing` ones.
    pub(crate) fn fail(&self, op: Op, passing: usize, fault: Fault) {
        let mut state = self.state.lock().expect("not poisoned");
        state.faults.push((op, passing, fault));
    }

    /// Removes faults that have not happened, and returns whether there were any.
    pub(crate) fn heal(&self) -> bool {
        let mut state = self.state.lock().expect("not poisoned");
        !std::mem::take(&mut state.faults).is_empty()
    }

    /// The accesses since the last call.
    pub(crate) fn trace(&self) -> Vec<Op> {
        std::mem::take(&mut self.state.lock().expect("not poisoned").trace)
    }

    fn enter(&self, op: Op) -> Option<Fault> {
        let mut state = self.state.lock().expect("not poisoned");
        state.trace.push(op);
        let mut due = None;
        state.faults.retain_mut(|(kind, passing, fault)| {
            if *kind != op {
                return true;
            }
            if *passing == 0 && due.is_none() {
                due = Some(*fault);
                return false;
            }
            *passing = passing.saturating_sub(1);
            true
        });
        due
    }

    fn access<T>(&self, op: Op, act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        match self.enter(op) {
            None => act(),
            Some(Fault::Error(errno)) => Err(errno.into()),
            Some(fault) => panic!("{fault:?} is a fault of writing only"),
        }
    }

    fn wrap(&self, file: Arc<dyn LogFile>) -> Arc<dyn LogFile> {
        let disk = self.clone();
        Arc::new(DiskFile { disk, file })
    }
}

impl Storage for Disk {
    fn open(&self, path: &Path, access: OpenMode) -> io::Result<Arc<dyn LogFile>> {
        let file = self.access(Op::Open, || FileStorage.open(path, access))?;
        Ok(self.wrap(file))
    }

    fn create_new(&self, path: &Path) -> io::Result<Arc<dyn LogFile>> {
        let file = self.access(Op::CreateNew, || FileStorage.create_new(path))?;
        Ok(self.wrap(file))
    }

    fn status(&self, path: &Path) -> io::Result<FileStatus> {
        self.access(Op::PathStatus, || FileStorage.status(path))
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.access(Op::CreateDir, || FileStorage.create_dir(path))
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.access(Op::Remove, || FileStorage.remove_dir(path))
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        self.access(Op::List, || FileStorage.list(path))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.access(Op::Rename, || FileStorage.rename(from, to))
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.access(Op::Link, || FileStorage.link(from, to))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.access(Op::Remove, || FileStorage.remove(path))
    }

    fn modified(&self, path: &Path) -> io::Result<SystemTime> {
        FileStorage.modified(path)
    }

    fn touch(&self, path: &Path) -> io::Result<()> {
        FileStorage.touch(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.sync(Op::SyncDir, || FileStorage.sync_dir(path))
    }
}

#[derive(Debug)]
struct DiskFile {
    disk: Disk,
    file: Arc<dyn LogFile>,
}

impl LogFile for DiskFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        self.disk
            .access(Op::Read, || self.file.read_at(buf, offset))
    }

    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        match self.disk.enter(Op::Append) {
            None => self.file.append(bytes),
            Some(Fault::Error(errno)) => Err(errno.into()),
            Some(Fault::Short(count)) => self.file.append(&bytes[..count]),
            Some(Fault::Part(count, errno)) => {
                self.file.append(&bytes[..count.min(bytes.len())])?;
                Err(errno.into())
            }
        }
    }

    fn sync_data(&self) -> io::Result<()> {
        self.disk.sync(Op::SyncData, || self.file.sync_data())
    }

    fn status(&self) -> io::Result<FileStatus> {
        self.disk.access(Op::FileStatus, || self.file.status())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.disk.access(Op::SetLen, || self.file.set_len(len))
    }
}
