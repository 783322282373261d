use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_journal::{FORMAT, Reader};
use scorel_proto::SessionId;

use super::Sessions;
use crate::shared::LaneShared;
use crate::{SessionError, blocking};

impl Sessions {
    /// Deletes a session with everything that it has stored.
    ///
    /// # Errors
    ///
    /// If there is no such session, a turn is running in it, a newer version has written it, or the
    /// file system refuses.
    pub async fn delete(self: &Arc<Self>, id: SessionId) -> Result<(), SessionError> {
        let sessions = Arc::clone(self);
        let deleted = tokio::spawn(async move { sessions.delete_now(id).await });
        deleted
            .await
            .map_err(|error| SessionError::Internal(error.to_string()))?
    }

    async fn delete_now(self: Arc<Self>, id: SessionId) -> Result<(), SessionError> {
        // Counted while the log is there: deleting a session does not take back what it cost.
        let shared = Arc::clone(&self.shared);
        if let Err(error) = blocking(move || shared.usage.read()).await? {
            tracing::warn!(session = %id, %error, "what the session cost is not known any more");
        }
        let aside = match self.get(id).await {
            Ok(lane) => lane.delete().await?,
            Err(error @ SessionError::Failed { .. }) => {
                let shared = Arc::clone(&self.shared);
                blocking(move || delete_unopened(&shared, id, error)).await??
            }
            Err(error) => return Err(error),
        };
        self.loaded().remove(&id);
        self.shared.session_removed(id);
        blocking(move || remove(&aside)).await
    }
}

/// A session that cannot be opened can be deleted, unless it belongs to a newer version.
fn delete_unopened(
    shared: &LaneShared,
    id: SessionId,
    error: SessionError,
) -> Result<PathBuf, SessionError> {
    match Reader::open(&*shared.storage, &shared.session_dir(id)) {
        Ok((_, header)) if header.format() > FORMAT => Err(error),
        _ => shared.put_aside(id),
    }
}

/// Removes the files. What a crash leaves is removed when the catalogue is read the next time.
fn remove(aside: &Path) {
    match std::fs::remove_dir_all(aside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(path = %aside.display(), %error, "the files of a deleted session could not be removed");
        }
        _ => {}
    }
}
