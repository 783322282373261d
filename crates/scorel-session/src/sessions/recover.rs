use std::sync::Arc;

use scorel_proto::SessionId;

use super::Sessions;
use crate::lane::LaneState;
use crate::{Lane, SessionError};

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
            match self.get(id).await {
                Ok(_) => {}
                Err(SessionError::NotFound(_)) => self.forget_active(id).await,
                Err(error) => {
                    tracing::warn!(session = %id, %error, "a session could not be recovered");
                }
            }
        }
        let shared = Arc::clone(&self.shared);
        let saved = tokio::task::spawn_blocking(move || shared.active.complete()).await;
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

    /// Takes those of the sessions that need nothing any more off the list.
    pub(super) async fn leave_active(&self, lanes: Vec<Arc<Lane>>) {
        for lane in lanes {
            // Within the section, so that no message comes in between the look and the leave.
            let left = lane.section(|lane, state| {
                if needs_nothing(state) {
                    lane.shared.active.leave(lane.id());
                }
            });
            if left.await.is_err() {
                return;
            }
        }
        let shared = Arc::clone(&self.shared);
        let tidied = tokio::task::spawn_blocking(move || shared.active.tidy()).await;
        if let Ok(Err(error)) = tidied {
            // An entry that stays costs a look at the next start.
            tracing::debug!(%error, "the list of active sessions keeps entries too many");
        }
    }

    /// A session that does not exist any more needs nothing.
    async fn forget_active(&self, id: SessionId) {
        let shared = Arc::clone(&self.shared);
        let forget = move || shared.active.leave(id);
        // It fails only when the daemon ends, and then the next one does this.
        let _ended = tokio::task::spawn_blocking(forget).await;
    }
}

fn needs_nothing(state: &LaneState) -> bool {
    let folded = &state.view.state;
    folded.turn.is_none() && folded.queue.items.is_empty() && folded.permissions.is_empty()
}
