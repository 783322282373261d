use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use scorel_home::{DAEMON, Home, StateBody, StateError, StateFile, StateKind};
use serde::{Deserialize, Serialize};
use tracing::warn;

/// The content of `daemon.json`, for people and diagnostics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DaemonInfo {
    pub(crate) pid: u32,
    pub(crate) version: String,
    pub(crate) socket_path: PathBuf,
    /// Milliseconds since 1970.
    pub(crate) started_at: u64,
    /// How long it may take from now to the daemon's end, in milliseconds; absent while it serves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stopping_within: Option<u64>,
}

/// A published [`DaemonInfo`]; dropping it removes the file.
#[derive(Debug)]
pub(crate) struct PublishedInfo {
    file: StateFile<DaemonInfo>,
    info: DaemonInfo,
}

impl StateBody for DaemonInfo {
    const KIND: &'static StateKind = &DAEMON;
    const IS_SYNCED: bool = false;
}

impl DaemonInfo {
    pub(crate) fn publish(self, path: &Path) -> Result<PublishedInfo, StateError> {
        let file = StateFile::new(path.to_owned());
        file.replace(&self)?;
        Ok(PublishedInfo { file, info: self })
    }

    /// Reads the file at `path`; `None` if it is missing or unreadable. It may be left over from a
    /// daemon that was killed.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        StateFile::new(path.to_owned()).read().ok()?
    }
}

impl PublishedInfo {
    /// Tells how long it may take to the daemon's end: one that is to take its place waits for that.
    pub(crate) fn stopping(&mut self, within: Duration) {
        self.info.stopping_within = Some(u64::try_from(within.as_millis()).unwrap_or(u64::MAX));
        if let Err(error) = self.file.replace(&self.info) {
            warn!(%error, "cannot write daemon.json");
        }
    }
}

/// The process id in `daemon.json`, for messages only.
pub(super) fn known_pid(home: &Home) -> Option<u32> {
    DaemonInfo::read(&home.daemon()).map(|info| info.pid)
}

/// A process in an error message.
pub(super) fn process(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
}

impl Drop for PublishedInfo {
    fn drop(&mut self) {
        // A stale file is harmless: nothing is decided by it.
        let _ignored: io::Result<()> = fs::remove_file(self.file.path());
    }
}
