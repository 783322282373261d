use std::path::PathBuf;

use scorel_home::{Home, HomeLock};

use crate::error::FsckError;

/// A daemon that runs in the home, or the lock that keeps one out.
#[derive(Debug)]
pub(crate) struct Daemon {
    lock: PathBuf,
    /// Held during a repair.
    ours: Option<HomeLock>,
}

impl Daemon {
    /// For a check: a daemon may run, start or stop at any time.
    pub(crate) fn look(home: &Home) -> Self {
        Self {
            lock: home.lock(),
            ours: None,
        }
    }

    /// For a repair: no daemon can run while the value lives.
    pub(crate) fn keep_out(home: &Home) -> Result<Self, FsckError> {
        let lock = HomeLock::try_take(&home.lock())?;
        Ok(Self {
            lock: home.lock(),
            ours: Some(lock.ok_or(FsckError::DaemonRuns)?),
        })
    }

    pub(crate) fn is_running(&self) -> bool {
        self.ours.is_none() && HomeLock::is_held(&self.lock)
    }
}
