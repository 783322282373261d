use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use scorel_host::{Trust, read_trusted_file};
use scorel_journal::{FileStorage, replace_file};
use serde::{Deserialize, Serialize};

/// The file is a few lines; anything longer is not it.
const MAX_BYTES: u64 = 64 * 1024;

/// What the running daemon says about itself, for people and diagnostics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DaemonInfo {
    /// Its process.
    pub(crate) pid: u32,
    /// Its version.
    pub(crate) version: String,
    /// Where it listens.
    pub(crate) socket_path: PathBuf,
    /// When it started, in milliseconds since 1970.
    pub(crate) started_at: u64,
}

/// A published [`DaemonInfo`]: the file goes with this value.
#[derive(Debug)]
pub(crate) struct PublishedInfo {
    path: PathBuf,
}

impl DaemonInfo {
    /// Writes it to the file at `path`.
    ///
    /// # Errors
    /// Whatever the file system says.
    pub(crate) fn publish(&self, path: &Path) -> io::Result<PublishedInfo> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        replace_file(&FileStorage, path, &text)?;
        Ok(PublishedInfo {
            path: path.to_owned(),
        })
    }

    /// What the file at `path` says, if it can be read. It may be left over from a daemon that was
    /// killed.
    #[must_use]
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let (_, bytes) = read_trusted_file(path, MAX_BYTES, Trust::Ours).ok()??;
        serde_json::from_slice(&bytes).ok()
    }
}

impl Drop for PublishedInfo {
    fn drop(&mut self) {
        // A file that stays behind misleads nobody: nothing is decided by it.
        let _ignored: io::Result<()> = fs::remove_file(&self.path);
    }
}
