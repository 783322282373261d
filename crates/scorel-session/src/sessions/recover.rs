use std::sync::Arc;

use scorel_proto::SessionId;

use super::Sessions;
use crate::Lane;

impl Sessions {
    /// Loads the sessions that a daemon before left in the middle of something, so that turns are
    /// closed and queues go on although nobody opens them. Meant to run beside everything else.
    pub async fn recover(self: Arc<Self>) {
        let shared = Arc::clone(&self.shared);
        let known = tokio::task::spawn_blocking(move || shared.active.read()).await;
        let sessions = match known.ok().flatten() {
            Some(sessions) => sessions,
            None => self.unfinished().await,
        };
        for id in sessions {
            if self.shared.is_draining() {
                return;
            }
            if let Err(error) = self.get(id).await {
                tracing::warn!(session = %id, %error, "a session could not be recovered");
            }
        }
        let shared = Arc::clone(&self.shared);
        let saved = tokio::task::spawn_blocking(move || shared.active.save()).await;
        if let Ok(Err(error)) = saved {
            tracing::warn!(%error, "the list of active sessions was not written");
        }
    }

    /// Without a list, the ends of all logs tell which sessions are in the middle of something.
    async fn unfinished(&self) -> Vec<SessionId> {
        match self.shared.catalog().await {
            Ok(catalog) => catalog.unfinished(),
            Err(error) => {
                tracing::warn!(%error, "the sessions cannot be looked through");
                Vec::new()
            }
        }
    }

    /// Takes the sessions that need nothing any more off the list.
    pub(super) async fn leave_active(&self) {
        let mut idle = Vec::new();
        for lane in self.lanes() {
            if needs_nothing(&lane).await {
                idle.push(lane.id());
            }
        }
        let shared = Arc::clone(&self.shared);
        // An entry that stays costs a look at the next start.
        let _left = tokio::task::spawn_blocking(move || shared.active.leave(&idle)).await;
    }
}

async fn needs_nothing(lane: &Lane) -> bool {
    let state = lane.lock().await;
    let folded = &state.view.state;
    folded.turn.is_none() && folded.queue.items.is_empty() && folded.permissions.is_empty()
}
