//! The real file system.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use nix::fcntl::AT_FDCWD;
use nix::sys::resource::{Resource, getrlimit};
use nix::sys::stat::{UtimensatFlags, utimensat};
use nix::sys::time::TimeSpec;
use scorel_fs::open_regular;

use super::{FileId, FileStatus, LogFile, OpenMode, Storage, is_out_of_descriptors};

/// How often a system call is retried after `EINTR`. Bounded: a test that interrupts every call must end.
const RETRIES: usize = 8;

/// The directory of this process's descriptors; since Linux 6.2 its length is their number.
const OPEN_FILES: &str = match cfg!(target_os = "linux") {
    true => "/proc/self/fd",
    false => "/dev/fd",
};

/// The file system of this machine.
///
#[derive(Debug, Clone, Copy, Default)]
pub struct FileStorage;

impl Storage for FileStorage {
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Arc<dyn LogFile>> {
        let mut options = OpenOptions::new();
        options.read(true).append(mode == OpenMode::Append);
        Ok(Arc::new(OpenFile(open_regular(&mut options, path)?)))
    }

    fn create_new(&self, path: &Path) -> io::Result<Arc<dyn LogFile>> {
        let mut options = OpenOptions::new();
        let options = options.read(true).append(true).create_new(true).mode(0o600);
        Ok(Arc::new(OpenFile(open_regular(options, path)?)))
    }

    fn status(&self, path: &Path) -> io::Result<FileStatus> {
        regular(&fs::symlink_metadata(path)?)
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        match DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if fs::symlink_metadata(path)?.is_dir() {
                    Ok(())
                } else {
                    Err(error)
                }
            }
            result => result,
        }
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(path)? {
            names.extend(entry?.file_name().into_string());
        }
        Ok(names)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::hard_link(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn modified(&self, path: &Path) -> io::Result<SystemTime> {
        let metadata = fs::symlink_metadata(path)?;
        regular(&metadata)?;
        metadata.modified()
    }

    fn touch(&self, path: &Path) -> io::Result<()> {
        let (now, flag) = (TimeSpec::UTIME_NOW, UtimensatFlags::NoFollowSymlink);
        Ok(utimensat(AT_FDCWD, path, &now, &now, flag)?)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn can_open(&self, count: u64) -> bool {
        // Opened and not only looked at: the system may have no file left although this process may.
        let directory = match File::open(OPEN_FILES) {
            Ok(directory) => directory,
            Err(error) => return !is_out_of_descriptors(&error),
        };
        let open = directory.metadata().map_or(0, |it| it.len());
        match getrlimit(Resource::RLIMIT_NOFILE) {
            Ok((limit, _)) if cfg!(target_os = "linux") && open > 0 => {
                limit.saturating_sub(open) >= count
            }
            // Before Linux 6.2 the directory does not tell, so it is tried.
            _ => (0..count)
                .map(|_| directory.try_clone())
                .collect::<io::Result<Vec<File>>>()
                .is_ok(),
        }
    }
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

fn regular(metadata: &Metadata) -> io::Result<FileStatus> {
    if !metadata.is_file() {
        return Err(not_regular());
    }
    Ok(FileStatus {
        id: FileId {
            dev: metadata.dev(),
            ino: metadata.ino(),
        },
        len: metadata.len(),
    })
}

/// Retries a call that failed with `EINTR`, which means that it had no effect.
fn uninterrupted(mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    for _ in 0..RETRIES {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
    call()
}

#[derive(Debug)]
struct OpenFile(File);

impl LogFile for OpenFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        uninterrupted(|| FileExt::read_at(&self.0, buf, offset))
    }

    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        uninterrupted(|| (&self.0).write(bytes))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn status(&self) -> io::Result<FileStatus> {
        regular(&self.0.metadata()?)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }
}
