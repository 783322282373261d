//! What the tools of a session need from the daemon.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_runtime::BlobSink;

/// What the tools of a session need from the daemon.
#[derive(Debug, Clone)]
pub struct ToolHost {
    home: PathBuf,
    blobs: Arc<dyn BlobSink>,
}

impl ToolHost {
    /// `home` is where the daemon keeps its files, which tools do not change; `blobs` is where
    /// pictures go.
    #[must_use]
    pub fn new(home: &Path, blobs: Arc<dyn BlobSink>) -> Self {
        // Where it does not exist, nothing below it can be meant.
        let home = home.canonicalize().unwrap_or_else(|_| home.to_owned());
        Self { home, blobs }
    }

    /// The real path of the daemon's home.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Where pictures go.
    pub(crate) fn blobs(&self) -> &dyn BlobSink {
        &*self.blobs
    }
}
