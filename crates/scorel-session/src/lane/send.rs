//! Saying something in a session.

use std::sync::Arc;

use scorel_journal::MAX_RECORD;
use scorel_proto::{
    Block, ClientId, EventId, Message, MessageBody, MessageSource, Meta, PersistentBody, Phase,
    QueueItem, QueueItemId, QueueKind, QueueOp, QueueUpdateBody, SendMessageResult, Seq,
    SessionChanges, SessionInfoBody, TurnId, UserMessage, WhileRunning,
};
use serde::Serialize;

use super::{Draft, Lane, LaneState};
use crate::receipts::Answer;
use crate::{Command, SessionError, turn};

/// How many bytes the waiting messages of a session may have together. A single one may be larger.
const MAX_QUEUE_BYTES: usize = 4 * 1024 * 1024;

/// No more bytes than this stand around a message in its record.
const ENVELOPE: usize = 4096;

/// A message to a session.
#[derive(Debug, Clone)]
pub struct SendRequest {
    /// Who says it, and the receipt.
    pub command: Command,
    /// What is said; not empty.
    pub content: Vec<Block>,
    /// What to do while a turn runs or messages wait.
    pub while_running: WhileRunning,
    /// The event that it follows, if not the active leaf.
    pub parent_event_id: Option<Option<EventId>>,
    /// The active leaf that the caller has seen.
    pub expected_leaf_id: Option<Option<EventId>>,
    /// A model for the session from now on.
    pub model: Option<String>,
}

impl Lane {
    /// Accepts a message. It is durable when this returns.
    ///
    /// # Errors
    ///
    /// See [`SessionError`]; nothing has changed then. Only if the disk fails between the record of
    /// another model and that of the message, the session has the model and not the message.
    pub async fn send(
        self: &Arc<Self>,
        request: SendRequest,
    ) -> Result<SendMessageResult, SessionError> {
        self.section(move |lane, state| lane.accept(state, request))
            .await?
    }

    fn accept(
        self: &Arc<Self>,
        state: &mut LaneState,
        request: SendRequest,
    ) -> Result<SendMessageResult, SessionError> {
        state.check_exists()?;
        if let Some(Answer::Sent(answer)) = state.receipts.find(&request.command)? {
            return Ok(answer.clone());
        }
        state.check_usable()?;
        if self.shared.is_draining() {
            return Err(SessionError::ShuttingDown);
        }
        check_leaf(state, request.expected_leaf_id)?;
        // Known to the next daemon before there is something that needs it.
        let entered = self.shared.active.enter(self.id());
        entered.map_err(|error| SessionError::Stalled(error.to_string()))?;
        let busy = state.view.state.turn.is_some() || !state.view.state.queue.items.is_empty();
        if busy {
            self.queue(state, request)
        } else {
            self.start(state, request)
        }
    }

    /// An idle session: the message starts a turn.
    fn start(
        self: &Arc<Self>,
        state: &mut LaneState,
        request: SendRequest,
    ) -> Result<SendMessageResult, SessionError> {
        if let Some(Some(parent)) = request.parent_event_id
            && !state.view.tree.is_turn_end(parent)
        {
            return Err(SessionError::InvalidEvent(format!(
                "{parent} is not the last event of a finished turn of this session"
            )));
        }
        let turn_id = TurnId::generate();
        let message = user_message(request.content, None);
        self.choose_model(state, &request.command, request.model, &message)?;
        let body = PersistentBody::Message(MessageBody {
            message,
            queue_item_id: None,
        });
        let mut draft = Draft::new(body).in_turn(turn_id).by(&request.command);
        if let Some(parent) = request.parent_event_id {
            draft = draft.after(parent);
        }
        let event = self.commit(state, draft)?;
        self.begin_turn(state, turn_id);
        Ok(SendMessageResult::Accepted {
            user_event_id: event.id,
            turn_id,
            seq: event.seq,
        })
    }

    /// A busy session: the message waits.
    fn queue(
        self: &Arc<Self>,
        state: &mut LaneState,
        request: SendRequest,
    ) -> Result<SendMessageResult, SessionError> {
        let phase = self.phase_of(state);
        if request.parent_event_id.is_some() {
            return Err(SessionError::Busy(phase));
        }
        match request.while_running {
            WhileRunning::FollowUp => {}
            WhileRunning::Steer => {
                let text = "steering a running turn is not part of this version";
                return Err(SessionError::Unsupported(text.to_owned()));
            }
            WhileRunning::Reject if phase == Phase::Idle && state.view.state.queue.paused => {
                return Err(SessionError::QueuePaused);
            }
            WhileRunning::Reject => return Err(SessionError::Busy(phase)),
        }
        let limit = self.shared.settings.max_queue;
        let position = state.view.state.queue.items.len();
        if position >= limit {
            return Err(SessionError::QueueFull { limit });
        }
        let queue_item_id = QueueItemId::generate();
        let command = request.command.clone();
        let item = queue_item(queue_item_id, request.command, request.content);
        check_queue_bytes(&state.view.state.queue.items, &item)?;
        self.choose_model(state, &command, request.model, &item)?;
        let seq = self.update_queue(state, item.client_id, vec![QueueOp::Add { item }])?;
        state.lift_pause |= self.turn.is_cancelling();
        // The message is accepted, whatever becomes of this.
        self.go_on(state);
        let position = u32::try_from(position).unwrap_or(u32::MAX);
        Ok(SendMessageResult::Queued {
            queue: WhileRunning::FollowUp,
            queue_item_id,
            position,
            seq,
        })
    }

