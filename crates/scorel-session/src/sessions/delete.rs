use std::sync::Arc;

use scorel_proto::SessionId;

use super::Sessions;
use crate::SessionError;

/// What the directory of a deleted session is called until it is gone.
pub(crate) const DELETED_PREFIX: &str = ".deleted-";

impl Sessions {
    /// Removes a session and everything that it has stored.
    ///
    /// # Errors
    ///
    /// If there is no such session, a turn is running in it, or the file system refuses.
    pub async fn delete(self: &Arc<Self>, id: SessionId) -> Result<(), SessionError> {
        let sessions = Arc::clone(self);
        let deleted = tokio::spawn(async move { sessions.delete_now(id).await });
        deleted
            .await
            .map_err(|error| SessionError::Internal(error.to_string()))?
    }

    async fn delete_now(self: Arc<Self>, id: SessionId) -> Result<(), SessionError> {
        match self.get(id).await {
            Ok(lane) => {
                lane.section(|lane, state| {
                    state.check_exists()?;
                    if lane.turn.is_running() {
                        return Err(SessionError::Busy(lane.phase_of(state)));
                    }
                    lane.end(state);
                    Ok(())
                })
                .await??;
            }
            // A session that cannot be opened can be deleted all the same.
            Err(SessionError::Failed { .. }) => {}
            Err(error) => return Err(error),
        }
        let shared = Arc::clone(&self.shared);
        tokio::task::spawn_blocking(move || {
            let dir = shared.session_dir(id);
            let gone = shared.dir().join(format!("{DELETED_PREFIX}{id}"));
            std::fs::rename(&dir, &gone)?;
            shared.storage.sync_dir(shared.dir())?;
            std::fs::remove_dir_all(&gone)
        })
        .await
        .map_err(|error| SessionError::Internal(error.to_string()))?
        .map_err(|error| SessionError::Filesystem(format!("cannot delete the session: {error}")))?;
        self.loaded().remove(&id);
        self.shared.session_removed(id);
        Ok(())
    }
}
