use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use scorel_proto::SessionId;

use super::Sessions;
use crate::{Lane, SessionError};

/// The interval between attempts to load a session while too many files are open.
const RETRY: Duration = Duration::from_secs(1);

impl Sessions {
    /// Loads the sessions on the active list, so that interrupted turns are closed and queues go on
    /// although no client asks for them. To be spawned: the daemon serves clients meanwhile.
    pub async fn recover(self: Arc<Self>) {
        for id in self.left_unfinished().await {
            if self.shared.is_draining() {
                return;
            }
            match self.get_patiently(id).await {
                Ok(_) => {}
                Err(SessionError::NotFound(_)) => {
                    // Fails only while the daemon stops, and then the next one does this.
                    let _ended = self.on_disk(move |shared| shared.active.leave(id)).await;
                }
                Err(error) => {
                    tracing::warn!(session = %id, %error, "a session could not be recovered");
                }
            }
        }
        self.recovered.store(true, Ordering::Release);
        let saved = self.on_disk(|shared| shared.active.complete()).await;
        if let Ok(Err(error)) = saved {
            tracing::warn!(%error, "the list of active sessions was not written");
        }
    }

    /// Loads what [`Sessions::recover`] has not loaded yet.
    ///
    /// # Errors
    ///
    /// If a session cannot be loaded at the moment. One that cannot be used at all is passed over.
    pub(super) async fn load_unfinished(self: &Arc<Self>) -> Result<(), SessionError> {
        if self.recovered.load(Ordering::Acquire) {
            return Ok(());
        }
        for id in self.left_unfinished().await {
            match self.get(id).await {
                Ok(_) | Err(SessionError::NotFound(_) | SessionError::Failed { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The sessions that the last daemon left with work, and those that have some by now.
    async fn left_unfinished(&self) -> Vec<SessionId> {
        let known = self.on_disk(|shared| shared.active.read()).await;
        match known.ok().flatten() {
            Some(sessions) => sessions,
            None => self.enter_unfinished().await,
        }
    }

    /// Loads a session, however long too many files are open: its turn must not wait for a client.
    async fn get_patiently(self: &Arc<Self>, id: SessionId) -> Result<Arc<Lane>, SessionError> {
        loop {
            match self.get(id).await {
                Err(SessionError::OutOfDescriptors(_)) if !self.shared.is_draining() => {
                    tokio::time::sleep(RETRY).await;
                }
                got => return got,
            }
        }
    }

    /// Without a list, enters the sessions that are to be loaded: the file that is written in the end then
    /// names those too that could not be loaded, for the next daemon.
    async fn enter_unfinished(&self) -> Vec<SessionId> {
        let sessions = self.unfinished().await;
        let mut entered = sessions.clone().into_iter();
        let enter = self.on_disk(move |shared| entered.try_for_each(|id| shared.active.enter(id)));
        if let Ok(Err(error)) = enter.await {
            tracing::warn!(%error, "the list of active sessions was not written");
        }
        sessions
    }

    /// Without a list, the tail of every log tells which sessions were busy.
    async fn unfinished(&self) -> Vec<SessionId> {
        match self.shared.read_catalog().await {
            Ok(catalog) => catalog.unfinished(),
            Err(error) => {
                tracing::warn!(%error, "the catalogue cannot be read, so no session is recovered before it is used");
                Vec::new()
            }
        }
    }

    /// Takes idle sessions off the active list.
    pub(super) async fn leave_active(&self, lanes: Vec<Arc<Lane>>) {
        for lane in lanes {
            let left = lane.section(|section| section.leave_active_if_idle());
            if left.await.is_err() {
                return;
            }
        }
        self.tidy_active().await;
    }

    /// Writes the active list if sessions have left it.
    pub(super) async fn tidy_active(&self) {
        let tidied = self.on_disk(|shared| shared.active.tidy()).await;
        if let Ok(Err(error)) = tidied {
            // A superfluous entry only costs the next start a load.
            tracing::debug!(%error, "the list of active sessions keeps entries too many");
        }
    }
}
