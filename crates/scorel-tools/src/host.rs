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
    home: DaemonHome,
    blobs: Arc<dyn BlobSink>,
    umask: Lazy<Option<Umask>>,
    recorder: Option<Arc<FileRecorder>>,
}

impl ToolHost {
    /// `home` is the daemon's home, which is protected; `blobs` stores pictures and long output.
    #[must_use]
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

    pub(crate) fn recorder(&self) -> Option<&Arc<FileRecorder>> {
        self.recorder.as_ref()
    }

    /// The same host, as a session sees it that works in `project`, a path without links.
    pub(crate) fn seen_from(self, project: &Path) -> Self {
        Self {
            home: DaemonHome::of(self.home.path(), project),
            ..self
        }
    }

    /// The daemon's home, links resolved.
    pub(crate) fn home(&self) -> &DaemonHome {
        &self.home
    }

    pub(crate) fn umask(&self) -> &Lazy<Option<Umask>> {
        &self.umask
    }

    pub(crate) fn blobs(&self) -> &dyn BlobSink {
        &*self.blobs
    }
}
