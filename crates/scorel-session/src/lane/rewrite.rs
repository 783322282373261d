use scorel_proto::{
    Queue, QueueEdit, QueueItem, QueueItemId, QueueKind, QueueOp, RewriteQueueResult,
};

use super::mutate::Mutation;
use super::{EventDraft, Section};
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError};

/// `rewriteQueue`: all edits or none.
///
/// Refused with [`SessionError::QueueChanged`] if the queue is not at `expected_version`, and with
/// [`SessionError::InvalidParams`] if an edit names an item that does not wait.
#[derive(Debug)]
pub struct QueueRewrite {
    pub command: MutationCommand,
    pub expected_version: u64,
    pub edits: Vec<QueueEdit>,
}

impl Mutation for QueueRewrite {
    type Reply = RewriteQueueResult;

    fn command(&self) -> Option<&MutationCommand> {
        Some(&self.command)
    }

    /// The first seq and version, with the queue as it is now: its content is not in the receipt.
    fn repeat(&self, answer: &ReceiptAnswer, section: &Section<'_>) -> Option<Self::Reply> {
        match answer {
            ReceiptAnswer::QueueUpdated { seq, version, .. } => Some(RewriteQueueResult {
                seq: *seq,
                queue_version: *version,
                queue: section.view().state.queue.items.clone(),
            }),
            _ => None,
        }
    }

    fn check_expected(&self, section: &Section<'_>) -> Result<(), SessionError> {
        let view = section.view();
        let queue = &view.state.queue;
        if queue.version == self.expected_version {
            return Ok(());
        }
        Err(SessionError::QueueChanged {
            version: queue.version,
            items: queue.items.clone(),
        })
    }

    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        let ops = self.ops(section)?;
        // Before the record, as for a message that is sent: the next daemon loads only the sessions
        // on the list.
        section.enter_active()?;
        let body = section.queue_update(ops, None);
        let seq = section.commit(EventDraft::new(body).by(&self.command))?.seq;
        let queue = section.view().state.queue.clone();
        section.announce();
        section.lane.queued.notify_waiters();
        section.go_on();
        Ok(RewriteQueueResult {
            seq,
            queue_version: queue.version,
            queue: queue.items,
        })
    }
}

impl QueueRewrite {
    /// The operations to record. Each is tried on a copy of the queue first: all of them apply, or
    /// none is recorded.
    fn ops(&self, section: &Section<'_>) -> Result<Vec<QueueOp>, SessionError> {
        let mut queue = section.view().state.queue.clone();
        let mut ops = Vec::with_capacity(self.edits.len());
        for edit in &self.edits {
            if let Some(id) = named_item(edit).filter(|id| !queue.contains(*id)) {
                let text = format!("{id} is not in the queue, or an earlier operation removed it");
                return Err(SessionError::InvalidParams(text));
            }
            check_steer(edit, &queue)?;
            let op = self.op(edit, section);
            queue.apply_op(&op);
            ops.push(op);
        }
        let grows =
            |edit: &QueueEdit| matches!(edit, QueueEdit::Add { .. } | QueueEdit::Edit { .. });
        if self.edits.iter().any(grows) {
            section.check_queue(&queue)?;
        }
        Ok(ops)
    }

    fn op(&self, edit: &QueueEdit, section: &Section<'_>) -> QueueOp {
        match edit {
            QueueEdit::Add {
                kind,
                content,
                position,
                hold,
            } => QueueOp::Add {
                item: QueueItem {
                    queue_item_id: QueueItemId::generate(),
                    kind: section.queued_as(*kind),
                    content: content.0.clone(),
                    client_id: self.command.client_id,
                    edited_by: None,
                    meta: None,
                    // The receipt is that of the whole call.
                    command_id: None,
                    digest: None,
                },
                position: *position,
                hold: hold.unwrap_or(false),
                go_on: !hold.unwrap_or(false) && section.goes_on(),
            },
            QueueEdit::Edit {
                queue_item_id,
                content,
            } => QueueOp::Edit {
                queue_item_id: *queue_item_id,
                content: content.0.clone(),
                edited_by: Some(self.command.client_id),
            },
            QueueEdit::Move {
                queue_item_id,
                position,
            } => QueueOp::Move {
                queue_item_id: *queue_item_id,
                position: *position,
            },
            QueueEdit::Remove { queue_item_id } => QueueOp::Remove {
                queue_item_id: *queue_item_id,
            },
            QueueEdit::Convert {
                queue_item_id,
                kind,
            } => QueueOp::Convert {
                queue_item_id: *queue_item_id,
                kind: section.queued_as(*kind),
            },
            QueueEdit::Pause {} => QueueOp::Pause,
            QueueEdit::Resume {} => QueueOp::Resume,
        }
    }
}

/// A message of a channel would be read with the rights of the turn that it steers.
fn check_steer(edit: &QueueEdit, queue: &Queue) -> Result<(), SessionError> {
    let QueueEdit::Convert {
        queue_item_id,
        kind: QueueKind::Steer,
    } = edit
    else {
        return Ok(());
    };
    let through_channel = |item: &QueueItem| {
        let meta = item.meta.as_ref();
        item.queue_item_id == *queue_item_id && meta.is_some_and(|it| it.channel.is_some())
    };
    if queue.items.iter().any(through_channel) {
        let text =
            format!("{queue_item_id} came through a channel: it waits for a turn of its own");
        return Err(SessionError::InvalidParams(text));
    }
    Ok(())
}

const fn named_item(edit: &QueueEdit) -> Option<QueueItemId> {
    match edit {
        QueueEdit::Edit { queue_item_id, .. }
        | QueueEdit::Move { queue_item_id, .. }
        | QueueEdit::Remove { queue_item_id }
        | QueueEdit::Convert { queue_item_id, .. } => Some(*queue_item_id),
        QueueEdit::Add { .. } | QueueEdit::Pause {} | QueueEdit::Resume {} => None,
    }
}
