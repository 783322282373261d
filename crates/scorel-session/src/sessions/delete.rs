use std::sync::Arc;

use scorel_journal::{FORMAT, Reader};
use scorel_proto::SessionId;

use super::{Sessions, in_task};
use crate::lane::{DeleteSession, MoveDirectoryAway};
use crate::shared::LaneShared;
use crate::trash::remove_files;
use crate::{Deletion, SessionError, blocking};

impl Sessions {
    /// Deletes a session; see [`Sessions::delete`] and [`Sessions::put_in_trash`].
    ///
    /// # Errors
    ///
    /// As [`Sessions::delete`].
    pub async fn delete_by(
        self: &Arc<Self>,
        id: SessionId,
        way: Deletion,
    ) -> Result<(), SessionError> {
        match way {
            Deletion::ToTrash => self.put_in_trash(id).await,
            Deletion::Now => self.delete(id).await,
        }
    }

    /// Deletes a session with everything that it has stored, for good. It may be in the trash already.
    ///
    /// # Errors
    ///
    /// If there is no such session, a turn is running in it, a newer version has written it, or the
    /// file system refuses.
    pub async fn delete(self: &Arc<Self>, id: SessionId) -> Result<(), SessionError> {
        let sessions = Arc::clone(self);
        in_task(async move { sessions.delete_now(id).await }).await
    }

    /// Deletes a session, and keeps it in the trash for as long as the settings say.
    ///
    /// # Errors
    ///
    /// As [`Sessions::delete`].
    pub async fn put_in_trash(self: &Arc<Self>, id: SessionId) -> Result<(), SessionError> {
        if !self.shared.trash.keeps() {
            return self.delete(id).await;
        }
        let sessions = Arc::clone(self);
        in_task(async move {
            sessions.count_usage(id).await;
            let _moving = sessions.moving.lock().await;
            sessions.take_away(id, LaneShared::put_in_trash).await?;
            sessions.forget(id);
            Ok(())
        })
        .await
    }

    /// Brings back a session from the trash, as it was.
    ///
    /// # Errors
    ///
    /// If it is not there, or has been there for too long, or the file system refuses.
    pub async fn undelete(self: &Arc<Self>, id: SessionId) -> Result<(), SessionError> {
        if self.shared.is_draining() {
            return Err(SessionError::ShuttingDown);
        }
        let sessions = Arc::clone(self);
        in_task(async move { sessions.undelete_now(id).await }).await
    }

    /// Removes the sessions from the trash whose time is over, for good.
    pub(super) async fn empty_trash(self: &Arc<Self>) {
        let found = self.on_disk(|shared| {
            shared.trash.remove_left_overs();
            shared.trash.expired()
        });
        let expired = match found.await {
            Ok(Ok(expired)) => expired,
            Ok(Err(error)) => return tracing::warn!(%error, "the trash cannot be read"),
            Err(_) => return,
        };
        for trashed in expired {
            let id = trashed.id;
            match self.delete_trashed(id).await {
                Ok(()) => tracing::info!(session = %id, "a deleted session was removed for good"),
                Err(error) => {
                    tracing::warn!(session = %id, %error, "the trash keeps a session too long");
                }
            }
        }
    }

    async fn delete_now(self: Arc<Self>, id: SessionId) -> Result<(), SessionError> {
        self.count_usage(id).await;
        let aside = match self.take_away(id, LaneShared::put_aside).await {
            Err(SessionError::NotFound(_)) => return self.delete_trashed(id).await,
            aside => aside?,
        };
        self.forget(id);
        self.shared.usage.session_removed(id);
        blocking(move || remove_files(&aside)).await
    }

    pub(super) async fn delete_trashed(&self, id: SessionId) -> Result<(), SessionError> {
        self.count_usage(id).await;
        self.on_disk(move |shared| shared.trash.remove(id))
            .await??;
        self.shared.usage.session_removed(id);
        Ok(())
    }

    async fn undelete_now(self: Arc<Self>, id: SessionId) -> Result<(), SessionError> {
        // While the usage is read, no session may move.
        self.count_usage(id).await;
        let _moving = self.moving.lock().await;
        self.on_disk(move |shared| shared.trash.take_out(id, &shared.session_dir(id)))
            .await??;
        self.shared.catalog.restored(id);
        match self.get(id).await {
            Ok(lane) => lane.lock().await.section().announce(),
            // It is back as it was, damage included.
            Err(error) => tracing::warn!(session = %id, %error, "a session came back damaged"),
        }
        Ok(())
    }

    /// Counts while the log is there: deleting a session does not take back what it cost.
    async fn count_usage(&self, id: SessionId) {
        if let Ok(Err(error)) = self.on_disk(|shared| shared.usage.read()).await {
            tracing::warn!(session = %id, %error, "what the session cost is not known any more");
        }
    }

    /// Takes the directory of a session away, unless it is busy.
    async fn take_away<T: Send + 'static>(
        self: &Arc<Self>,
        id: SessionId,
        way: MoveDirectoryAway<T>,
    ) -> Result<T, SessionError> {
        match self.get(id).await {
            Ok(lane) => lane.mutate(DeleteSession(way)).await,
            Err(error @ SessionError::Failed { .. }) => {
                self.on_disk(move |shared| delete_unopened(shared, id, error, way))
                    .await?
            }
            Err(error) => Err(error),
        }
    }

    fn forget(&self, id: SessionId) {
        let slot = self.loaded.lock().remove(&id);
        if let Some(lane) = slot.as_ref().and_then(|slot| slot.lane.get()) {
            lane.end_resources();
        }
        drop(slot);
        self.removed(id);
    }
}

/// A session that cannot be opened can be deleted, unless it belongs to a newer version.
fn delete_unopened<T>(
    shared: &LaneShared,
    id: SessionId,
    error: SessionError,
    way: MoveDirectoryAway<T>,
) -> Result<T, SessionError> {
    match Reader::open(&*shared.storage, &shared.session_dir(id)) {
        Ok((_, header)) if header.format() > FORMAT => Err(error),
        _ => way(shared, id),
    }
}
