use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use scorel_host::{Trust, read_trusted_file};
use scorel_journal::{FileStorage, replace_file};
use serde::{Deserialize, Serialize};

/// Upper bound of `daemon.json`, which has a few lines.
const MAX_BYTES: u64 = 64 * 1024;

/// The content of `daemon.json`, for people and diagnostics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DaemonInfo {
    pub(crate) pid: u32,
    pub(crate) version: String,
    pub(crate) socket_path: PathBuf,
    /// Milliseconds since 1970.
    pub(crate) started_at: u64,
}

/// A published [`DaemonInfo`]; dropping it removes the file.
#[derive(Debug)]
pub(crate) struct PublishedInfo {
    path: PathBuf,
}

impl DaemonInfo {
    pub(crate) fn publish(&self, path: &Path) -> io::Result<PublishedInfo> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        replace_file(&FileStorage, path, &text)?;
        Ok(PublishedInfo {
            path: path.to_owned(),
        })
    }

    /// Reads the file at `path`; `None` if it is missing or unreadable. It may be left over from a
    /// daemon that was killed.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let (_, bytes) = read_trusted_file(path, MAX_BYTES, Trust::Ours).ok()??;
        serde_json::from_slice(&bytes).ok()
    }
}

impl Drop for PublishedInfo {
    fn drop(&mut self) {
        // A stale file is harmless: nothing is decided by it.
        let _ignored: io::Result<()> = fs::remove_file(&self.path);
    }
}
