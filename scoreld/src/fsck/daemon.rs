use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg, OFlag};

use super::error::FsckError;
use crate::home::Home;
use crate::instance::InstanceLock;

/// Whether a daemon serves the home that is checked.
#[derive(Debug)]
pub(super) struct Daemon {
    lock: PathBuf,
    /// Keeps daemons out.
    ours: Option<InstanceLock>,
}

impl Daemon {
    /// A daemon may run, begin or end at any time.
    pub(super) fn look(home: &Home) -> Self {
        Self {
            lock: home.lock(),
            ours: None,
        }
    }

    /// No daemon runs as long as this value is kept.
    pub(super) fn keep_out(home: &Home) -> Result<Self, FsckError> {
        let lock = InstanceLock::try_take(&home.lock())?;
        Ok(Self {
            lock: home.lock(),
            ours: Some(lock.ok_or(FsckError::DaemonRuns)?),
        })
    }

    /// Whether a daemon runs now.
    pub(super) fn is_running(&self) -> bool {
        self.ours.is_none() && is_held(&self.lock)
    }
}

/// Whether somebody holds a lock. Nothing is created, and a daemon that starts at this moment only
/// tries again.
fn is_held(lock: &Path) -> bool {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags((OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits())
        .open(lock);
    let Ok(file) = file else {
        return false;
    };
    matches!(
        Flock::lock(file, FlockArg::LockSharedNonblock),
        Err((_, Errno::EWOULDBLOCK))
    )
}
