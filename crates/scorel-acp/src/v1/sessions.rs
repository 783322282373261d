use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_peer::IdKey;
use scorel_proto::{ErrorCode, RpcError, SessionId};
use tokio::task::JoinSet;

use super::open_session::OpenSession;
use crate::failure::Failure;

/// Sessions that are open at a time. Each follows the daemon on a connection of its own.
const MAX_SESSIONS: usize = 64;

/// The sessions that the editor has open.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    open: Mutex<HashMap<SessionId, Entry>>,
}

#[derive(Debug)]
struct Entry {
    session: Arc<OpenSession>,
    /// The tasks that follow and cancel it; they end with the entry.
    tasks: JoinSet<()>,
}

impl Sessions {
    /// The open session.
    ///
    /// # Errors
    /// It is not open here.
    pub(crate) fn get(&self, id: &str) -> Result<Arc<OpenSession>, Failure> {
        let id = parsed(id)?;
        self.find(id).ok_or_else(|| {
            let message = format!("session {id} is not open here: load or resume it first");
            RpcError::new(ErrorCode::SessionNotFound, message).into()
        })
    }

    pub(crate) fn find(&self, id: SessionId) -> Option<Arc<OpenSession>> {
        let entry = self.lock();
        let entry = entry.get(&id);
        entry.map(|entry| Arc::clone(&entry.session))
    }

    pub(crate) fn all(&self) -> Vec<Arc<OpenSession>> {
        let open = self.lock();
        open.values().map(|it| Arc::clone(&it.session)).collect()
    }

    /// # Errors
    /// Too many are open.
    pub(crate) fn check_room(&self, id: SessionId) -> Result<(), Failure> {
        let open = self.lock();
        if open.len() < MAX_SESSIONS || open.contains_key(&id) {
            return Ok(());
        }
        let message = format!(
            "{MAX_SESSIONS} sessions are open: restart the agent in the editor, which loses nothing"
        );
        Err(Failure::new(ErrorCode::Overloaded, message))
    }

    /// Adds a session with its tasks, and ends those that it had.
    pub(crate) fn add(&self, session: Arc<OpenSession>, tasks: JoinSet<()>) {
        let id = session.id;
        self.lock().insert(id, Entry { session, tasks });
    }

    /// Forgets a session that is gone.
    pub(crate) fn remove(&self, id: SessionId, failure: &Failure) {
        let entry = self.lock().remove(&id);
        if let Some(entry) = entry {
            entry.session.prompts().lose(failure);
        }
    }

    /// Ends the tasks of a session, before others follow it.
    pub(crate) async fn pause(&self, id: SessionId) {
        let tasks = self
            .lock()
            .get_mut(&id)
            .map(|it| std::mem::take(&mut it.tasks));
        if let Some(mut tasks) = tasks {
            tasks.shutdown().await;
        }
    }

    /// Cancels the prompt of a request, if there is one.
    pub(crate) fn cancel_request(&self, request: &IdKey) {
        let open = self.lock();
        let sessions = open.values().map(|entry| &entry.session);
        for session in sessions {
            if session.prompts().cancel_request(request) {
                session.cancels.notify_one();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Entry>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// # Errors
/// It is no id of ours.
pub(crate) fn parsed(id: &str) -> Result<SessionId, Failure> {
    id.parse()
        .map_err(|error: scorel_proto::InvalidText| Failure::invalid(error.to_string()))
}
