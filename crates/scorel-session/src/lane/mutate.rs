//! Changes of a session besides messages.

use std::sync::Arc;

use scorel_proto::{
    PersistentBody, QueueOp, Seq, Session, SessionChanges, SessionInfoBody, TurnId,
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

    /// Signals the running turn. Says whether one took the signal; its outcome follows.
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
            self.section(|lane, state| lane.clear_queue(state))
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
            self.update_queue(state, ops).map(|_| ())
        }
    }
}
