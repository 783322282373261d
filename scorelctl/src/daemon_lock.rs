use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use fs2::FileExt;
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use scorel_fs::open_regular;

/// The lock that a daemon holds for as long as it runs. The socket is not an indication of a daemon: a service
/// manager may keep it open and start the daemon for the next connection, and it may have been deleted.
#[derive(Debug)]
pub(crate) struct DaemonLock {
    path: PathBuf,
}

impl DaemonLock {
    pub(crate) const fn new(path: PathBuf) -> Self {
        Self { path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether a daemon is running.
    pub(crate) fn is_held(&self) -> io::Result<bool> {
        let file = match open_regular(File::options().read(true), &self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            opened => opened?,
        };
        match FileExt::try_lock_shared(&file) {
            Ok(()) => Ok(false),
            Err(error) if error.kind() == fs2::lock_contended_error().kind() => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// The process that holds the lock; `None` if there is none, or it belongs to another user.
    ///
    /// The kernel names it, in `/proc`. The process id in `daemon.json` may have been reused.
    pub(crate) fn holder(&self) -> io::Result<Option<u32>> {
        let lock = match fs::metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            found => found?,
        };
        let lock = (lock.dev(), lock.ino());
        let processes = match fs::read_dir("/proc") {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            listed => listed?,
        };
        let mut pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        Ok(pids.find(|pid| holds(*pid, lock).unwrap_or(false)))
    }

    /// The holder, if it is not the process of the service.
    pub(crate) fn holder_by_hand(&self, service: Option<u32>) -> io::Result<Option<u32>> {
        Ok(self.holder()?.filter(|pid| service != Some(*pid)))
    }

    /// Signals the holder: with SIGINT it stops as by the method `shutdown`, with SIGTERM as by that with
    /// `park`. Returns its process id; `None` if it has ended in the meantime or is not known.
    pub(crate) fn signal_holder(&self, signal: Signal) -> io::Result<Option<u32>> {
        let Some(pid) = self.holder()? else {
            return Ok(None);
        };
        match kill(Pid::from_raw(pid.cast_signed()), signal) {
            Ok(()) => Ok(Some(pid)),
            Err(Errno::ESRCH) => Ok(None),
            Err(errno) => Err(errno.into()),
        }
    }
}

/// Returns whether a process has the file open and holds an exclusive `flock` through it. A process that only
/// has it open, such as a daemon that waits for the lock, is not the holder.
fn holds(pid: u32, lock: (u64, u64)) -> io::Result<bool> {
    for entry in fs::read_dir(format!("/proc/{pid}/fd"))? {
        let entry = entry?;
        let open = fs::metadata(entry.path());
        if !open.is_ok_and(|open| (open.dev(), open.ino()) == lock) {
            continue;
        }
        let name = entry.file_name();
        let info = Path::new("/proc")
            .join(pid.to_string())
            .join("fdinfo")
            .join(name);
        let text = fs::read_to_string(info)?;
        if text.lines().any(is_exclusive_flock) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// `lock:  1: FLOCK  ADVISORY  WRITE 1234 fe:01:5312 0 EOF`
fn is_exclusive_flock(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("lock:")
        && words.clone().any(|word| word == "FLOCK")
        && words.any(|word| word == "WRITE")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_until_its_owner_releases_it() {
        let directory = tempfile::tempdir().expect("a directory");
        let lock = DaemonLock::new(directory.path().join("scoreld.lock"));
        assert!(!lock.is_held().expect("looked"), "no daemon ever ran");
        assert_eq!(lock.holder().expect("looked"), None);
        let owner = File::create(lock.path()).expect("created");
        assert_eq!(lock.holder().expect("looked"), None, "only open");
        owner.lock_exclusive().expect("locked");
        assert!(lock.is_held().expect("looked"));
        assert_eq!(lock.holder().expect("looked"), Some(std::process::id()));
        drop(owner);
        assert!(!lock.is_held().expect("looked"));
        assert_eq!(lock.holder().expect("looked"), None);
    }
}
