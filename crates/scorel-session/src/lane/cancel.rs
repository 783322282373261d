use scorel_engine::StopCause;
use scorel_proto::{CancelResult, QueueOp, Seq, TurnId};

use super::mutate::Mutation;
use super::{EventDraft, JobName, Lane, Section};
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError, UnrecordedCancel};

/// `cancel` with `clearQueue`, with `children`, or both, in one step. Nothing happens if another turn than the
/// expected one is open. If the change could not be recorded the signal stands all the same: see
/// [`SessionError::CancelNotRecorded`].
///
/// Without them, cancel is no mutation: it signals the turn from outside the lane, so that a
/// slow disk does not delay it, and leaves no receipt.
#[derive(Debug)]
pub struct CancelAndClear {
    pub command: MutationCommand,
    pub expected: Option<TurnId>,
    pub clears: bool,
    /// Returns whether work for the session elsewhere is stopped.
    pub stops_children: bool,
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
            section.stop_features()
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
                    matches!(cancelled, Some(JobName::Restore(_))),
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
        cancelled: Option<JobName>,
    ) -> Result<Seq, SessionError> {
        let view = section.view();
        let remove = |queue_item_id| QueueOp::Remove { queue_item_id };
        let items = view.state.queue.items.iter().filter(|_| self.clears);
        let ops = items.map(|item| remove(item.queue_item_id)).collect();
        drop(view);
        let body = section.queue_update(ops, cancelled);
        Ok(section.commit(EventDraft::new(body).by(&self.command))?.seq)
    }
}

impl Lane {
    /// The reason why the running job has to end, once it has to.
    pub(crate) fn stop_cause(&self) -> Option<StopCause> {
        self.job.stop()
    }
}

impl Section<'_> {
    fn stop_features(&mut self) -> Result<(), SessionError> {
        let mut features = self.lane.seams.features.iter();
        features.try_for_each(|feature| feature.stop(self))
    }

    /// The error of a cancel whose record could not be written.
    pub(crate) fn not_recorded(
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
