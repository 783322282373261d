use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use scorel_proto::{ProjectId, Session, SessionId};
use tokio::sync::Notify;

use super::mcp::EditorServers;
use super::options::Settings;
use super::prompts::Prompts;

/// A session that the editor has open.
#[derive(Debug)]
pub(crate) struct OpenSession {
    pub(crate) id: SessionId,
    pub(crate) project_id: ProjectId,
    /// The directory of its project.
    pub(crate) work_dir: PathBuf,
    /// The same, as the editor names it.
    pub(crate) cwd: PathBuf,
    /// Never held across an await.
    prompts: Mutex<Prompts>,
    /// Something is to be cancelled. Any number of wishes are one.
    pub(crate) cancels: Notify,
    /// The settings that the editor knows. Held while they change, so that it is told of each change once.
    pub(crate) settings: tokio::sync::Mutex<Settings>,
    /// Those that the editor named when it opened the session.
    pub(crate) servers: tokio::sync::Mutex<EditorServers>,
}

impl OpenSession {
    pub(crate) fn new(session: &Session, work_dir: PathBuf, cwd: PathBuf) -> Self {
        Self {
            id: session.session_id,
            project_id: session.project_id,
            work_dir,
            cwd,
            prompts: Mutex::default(),
            cancels: Notify::new(),
            settings: tokio::sync::Mutex::new(Settings::of(session)),
            servers: tokio::sync::Mutex::default(),
        }
    }

    pub(crate) fn prompts(&self) -> MutexGuard<'_, Prompts> {
        // No code panics between two related changes, so a poisoned lock is usable.
        self.prompts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cancels the prompts, or the turn that the editor sees.
    pub(crate) fn cancel(&self) {
        self.prompts().cancel();
        self.cancels.notify_one();
    }
}
