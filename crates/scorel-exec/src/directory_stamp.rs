//! Telling that a directory has the same entries as before.

use std::fs::Metadata;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A later change could have the same time: the clock of file times advances every 10 ms at the slowest.
const SETTLED: Duration = Duration::from_millis(100);

/// The identity of a directory, with the time of its last change, which no program can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectoryStamp {
    device: u64,
    inode: u64,
    seconds: i64,
    nanoseconds: i64,
}

impl DirectoryStamp {
    /// The stamp of a directory that is listed after this; `None` if it has just changed.
    pub fn settled(metadata: &Metadata) -> Option<Self> {
        let stamp = Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            seconds: metadata.ctime(),
            nanoseconds: metadata.ctime_nsec(),
        };
        let changed = Duration::new(
            stamp.seconds.try_into().ok()?,
            stamp.nanoseconds.try_into().ok()?,
        );
        let age = SystemTime::now().duration_since(UNIX_EPOCH + changed);
        age.is_ok_and(|age| age >= SETTLED).then_some(stamp)
    }

    /// The stamp that a directory has now.
    #[cfg(target_os = "linux")]
    pub(crate) fn now(stat: &nix::sys::stat::FileStat) -> Self {
        Self {
            device: stat.st_dev,
            inode: stat.st_ino,
            seconds: stat.st_ctime,
            nanoseconds: stat.st_ctime_nsec,
        }
    }

    pub fn device(&self) -> u64 {
        self.device
    }
}

/// Returns whether every change of a directory on this file system changes its time. File systems of a network or of
/// a program need not keep it.
#[cfg(target_os = "linux")]
pub fn has_change_times(directory: impl AsFd) -> bool {
    use nix::sys::statfs;
    let kinds = [
        statfs::BTRFS_SUPER_MAGIC,
        statfs::EXT4_SUPER_MAGIC,
        statfs::OVERLAYFS_SUPER_MAGIC,
        statfs::TMPFS_MAGIC,
        statfs::XFS_SUPER_MAGIC,
    ];
    statfs::fstatfs(directory).is_ok_and(|stat| kinds.contains(&stat.filesystem_type()))
}

/// Elsewhere none is known to.
#[cfg(not(target_os = "linux"))]
pub fn has_change_times(_: impl AsFd) -> bool {
    false
}
