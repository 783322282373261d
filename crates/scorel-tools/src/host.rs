//! The daemon, as the tools of a session see it.

use std::path::Path;
use std::sync::Arc;

use scorel_engine::BlobSink;
use scorel_exec::Umask;
use scorel_files::FileRecorder;
use scorel_permission::DaemonHome;

use crate::lazy::Lazy;

/// The daemon, as the tools of a session see it.
#[derive(Debug, Clone)]
pub struct ToolHost {
    pub(crate) home: DaemonHome,
    pub(crate) blobs: Arc<dyn BlobSink>,
    pub(crate) umask: Lazy<Option<Umask>>,
    pub(crate) recorder: Option<Arc<FileRecorder>>,
}

impl ToolHost {
    /// `home` is the daemon's home, which is protected; `blobs` stores pictures and long output.
    pub fn new(home: &Path, blobs: Arc<dyn BlobSink>) -> Self {
        // A home that does not exist contains nothing to protect.
        let home = home.canonicalize().unwrap_or_else(|_| home.to_owned());
        Self {
            home: DaemonHome::closed(&home),
            blobs,
            umask: Lazy::default(),
            recorder: None,
        }
    }

    /// The same host, with the umask of files that tools create. Without one they get the daemon's.
    #[must_use]
    pub fn with_umask(self, umask: Lazy<Option<Umask>>) -> Self {
        Self { umask, ..self }
    }

    /// The same host, with a record of what calls do to the files of the project.
    #[must_use]
    pub fn with_recorder(self, recorder: Arc<FileRecorder>) -> Self {
        Self {
            recorder: Some(recorder),
            ..self
        }
    }

    /// The same host, as a session sees it that works in `project`, a path without links.
    pub(crate) fn seen_from(self, project: &Path) -> Self {
        Self {
            home: DaemonHome::of(self.home.path(), project),
            ..self
        }
    }
}
