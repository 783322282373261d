use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_proto::{ErrorCode, SessionId};

use crate::failure::Failure;
use crate::v1::session::OpenSession;

/// The sessions that an editor can have open at a time. Each has a connection to the daemon.
const MAX_SESSIONS: usize = 128;

/// The sessions that the editor has open.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<HashMap<SessionId, Arc<OpenSession>>>);

impl Sessions {
    /// Opens a session. One that is open is opened anew: what followed it ends.
    pub(super) fn open(&self, session: &Arc<OpenSession>) -> Result<(), Failure> {
        let mut open = self.lock();
        if open.len() >= MAX_SESSIONS && !open.contains_key(&session.id) {
            let message = format!("at most {MAX_SESSIONS} sessions can be open in one editor");
            return Err(Failure::new(ErrorCode::Overloaded, message));
        }
        if let Some(old) = open.insert(session.id, Arc::clone(session)) {
            old.end.cancel();
        }
        Ok(())
    }

    /// Closes a session, unless it was opened anew.
    pub(super) fn close(&self, session: &Arc<OpenSession>) {
        session.end.cancel();
        let mut open = self.lock();
        if open
            .get(&session.id)
            .is_some_and(|it| Arc::ptr_eq(it, session))
        {
            open.remove(&session.id);
        }
    }

    pub(super) fn find(&self, id: &str) -> Option<Arc<OpenSession>> {
        self.lock().get(&id.parse().ok()?).cloned()
    }

    /// # Errors
    /// The session is not open.
    pub(super) fn get(&self, id: &str) -> Result<Arc<OpenSession>, Failure> {
        self.find(id).ok_or_else(|| {
            let message = format!(
                "session `{}` is not open here: load or resume it first",
                crate::visible::one_line(id)
            );
            Failure::new(ErrorCode::SessionNotFound, message)
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<OpenSession>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
