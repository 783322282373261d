//! Changes of a session besides messages.

use std::sync::Arc;

use scorel_proto::{
    ClientId, PersistentBody, QueueOp, Seq, Session, SessionChanges, SessionInfoBody, TurnId,
};

use super::{Draft, Lane, LaneState};
use crate::receipts::Answer;
use crate::{Command, SessionError};

impl Lane {
    /// Changes the session's title, model, thinking level or place among the archived ones.
    ///
    /// # Errors
    ///
    /// See [`SessionError`]; nothing has changed then.
    pub async fn update(
        self: &Arc<Self>,
        command: Command,
        changes: SessionChanges,
    ) -> Result<(Seq, Session), SessionError> {
        self.section(move |lane, state| {
            state.check_exists()?;
            if let Some(Answer::Done(seq)) = state.receipts.find(&command)? {
                return Ok((*seq, lane.describe(state)));
            }
            if lane.shared.is_draining() {
                return Err(SessionError::ShuttingDown);
            }
            let body = PersistentBody::SessionInfo(SessionInfoBody { changes });
            let seq = lane.commit(state, Draft::new(body).by(&command))?.seq;
            lane.announce(state);
            Ok((seq, lane.describe(state)))
        })
        .await?
    }

    /// Writes what the session is from the start.
    pub(crate) async fn describe_first(
        self: &Arc<Self>,
        client_id: ClientId,
        changes: SessionChanges,
    ) -> Result<(), SessionError> {
        self.section(move |lane, state| {
            let body = PersistentBody::SessionInfo(SessionInfoBody { changes });
            lane.commit(state, Draft::new(body).said_by(client_id))?;
            Ok(())
        })
        .await?
    }

    /// Signals the running turn. Says whether one took the signal; its outcome follows.
    ///
    /// While another turn than the expected one is open, nothing happens, also to the queue.
    ///
    /// # Errors
    ///
    /// Only if `clear_queue` is set and the queue's change could not be written.
    pub async fn cancel(
        self: &Arc<Self>,
        expected: Option<TurnId>,
        clear_queue: bool,
    ) -> Result<bool, SessionError> {
        let cancelled = self.turn.cancel(expected);
        if clear_queue {
            self.section(move |lane, state| {
                let open = state.view.state.turn_id();
                let other = open.is_some_and(|open| expected.is_some_and(|id| id != open));
                if other && !cancelled {
                    return Ok(());
                }
                lane.clear_queue(state)
            })
            .await??;
        }
        if cancelled {
            // The phase has changed without a record; those who follow the daemon are told.
            let lane = Arc::clone(self);
            self.shared.tasks.spawn(async move {
                let state = lane.lock().await;
                lane.announce(&state);
            });
        }
        Ok(cancelled)
    }

    fn clear_queue(&self, state: &mut LaneState) -> Result<(), SessionError> {
        state.check_usable()?;
        let items = &state.view.state.queue.items;
        let remove = |queue_item_id| QueueOp::Remove { queue_item_id };
        let ops: Vec<QueueOp> = items
            .iter()
            .map(|item| remove(item.queue_item_id))
            .collect();
        if ops.is_empty() {
            Ok(())
        } else {
            self.update_queue(state, ClientId::Daemon, ops).map(|_| ())
        }
    }
}
