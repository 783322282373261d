use std::path::PathBuf;

use crate::error::FsckError;
use scorel_host::Home;
use scorel_host::HomeLock;

/// Whether a daemon serves the home that is checked.
#[derive(Debug)]
pub(crate) struct Daemon {
    lock: PathBuf,
    /// Keeps daemons out.
    ours: Option<HomeLock>,
}

impl Daemon {
    /// A daemon may run, begin or end at any time.
    pub(crate) fn look(home: &Home) -> Self {
        Self {
            lock: home.lock(),
            ours: None,
        }
    }

    /// No daemon runs as long as this value is kept.
    pub(crate) fn keep_out(home: &Home) -> Result<Self, FsckError> {
        let lock = HomeLock::try_take(&home.lock())?;
        Ok(Self {
            lock: home.lock(),
            ours: Some(lock.ok_or(FsckError::DaemonRuns)?),
        })
    }

    /// Whether a daemon runs now.
    pub(crate) fn is_running(&self) -> bool {
        self.ours.is_none() && HomeLock::is_held(&self.lock)
    }
}
