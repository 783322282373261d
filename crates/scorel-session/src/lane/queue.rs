//! The queue: messages that wait for the running turn to end.
//!
//! Its content is folded from `queue_update` records and from messages that name their item. Taking
//! an item and writing its message are one record, so a crash leaves the item in the queue or the
//! message in the log, never both and never neither.

use scorel_proto::{
    Block, ClientId, Message, MessageBody, MessageSource, Meta, PersistentBody, QueueItem,
    QueueItemId, QueueKind, QueueOp, QueueUpdateBody, Seq, TurnId, UserMessage,
};
use serde::Serialize;

use super::{EventDraft, Section};
use crate::{MutationCommand, SessionError};

/// How many bytes the waiting messages of a session may have together: the queue is part of the
/// session's description, which has to fit into one reply. A single message may be larger, since a
/// client could not send it otherwise.
const MAX_QUEUE_BYTES: usize = 4 * 1024 * 1024;

impl Section<'_> {
    /// Fails if the queue has no room for one more message, whatever its size. Returns the position
    /// that the message would get.
    pub(super) fn queue_position(&self) -> Result<usize, SessionError> {
        let limit = self.lane.shared.settings.max_queue;
        let position = self.view().state.queue.items.len();
        if position >= limit {
            return Err(SessionError::QueueFull { limit });
        }
        Ok(position)
    }

    pub(super) fn check_queue_bytes(&self, new: &QueueItem) -> Result<(), SessionError> {
        let view = self.view();
        let items = &view.state.queue.items;
        let waiting: usize = items.iter().map(encoded_len).sum();
        if !items.is_empty() && waiting + encoded_len(new) > MAX_QUEUE_BYTES {
            let limit = MAX_QUEUE_BYTES;
            return Err(SessionError::QueueTooLarge { limit });
        }
        Ok(())
    }

    /// Appends an item. Its receipt is in the item, because the queue outlives this record.
    pub(super) fn enqueue(&mut self, item: QueueItem) -> Result<Seq, SessionError> {
        let author = item.client_id;
        let body = self.queue_update(vec![QueueOp::Add { item }]);
        let seq = self.commit(EventDraft::new(body).authored_by(author))?.seq;
        self.announce();
        // The outcome of a turn that is being cancelled will pause the queue. This client has seen
        // the cancel and goes on.
        self.state.lift_pause |= self.lane.job.stop().is_some();
        Ok(seq)
    }

    /// The body of the queue's next change.
    pub(super) fn queue_update(&self, ops: Vec<QueueOp>) -> PersistentBody {
        PersistentBody::QueueUpdate(QueueUpdateBody {
            version: self.view().state.queue.version + 1,
            ops,
            cancel_turn_id: None,
        })
    }

    /// Starts the next turn if the queue has one and no turn is open; in the background, if the log
    /// cannot be written now.
    ///
    /// Errors are only logged: what led here was accepted already.
    pub(crate) fn go_on(&mut self) {
        match self.advance() {
            Ok(()) => {}
            Err(SessionError::Stalled(_)) => self.lane.persist_later(|section| section.advance()),
            Err(error) => {
                tracing::error!(session = %self.lane.id(), %error, "the queue does not go on");
            }
        }
    }

    fn advance(&mut self) -> Result<(), SessionError> {
        if self.has_open_work() {
            return Ok(());
        }
        if self.state.lift_pause && self.view().state.queue.paused {
            let body = self.queue_update(vec![QueueOp::Resume]);
            self.commit(EventDraft::new(body))?;
            self.announce();
        }
        self.state.lift_pause = false;
        self.start_next()
    }

    /// Turns the first waiting message into a turn, unless a turn is open, the queue is paused or
    /// the daemon drains.
    pub(super) fn start_next(&mut self) -> Result<(), SessionError> {
        if self.has_open_work() || self.lane.shared.is_draining() {
            return Ok(());
        }
        // Damage that was found during the last turn has to be accepted before the next one.
        self.reread_if_due();
        let Some(item) = self.next_item() else {
            return Ok(());
        };
        let turn_id = TurnId::generate();
        let body = PersistentBody::Message(MessageBody {
            queue_item_id: Some(item.queue_item_id),
            ..MessageBody::new(user_message(item.content, Some(MessageSource::FollowUp)))
        });
        let draft = EventDraft::new(body).in_turn(turn_id);
        self.commit(draft.authored_by(item.client_id))?;
        self.begin_turn(turn_id);
        Ok(())
    }

    fn has_open_work(&self) -> bool {
        let view = self.view();
        view.state.turn.is_some() || view.state.restore.is_some()
    }

    /// The message that is next, unless the queue is paused.
    fn next_item(&self) -> Option<QueueItem> {
        let queue = &self.view().state.queue;
        queue.items.first().filter(|_| !queue.paused).cloned()
    }
}

/// A follow-up that carries its own receipt.
pub(super) fn follow_up(command: MutationCommand, content: Vec<Block>) -> QueueItem {
    let client_id: ClientId = command.client_id;
    QueueItem {
        queue_item_id: QueueItemId::generate(),
        kind: QueueKind::FollowUp,
        content,
        client_id,
        digest: command.id.is_some().then_some(command.digest),
        command_id: command.id,
    }
}

pub(super) fn user_message(content: Vec<Block>, source: Option<MessageSource>) -> Message {
    Message::User(UserMessage {
        content,
        meta: Meta {
            source,
            provider: None,
        },
    })
}

/// The length of something as JSON, in bytes.
pub(super) fn encoded_len(part: &impl Serialize) -> usize {
    serde_json::to_vec(part).map_or(0, |json| json.len())
}
