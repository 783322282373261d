use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_files::{CheckpointLimits, FileRecorder};
use scorel_proto::SessionId;
use scorel_tools::Root;

/// The recorders of loaded sessions. Tools, restores and recovery share one per session, since it counts
/// what it keeps.
#[derive(Debug)]
pub(crate) struct Recorders {
    sessions_dir: PathBuf,
    recorders: Mutex<HashMap<SessionId, Arc<FileRecorder>>>,
}

impl Recorders {
    pub(crate) fn new(sessions_dir: PathBuf) -> Self {
        Self {
            sessions_dir,
            recorders: Mutex::default(),
        }
    }

    pub(crate) fn get(&self, id: SessionId) -> Option<Arc<FileRecorder>> {
        self.recorders().get(&id).cloned()
    }

    /// The recorder of a session, made for its project if there is none.
    pub(crate) fn of(
        &self,
        id: SessionId,
        project: &Root,
        limits: CheckpointLimits,
    ) -> Arc<FileRecorder> {
        let mut recorders = self.recorders();
        let made = recorders.entry(id).or_insert_with(|| {
            let session = self.sessions_dir.join(id.to_string());
            Arc::new(FileRecorder::new(project.project_dir(), &session, limits))
        });
        Arc::clone(made)
    }

    pub(crate) fn set_limits(&self, id: SessionId, limits: CheckpointLimits) {
        if let Some(recorder) = self.get(id) {
            recorder.set_limits(limits);
        }
    }

    /// The session leaves memory, and no command of it runs: the copies of its files would only take
    /// space.
    pub(crate) fn unload(&self, id: SessionId) {
        let mut recorders = self.recorders();
        // One that is in use belongs to a turn of a session that was loaded again meanwhile.
        if let Some(recorder) = recorders.remove(&id)
            && Arc::strong_count(&recorder) == 1
        {
            // Under the lock: the session's next recorder has the same directory.
            recorder.forget_base();
        }
    }

    /// The session was deleted, with everything in its directory.
    pub(crate) fn forget(&self, id: SessionId) {
        self.recorders().remove(&id);
    }

    fn recorders(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<FileRecorder>>> {
        self.recorders
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
