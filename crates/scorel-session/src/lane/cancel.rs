use std::sync::Arc;

use scorel_engine::StopCause;
use scorel_proto::{CancelResult, ClientId, PersistentBody, QueueOp, QueueUpdateBody, Seq, TurnId};

use super::mutate::Mutation;
use super::{EventDraft, Job, Lane, Section};
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError, UnrecordedCancel};

/// `cancel` with `clearQueue`, with `children`, or both.
///
/// Without them, cancel is no mutation: it signals the turn from outside the lane, so that a
/// slow disk does not delay it, and leaves no receipt.
#[derive(Debug)]
pub(super) struct CancelAndClear {
    pub(super) command: MutationCommand,
    pub(super) expected: Option<TurnId>,
    pub(super) clears: bool,
    /// Whether the session's runtimes are stopped.
    pub(super) stops_children: bool,
}

impl Mutation for CancelAndClear {
    type Reply = CancelResult;

    /// A cancel must work until the end; it starts nothing.
    const WHILE_DRAINING: bool = true;

    fn command(&self) -> Option<&MutationCommand> {
        Some(&self.command)
    }

    /// Without a second signal: by now another turn may be running.
    fn repeat(&self, answer: &ReceiptAnswer, _: &Section<'_>) -> Option<Self::Reply> {
        match answer {
            ReceiptAnswer::QueueUpdated { cancelled, seq, .. } => Some(CancelResult {
                cancelled: *cancelled,
                seq: Some(*seq),
                storage_stalled: None,
            }),
            _ => None,
        }
    }

    /// The signal does not need the log. The commit checks the rest, after the signal.
    fn check_health(&self, _: &Section<'_>) -> Result<(), SessionError> {
        Ok(())
    }

    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        let open = section.published().turn_id();
        let is_other = |open| self.expected.is_some_and(|expected| expected != open);
        if open.is_some_and(is_other) {
            // The caller means a turn that is over. The queue belongs to what runs now.
            return Ok(CancelResult {
                cancelled: false,
                seq: None,
                storage_stalled: None,
            });
        }
        let cancelled = section.lane.job.cancel(self.expected);
        // The receipt last: a retry that finds it must have nothing left to do.
        let stopped = if self.stops_children {
            section.stop_runtimes()
        } else {
            Ok(())
        };
        let cleared = stopped.and_then(|()| self.record(section, cancelled));
        // The phase may have changed although no record says so.
        section.announce();
        match cleared {
            Ok(seq) => Ok(CancelResult {
                cancelled: cancelled.is_some(),
                seq: Some(seq),
                storage_stalled: None,
            }),
            Err(error) => Err(section.not_recorded(
                (
                    cancelled.is_some(),
                    cancelled.and_then(Job::restore).is_some(),
                ),
                (self.clears, self.stops_children),
                error,
            )),
        }
    }
}

impl CancelAndClear {
    /// Removes all items, if it clears the queue, in one record, which is the command's receipt even if
    /// there are none.
    fn record(
        &self,
        section: &mut Section<'_>,
        cancelled: Option<Job>,
    ) -> Result<Seq, SessionError> {
        let view = section.view();
        let remove = |queue_item_id| QueueOp::Remove { queue_item_id };
        let items = view.state.queue.items.iter().filter(|_| self.clears);
        let ops = items.map(|item| remove(item.queue_item_id)).collect();
        drop(view);
        let body = section.cancel_record(ops, cancelled);
        Ok(section.commit(EventDraft::new(body).by(&self.command))?.seq)
    }
}

impl Lane {
    /// Records that the running restore of files was cancelled, if it was, so that the next daemon does not
    /// finish it. The other jobs need no record: none goes on after a crash.
    ///
    /// # Errors
    ///
    /// [`SessionError::CancelNotRecorded`] if the log cannot be written. The signal stands all the same.
    pub async fn record_cancelled_restore(
        self: &Arc<Self>,
        client: ClientId,
    ) -> Result<Option<Seq>, SessionError> {
        // Looked at outside of the lane, which a cancelled turn must not wait for.
        if self.view(|view| view.state.restore.is_none()) {
            return Ok(None);
        }
        self.section(move |section| {
            let recorded = section.record_cancelled_restore(client);
            recorded.map_err(|error| section.not_recorded((true, true), (false, false), error))
        })
        .await?
    }
}

impl Section<'_> {
    /// As [`Lane::record_cancelled_restore`].
    pub(super) fn record_cancelled_restore(
        &mut self,
        client: ClientId,
    ) -> Result<Option<Seq>, SessionError> {
        let open = self.view().state.restore.filter(|open| !open.cancelled);
        let is_cancelled = self.lane.job.stop() == Some(StopCause::Cancelled);
        let Some(open) = open.filter(|_| is_cancelled) else {
            return Ok(None);
        };
        let body = self.cancel_record(Vec::new(), Some(Job::Restore(open)));
        let event = self.commit(EventDraft::new(body).authored_by(client))?;
        Ok(Some(event.seq))
    }

    fn cancel_record(&self, ops: Vec<QueueOp>, cancelled: Option<Job>) -> PersistentBody {
        PersistentBody::QueueUpdate(QueueUpdateBody {
            version: self.view().state.queue.version + 1,
            ops,
            cancel_turn_id: cancelled.and_then(Job::turn),
            cancel_compaction_id: cancelled.and_then(Job::compaction),
            cancel_restore_id: cancelled.and_then(Job::restore),
        })
    }

    /// The error of a cancel whose record could not be written.
    fn not_recorded(
        &self,
        (cancelled, is_restore): (bool, bool),
        (clears_queue, stops_children): (bool, bool),
        error: SessionError,
    ) -> SessionError {
        let SessionError::Stalled(reason) = error else {
            return error;
        };
        SessionError::CancelNotRecorded(Box::new(UnrecordedCancel {
            cancelled,
            is_restore,
            clears_queue,
            stops_children,
            stall: self.published().storage_stall(),
            reason,
        }))
    }
}
