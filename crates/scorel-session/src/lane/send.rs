use std::io;

use scorel_journal::{MAX_RECORD, is_out_of_descriptors};
use scorel_proto::{
    Block, ChannelSource, ClientId, EventId, Message, MessageBody, Meta, PersistentBody, Phase,
    QueueItemMeta, QueueKind, RunMode, SendMessageResult, SessionChanges, SessionInfoBody, TurnId,
    UserMessage, WhileRunning,
};
use serde::Serialize;

use super::mutate::Mutation;
use super::queue::encoded_len;
use super::{EventDraft, JobName, OpeningMessage, Section};
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError};

/// An upper bound for everything in a record that is not its message, in bytes.
const ENVELOPE: usize = 4096;

/// `sendMessage`: durable once carried out; the turn runs on its own.
///
/// If the log fails between the record of another model and that of the message, the session keeps the model.
#[derive(Debug, Clone)]
pub struct SendRequest {
    pub command: MutationCommand,
    /// Not empty.
    pub content: Vec<Block>,
    pub while_running: WhileRunning,
    /// Where the message attaches, if not at the active leaf. The inner `None` is the root.
    pub parent_event_id: Option<Option<EventId>>,
    /// The active leaf that the caller has seen.
    pub expected_leaf_id: Option<Option<EventId>>,
    /// Becomes the session's model.
    pub model: Option<String>,
    /// Becomes what runs the session's turns.
    pub runner: Option<String>,
    /// The purpose of this message alone, in a session that has a run. Such a message waits for a turn of its own.
    pub mode: Option<RunMode>,
    /// The channel that it comes through. Such a message waits for a turn of its own.
    pub channel: Option<ChannelSource>,
}

impl Mutation for SendRequest {
    type Reply = SendMessageResult;

    fn command(&self) -> Option<&MutationCommand> {
        Some(&self.command)
    }

    fn repeat(&self, answer: &ReceiptAnswer, _: &Section<'_>) -> Option<Self::Reply> {
        answer.sent()
    }

    /// A busy session queues a message, unless that is to be refused or to attach elsewhere.
    fn check_busy(&self, section: &Section<'_>) -> Result<(), SessionError> {
        if !section.is_busy() {
            return Ok(());
        }
        let phase = section.published().phase();
        if self.parent_event_id.is_some() {
            return Err(section.busy());
        }
        match self.while_running {
            WhileRunning::FollowUp | WhileRunning::Steer => Ok(()),
            WhileRunning::Reject if phase == Phase::Idle && section.view().state.queue.paused => {
                Err(SessionError::QueuePaused)
            }
            WhileRunning::Reject => Err(section.busy()),
        }
    }

    fn check_expected(&self, section: &Section<'_>) -> Result<(), SessionError> {
        if section.view().state.archived {
            return Err(SessionError::Archived);
        }
        if self.mode.is_some() && section.view().state.run.is_none() {
            let text = "`mode` is for sessions that have a run of a workflow".to_owned();
            return Err(SessionError::InvalidParams(text));
        }
        if let Some(expected) = self.expected_leaf_id {
            section.check_leaf(expected)?;
        }
        let Some(parent) = self.parent_event_id else {
            return Ok(());
        };
        section.published().check_target(parent)?;
        // On another branch nothing was summarised by the active one.
        if section.is_on_path(parent) {
            section.check_not_summarised(parent)?;
        }
        Ok(())
    }

    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        // On the active list, durably, before the record that needs it: the next daemon loads only
        // the sessions on the list, and would not see this message otherwise.
        section.enter_active()?;
        if section.is_busy() {
            section.queue_message(self)
        } else {
            section.start_turn(self)
        }
    }
}

