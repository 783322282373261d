//! The queue: messages that wait for the running turn to read them, or to end.
//!
//! Its content is folded from `queue_update` records and from messages that name their item. Taking
//! an item and writing its message are one record, so a crash leaves the item in the queue or the
//! message in the log, never both and never neither.

use scorel_proto::{
    Block, CustomMessageBody, InternalMessage, Message, MessageBody, MessageSource, Meta,
    PersistentBody, Queue, QueueItem, QueueItemMeta, QueueKind, QueueOp, QueueUpdateBody, Seq,
    TurnId, UserMessage,
};
use serde::Serialize;

use super::{EventDraft, JobName, OpeningMessage, Section};
use crate::SessionError;

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
        if !items.is_empty() && queue_bytes(items) + encoded_len(new) > MAX_QUEUE_BYTES {
            let limit = MAX_QUEUE_BYTES;
            return Err(SessionError::QueueTooLarge { limit });
        }
        Ok(())
    }

    /// Fails if an edited queue is beyond its limits.
    pub(super) fn check_queue(&self, queue: &Queue) -> Result<(), SessionError> {
        let limit = self.lane.shared.settings.max_queue;
        if queue.items.len() > limit {
            return Err(SessionError::QueueFull { limit });
        }
        if queue.items.len() > 1 && queue_bytes(&queue.items) > MAX_QUEUE_BYTES {
            let limit = MAX_QUEUE_BYTES;
            return Err(SessionError::QueueTooLarge { limit });
        }
        Ok(())
    }

    /// Returns whether there is a turn to steer: one that is being cancelled makes no further model call,
    /// and nothing but a turn makes any.
    pub(super) fn takes_steers(&self) -> bool {
        self.view().state.turn.is_some() && self.lane.job.stop().is_none()
    }

    /// What a message becomes that is sent as a steer.
    pub fn queued_as(&self, wanted: QueueKind) -> QueueKind {
        if self.takes_steers() {
            wanted
        } else {
            QueueKind::FollowUp
        }
    }

    /// Returns whether a message that is added now keeps the cancelled job's end from pausing the queue: its
    /// author has seen the cancel and wants to continue.
    pub(super) fn goes_on(&self) -> bool {
        self.view().state.has_job() && self.lane.job.stop().is_some()
    }

    /// Appends an item that a client sends.
    pub(super) fn enqueue(&mut self, item: QueueItem) -> Result<Seq, SessionError> {
        let go_on = self.goes_on();
        self.add_to_queue(item, false, go_on)
    }

    /// Appends an item. Its receipt is in the item, because the queue outlives this record. With `hold` it
    /// begins no turn, with `go_on` it keeps the end of a cancelled job from pausing the queue. Limits of the
    /// queue are the caller's to check.
    ///
    /// # Errors
    ///
    /// Those of [`Section::commit`].
    pub fn add_to_queue(
        &mut self,
        item: QueueItem,
        hold: bool,
        go_on: bool,
    ) -> Result<Seq, SessionError> {
        let author = item.client_id;
        let add = QueueOp::Add {
            item,
            position: None,
            hold,
            go_on,
        };
        let body = self.queue_update(vec![add], None);
        let draft = EventDraft::new(body).authored_by(author);
        let seq = self.commit_and_announce(draft)?.seq;
        self.lane.queued.notify_waiters();
        Ok(seq)
    }

    /// The body of the queue's next change. `cancelled` is the job whose cancel it records.
    pub(crate) fn queue_update(
        &self,
        ops: Vec<QueueOp>,
        cancelled: Option<JobName>,
    ) -> PersistentBody {
        let mut body = QueueUpdateBody {
            version: self.view().state.queue.version + 1,
            ops,
            cancel_turn_id: None,
            cancel_compaction_id: None,
            cancel_restore_id: None,
        };
        match cancelled {
            Some(JobName::Turn(id)) => body.cancel_turn_id = Some(id),
            Some(JobName::Compaction(id)) => body.cancel_compaction_id = Some(id),
            Some(JobName::Restore(id)) => body.cancel_restore_id = Some(id),
            None => {}
        }
        PersistentBody::QueueUpdate(body)
    }

    /// Starts the next turn if the queue has one and no turn is open; in the background, if the log
    /// cannot be written now.
    ///
    /// Errors are only logged: what led here was accepted already.
    pub fn go_on(&mut self) {
        match self.start_next() {
            Ok(()) => {}
            Err(SessionError::Stalled(_)) => {
                self.lane.persist_later(|section| section.start_next());
            }
            Err(error) => {
                tracing::error!(session = %self.lane.id(), %error, "the next queued message cannot be started");
            }
        }
    }

    /// Turns the first waiting message into a turn, unless a turn is open, the queue is paused or
    /// the daemon drains.
    pub(super) fn start_next(&mut self) -> Result<(), SessionError> {
        if self.view().state.has_job() || self.lane.shared.is_draining() {
            return Ok(());
        }
        // Damage that was found during the last turn has to be accepted before the next one.
        self.reread_if_due();
        let Some(mut item) = self.next_item() else {
            return Ok(());
        };
        let turn_id = TurnId::generate();
        item.content = self.worded(item.content, OpeningMessage::of(item.meta.as_ref()))?;
        let channel = item.meta.as_ref().and_then(|meta| meta.channel.clone());
        self.tell_source(channel, item.client_id)?;
        let draft = taken(item, MessageSource::FollowUp, turn_id);
        self.commit_first(draft, JobName::Turn(turn_id))?;
        self.begin_turn(turn_id);
        Ok(())
    }

    /// Adds the waiting steers to the conversation, one message each. To be called when a model call
    /// follows. None is taken once the turn has to stop: no call would answer it.
    pub(crate) fn drain_steers(&mut self, turn_id: TurnId) -> Result<(), SessionError> {
        while self.take_steer(turn_id)?.is_some() {}
        Ok(())
    }

    /// Adds one waiting steer to the conversation and returns its content, for a runner that takes it
    /// while it works. One per section: a section that fails is repeated, and would not return again a
    /// steer that it committed before the failure.
    pub(crate) fn take_steer(
        &mut self,
        turn_id: TurnId,
    ) -> Result<Option<Vec<Block>>, SessionError> {
        let is_stopping = self.lane.job.stop().is_some();
        let Some(item) = self.next_steer().filter(|_| !is_stopping) else {
            return Ok(None);
        };
        let content = item.content.clone();
        self.commit(taken(item, MessageSource::Steer, turn_id))?;
        self.announce();
        Ok(Some(content))
    }

    fn next_steer(&self) -> Option<QueueItem> {
        let view = self.view();
        let mut items = view.state.queue.items.iter();
        items.find(|item| item.kind == QueueKind::Steer).cloned()
    }

    /// The message that is next, unless the queue is paused.
    fn next_item(&self) -> Option<QueueItem> {
        let queue = &self.view().state.queue;
        queue.items.first().filter(|_| !queue.paused).cloned()
    }

    /// The words of a message that begins a turn, after all features.
    pub(super) fn worded(
        &mut self,
        content: Vec<Block>,
        message: OpeningMessage,
    ) -> Result<Vec<Block>, SessionError> {
        let mut features = self.lane.seams.features.iter();
        features.try_fold(content, |content, it| it.worded(self, content, message))
    }

    /// Has the features act before a model call.
    pub(crate) fn before_call(&mut self) -> Result<(), SessionError> {
        let mut features = self.lane.seams.features.iter();
        features.try_for_each(|feature| feature.before_call(self))
    }

    /// Has the features look at a session that was loaded, unless something goes on.
    pub(super) fn rest_if_idle(&mut self) -> Result<(), SessionError> {
        let goes_on = self.view().state.has_job();
        if goes_on { Ok(()) } else { self.rest() }
    }

    /// Has the features look at the session between two turns.
    pub(crate) fn rest(&mut self) -> Result<(), SessionError> {
        let mut features = self.lane.seams.features.iter();
        features.try_for_each(|feature| feature.at_rest(self))
    }
}

