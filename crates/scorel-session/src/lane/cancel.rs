use scorel_proto::{CancelResult, PersistentBody, QueueOp, QueueUpdateBody, TurnId};

use super::mutate::Mutation;
use super::{EventDraft, Job, Section};
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
            Err(SessionError::Stalled(reason)) => {
                let unrecorded = UnrecordedCancel {
                    cancelled: cancelled.is_some(),
                    clears_queue: self.clears,
                    stops_children: self.stops_children,
                    stall: section.published().storage_stall(),
                    reason,
                };
                Err(SessionError::CancelNotRecorded(Box::new(unrecorded)))
            }
            Err(error) => Err(error),
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
    ) -> Result<scorel_proto::Seq, SessionError> {
        let view = section.view();
        let queue = &view.state.queue;
        let remove = |queue_item_id| QueueOp::Remove { queue_item_id };
        let items = queue.items.iter().filter(|_| self.clears);
        let body = PersistentBody::QueueUpdate(QueueUpdateBody {
            version: queue.version + 1,
            ops: items.map(|item| remove(item.queue_item_id)).collect(),
            cancel_turn_id: cancelled.and_then(Job::turn),
            cancel_compaction_id: cancelled.and_then(Job::compaction),
            cancel_restore_id: cancelled.and_then(Job::restore),
        });
        drop(view);
        Ok(section.commit(EventDraft::new(body).by(&self.command))?.seq)
    }
}