impl Section<'_> {
    /// Set while a job runs or messages wait.
    pub(super) fn is_busy(&self) -> bool {
        let view = self.view();
        let fold = &view.state;
        fold.has_job() || !fold.queue.items.is_empty()
    }

    /// Puts the session on the list of those that the next daemon loads at its start. To be called before the
    /// record that needs it.
    ///
    /// # Errors
    ///
    /// [`SessionError::Stalled`] or [`SessionError::OutOfDescriptors`] if the list cannot be written.
    pub fn enter_active(&self) -> Result<(), SessionError> {
        let entered = self.lane.shared.active.enter(self.lane.id());
        entered.map_err(|error| self.not_ready(&error))
    }

    /// A file of the home that has to be written before a record cannot be.
    pub(super) fn not_ready(&self, error: &io::Error) -> SessionError {
        let reason = error.to_string();
        if is_out_of_descriptors(error) {
            self.lane.shared.descriptors_wanted.notify_one();
            SessionError::OutOfDescriptors(reason)
        } else {
            SessionError::Stalled(reason)
        }
    }

    fn start_turn(&mut self, mut request: SendRequest) -> Result<SendMessageResult, SessionError> {
        let turn_id = TurnId::generate();
        let opening = OpeningMessage {
            is_typed: true,
            mode: request.mode,
            is_elsewhere: request
                .parent_event_id
                .is_some_and(|it| it != self.view().leaf()),
        };
        request.content = self.worded(request.content, opening)?;
        let meta = Meta {
            mode: request.mode,
            channel: request.channel.as_ref().map(|it| Box::new(it.into())),
            ..Meta::default()
        };
        let message = Message::User(UserMessage {
            content: request.content,
            meta,
        });
        self.choose(&request.command, (request.model, request.runner), &message)?;
        let body = PersistentBody::Message(MessageBody::new(message));
        let mut draft = EventDraft::new(body).in_turn(turn_id).by(&request.command);
        draft.parent = request.parent_event_id;
        self.tell_source(request.channel, request.command.client_id)?;
        let leaf = self.view().leaf();
        let event = self.commit_first(draft, JobName::Turn(turn_id))?;
        if event.parent_id != leaf {
            self.leaf_moved();
        }
        self.begin_turn(turn_id);
        Ok(SendMessageResult::Accepted {
            user_event_id: event.id,
            turn_id,
            seq: event.seq,
        })
    }

    fn queue_message(&mut self, request: SendRequest) -> Result<SendMessageResult, SessionError> {
        let position = self.queue_position()?;
        let command = request.command.clone();
        let kind = match request.while_running {
            // The running turn has rights and a purpose of its own, which are not those of the message.
            WhileRunning::Steer if request.channel.is_none() && request.mode.is_none() => {
                self.queued_as(QueueKind::Steer)
            }
            _ => QueueKind::FollowUp,
        };
        let mut item = request.command.queue_item(kind, request.content);
        let meta = QueueItemMeta {
            channel: request.channel,
            mode: request.mode,
            ..QueueItemMeta::default()
        };
        item.meta = (meta != QueueItemMeta::default()).then_some(meta);
        self.check_queue_bytes(&item)?;
        self.choose(&command, (request.model, request.runner), &item)?;
        let queue_item_id = item.queue_item_id;
        let seq = self.enqueue(item)?;
        self.go_on();
        Ok(SendMessageResult::Queued {
            queue: kind,
            queue_item_id,
            position: u32::try_from(position).unwrap_or(u32::MAX),
            seq,
        })
    }

    /// Records the channel that the next message comes through. If that message is not recorded then, this stays
    /// without a meaning: a message names its channel itself.
    pub(super) fn tell_source(
        &mut self,
        channel: Option<ChannelSource>,
        author: ClientId,
    ) -> Result<(), SessionError> {
        let Some(channel) = channel else {
            return Ok(());
        };
        let body = PersistentBody::ChannelInject(channel.into());
        self.commit(EventDraft::new(body).authored_by(author))
            .map(drop)
    }

    /// Records another model or runner for the session, before `message`.
    fn choose(
        &mut self,
        command: &MutationCommand,
        (model, runner): (Option<String>, Option<String>),
        message: &impl Serialize,
    ) -> Result<(), SessionError> {
        let (model, runner) = {
            let view = self.view();
            let state = &view.state;
            let other = |name: &String| name != state.runner_name();
            (
                model.filter(|name| Some(name) != state.model.as_ref()),
                runner.filter(other),
            )
        };
        if model.is_none() && runner.is_none() {
            return Ok(());
        }
        // Checked before the model is recorded: a message that is refused afterwards would leave the
        // session with its model.
        if encoded_len(message) + ENVELOPE > MAX_RECORD {
            return Err(SessionError::TooLarge {
                limit: MAX_RECORD as u64,
            });
        }
        let ends_wait = model.is_some();
        let changes = SessionChanges {
            model,
            runner,
            ..SessionChanges::default()
        };
        let body = PersistentBody::SessionInfo(SessionInfoBody { changes });
        self.commit(EventDraft::new(body).authored_by(command.client_id))?;
        if ends_wait {
            self.end_wait(command.client_id)?;
        }
        Ok(())
    }
}