/// The record that takes an item out of the queue, into a turn.
fn taken(item: QueueItem, source: MessageSource, turn_id: TurnId) -> EventDraft {
    let author = item.client_id;
    let queue_item_id = Some(item.queue_item_id);
    let QueueItemMeta {
        custom,
        runtime_id,
        channel,
        mode,
    } = item.meta.unwrap_or_default();
    let content = item.content;
    let meta = Meta {
        source: Some(source),
        runtime_id,
        channel: channel.as_ref().map(|it| Box::new(it.into())),
        mode,
        ..Meta::default()
    };
    let message = match &custom {
        Some(custom) if custom.internal => Message::Internal(InternalMessage { content, meta }),
        _ => Message::User(UserMessage { content, meta }),
    };
    let body = match custom {
        Some(custom) => PersistentBody::CustomMessage(CustomMessageBody {
            kind: custom.kind,
            message,
            data: custom.data,
            queue_item_id,
        }),
        None => PersistentBody::Message(MessageBody {
            queue_item_id,
            ..MessageBody::new(message)
        }),
    };
    EventDraft::new(body).in_turn(turn_id).authored_by(author)
}

fn queue_bytes(items: &[QueueItem]) -> usize {
    items.iter().map(encoded_len).sum()
}

/// The length of something as JSON, in bytes.
pub(crate) fn encoded_len(part: &impl Serialize) -> usize {
    serde_json::to_vec(part).map_or(0, |json| json.len())
}
