use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_journal::{FORMAT, Reader};
use scorel_proto::SessionId;

use super::{Sessions, Shared};
use crate::catalog::DELETED_PREFIX;
use crate::lane::LaneState;
use crate::{Lane, SessionError};

impl Sessions {
    /// Removes a session and everything that it has stored.
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
        let gone = match self.get(id).await {
            Ok(lane) => lane.section(delete).await??,
            Err(error @ SessionError::Failed { .. }) => {
                let shared = Arc::clone(&self.shared);
                blocking(move || delete_unopened(&shared, id, error)).await??
            }
            Err(error) => return Err(error),
        };
        self.loaded().remove(&id);
        self.shared.session_removed(id);
        blocking(move || remove(&gone)).await
    }
}

/// From the change of the directory's name on the session does not exist.
fn delete(lane: &Arc<Lane>, state: &mut LaneState) -> Result<PathBuf, SessionError> {
    state.check_exists()?;
    lane.check_writable()?;
    if lane.turn.is_running() {
        return Err(SessionError::Busy(lane.phase_of(state)));
    }
    let gone = put_aside(&lane.shared, lane.id())?;
    lane.end(state);
    lane.shared.active.leave(lane.id());
    Ok(gone)
}

/// A session that cannot be opened can be deleted all the same, unless that is because a newer
/// version has written it.
fn delete_unopened(
    shared: &Shared,
    id: SessionId,
    error: SessionError,
) -> Result<PathBuf, SessionError> {
    match Reader::open(&*shared.storage, &shared.session_dir(id)) {
        Ok((_, header)) if header.format() > FORMAT => Err(error),
        _ => put_aside(shared, id),
    }
}

fn put_aside(shared: &Shared, id: SessionId) -> Result<PathBuf, SessionError> {
    let failed =
        |error: io::Error| SessionError::Filesystem(format!("cannot delete the session: {error}"));
    let gone = shared.dir().join(format!("{DELETED_PREFIX}{id}"));
    let storage = &shared.storage;
    storage
        .rename(&shared.session_dir(id), &gone)
        .map_err(failed)?;
    if let Err(error) = storage.sync_dir(shared.dir()) {
        tracing::warn!(session = %id, %error, "a deletion may not survive a power failure");
    }
    Ok(gone)
}

/// What is left behind is removed when the catalogue is read the next time.
fn remove(gone: &Path) {
    match std::fs::remove_dir_all(gone) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(path = %gone.display(), %error, "a deleted session takes up space");
        }
        _ => {}
    }
}

async fn blocking<R: Send + 'static>(
    work: impl FnOnce() -> R + Send + 'static,
) -> Result<R, SessionError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| SessionError::Internal(error.to_string()))
}