    /// Writes that the session has another model from now on, if it does and `message`, which comes
    /// next, fits into a record.
    fn choose_model(
        &self,
        state: &mut LaneState,
        command: &Command,
        model: Option<String>,
        message: &impl Serialize,
    ) -> Result<(), SessionError> {
        if model.is_none() || model == state.view.state.model {
            return Ok(());
        }
        if encoded_len(message) + ENVELOPE > MAX_RECORD {
            return Err(SessionError::TooLarge {
                limit: MAX_RECORD as u64,
            });
        }
        let changes = SessionChanges {
            model,
            ..SessionChanges::default()
        };
        let body = PersistentBody::SessionInfo(SessionInfoBody { changes });
        self.commit(state, Draft::new(body).said_by(command.client_id))?;
        Ok(())
    }

    /// Writes changes of the queue that somebody made; returns the record's number.
    pub(crate) fn update_queue(
        &self,
        state: &mut LaneState,
        client_id: ClientId,
        ops: Vec<QueueOp>,
    ) -> Result<Seq, SessionError> {
        let version = state.view.state.queue.version + 1;
        let body = PersistentBody::QueueUpdate(QueueUpdateBody { version, ops });
        let seq = self.commit(state, Draft::new(body).said_by(client_id))?.seq;
        self.announce(state);
        Ok(seq)
    }

    /// Makes the first waiting message a turn, if no turn is open, messages wait, the queue is not
    /// paused and the daemon is not stopping.
    pub(crate) fn start_next(self: &Arc<Self>, state: &mut LaneState) -> Result<(), SessionError> {
        if state.view.state.turn.is_some() || self.shared.is_draining() {
            return Ok(());
        }
        // Damage that was found while the last turn ran is accepted before the next one.
        self.look_again(state);
        let queue = &state.view.state.queue;
        let Some(item) = queue.items.first().filter(|_| !queue.paused).cloned() else {
            return Ok(());
        };
        let turn_id = TurnId::generate();
        let message = user_message(item.content, Some(MessageSource::FollowUp));
        let queue_item_id = Some(item.queue_item_id);
        let body = PersistentBody::Message(MessageBody {
            message,
            queue_item_id,
        });
        self.commit(
            state,
            Draft::new(body).in_turn(turn_id).said_by(item.client_id),
        )?;
        self.begin_turn(state, turn_id);
        Ok(())
    }

    /// The turn's first record is durable: its task starts.
    pub(crate) fn begin_turn(self: &Arc<Self>, state: &LaneState, turn_id: TurnId) {
        let running = self.turn.begin(turn_id);
        // Whoever stops the daemon has either seen this turn or been seen by it.
        if self.shared.is_draining() {
            running.interrupt();
        }
        self.announce(state);
        turn::spawn(Arc::clone(self), running);
    }
}

fn check_leaf(state: &LaneState, expected: Option<Option<EventId>>) -> Result<(), SessionError> {
    match expected {
        Some(leaf) if leaf != state.view.leaf() => Err(SessionError::Conflict(
            "the conversation has moved on".to_owned(),
        )),
        _ => Ok(()),
    }
}

/// The queue is part of the session's description, which must fit into one answer.
fn check_queue_bytes(items: &[QueueItem], new: &QueueItem) -> Result<(), SessionError> {
    let waiting: usize = items.iter().map(encoded_len).sum();
    if !items.is_empty() && waiting + encoded_len(new) > MAX_QUEUE_BYTES {
        let limit = MAX_QUEUE_BYTES;
        return Err(SessionError::QueueTooLarge { limit });
    }
    Ok(())
}

fn encoded_len(part: &impl Serialize) -> usize {
    serde_json::to_vec(part).map_or(0, |json| json.len())
}

fn user_message(content: Vec<Block>, source: Option<MessageSource>) -> Message {
    Message::User(UserMessage {
        content,
        meta: Meta {
            source,
            provider: None,
        },
    })
}

fn queue_item(queue_item_id: QueueItemId, command: Command, content: Vec<Block>) -> QueueItem {
    let client_id: ClientId = command.client_id;
    QueueItem {
        queue_item_id,
        kind: QueueKind::FollowUp,
        content,
        client_id,
        digest: command.id.is_some().then_some(command.digest),
        command_id: command.id,
    }
}
