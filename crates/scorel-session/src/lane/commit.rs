//! The one way in which events come into being: number, write, fold, publish.

use bytes::Bytes;
use scorel_journal::{AppendError, Appended, Journal};
use scorel_proto::{
    ClientId, CommandId, EndReason, ErrorChain, EventId, PersistentBody, PersistentEvent, Place,
    Seq, SeqReserveBody, TransientBody, TransientEvent, TurnId,
};

use super::{Lane, LaneState};
use crate::clock::now_ms;
use crate::{Command, SessionError};

/// A persistent event without its number and its place in the tree.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) id: EventId,
    pub(crate) client_id: ClientId,
    pub(crate) turn_id: Option<TurnId>,
    command_id: Option<CommandId>,
    digest: Option<String>,
    /// Where it attaches, if not at the active leaf.
    parent: Option<Option<EventId>>,
    pub(crate) body: PersistentBody,
}

impl Draft {
    /// An event of the daemon's own.
    pub(crate) fn new(body: PersistentBody) -> Self {
        Self {
            id: EventId::generate(),
            client_id: ClientId::Daemon,
            turn_id: None,
            command_id: None,
            digest: None,
            parent: None,
            body,
        }
    }

    pub(crate) fn with_id(mut self, id: EventId) -> Self {
        self.id = id;
        self
    }

    pub(crate) fn in_turn(mut self, turn_id: TurnId) -> Self {
        self.turn_id = Some(turn_id);
        self
    }

    /// Names the command that the event carries out: the event is its receipt.
    pub(crate) fn by(mut self, command: &Command) -> Self {
        self.client_id = command.client_id;
        self.command_id.clone_from(&command.id);
        self.digest = command.id.is_some().then(|| command.digest.clone());
        self
    }

    pub(crate) fn said_by(mut self, client_id: ClientId) -> Self {
        self.client_id = client_id;
        self
    }

    /// Attaches the event somewhere else than at the active leaf.
    pub(crate) fn after(mut self, parent: Option<EventId>) -> Self {
        self.parent = Some(parent);
        self
    }
}

impl Lane {
    /// Makes an event durable, folds it and shows it. On an error nothing of it exists.
    pub(crate) fn commit(
        &self,
        state: &mut LaneState,
        draft: Draft,
    ) -> Result<PersistentEvent, SessionError> {
        let (event, record) = self.write(state, draft)?;
        self.publish(state, &event, &record);
        Ok(event)
    }

    /// Makes an event durable and shows it right behind `shown`. On an error neither exists, so
    /// trying again repeats nothing.
    pub(crate) fn commit_behind(
        &self,
        state: &mut LaneState,
        turn_id: TurnId,
        shown: TransientBody,
        draft: Draft,
    ) -> Result<(), SessionError> {
        state.check_usable()?;
        let seq = self.transient_seq(state, turn_id)?;
        let shown = self.transient(seq, turn_id, shown);
        let (event, record) = self.write(state, draft)?;
        self.publish_transient(state, &shown);
        self.publish(state, &event, &record);
        Ok(())
    }

    fn write(
        &self,
        state: &mut LaneState,
        draft: Draft,
    ) -> Result<(PersistentEvent, Appended), SessionError> {
        state.check_usable()?;
        let mut event = self.event(state, draft);
        let mut append = |journal: &mut Journal| {
            journal.append(|seq| {
                event.seq = seq;
                serde_json::to_vec(&event)
            })
        };
        let mut appended = append(state.journal()?);
        if matches!(appended, Err(AppendError::Failed(_))) && self.move_to_copy(state) {
            appended = append(state.journal()?);
        }
        match appended {
            Ok(record) => {
                event.prev = Some(record.prev());
                Ok((event, record))
            }
            Err(error) => Err(self.append_failed(state, error)),
        }
    }

    /// After a failed sync nobody knows what the disk has of the file. What was published is copied
    /// to a new one, and the session goes on there.
    fn move_to_copy(&self, state: &mut LaneState) -> bool {
        match state.log.writable().map(Journal::recover_by_copy) {
            None => false,
            Some(Ok(())) => {
                tracing::warn!(session = %self.id(), "the log was moved to a copy of itself");
                true
            }
            Some(Err(error)) => {
                tracing::error!(session = %self.id(), %error, "the log could not be copied");
                false
            }
        }
    }

    fn publish(&self, state: &mut LaneState, event: &PersistentEvent, record: &Appended) {
        state.index.push(record.place());
        state.view.apply_persistent(event);
        state
            .receipts
            .apply(event, state.view.state.queue.items.len());
        state.spool.recorded(event.id, &event.body);
        self.feed.publish(record);
    }

    fn event(&self, state: &LaneState, draft: Draft) -> PersistentEvent {
        let parent_id = match draft.body.place() {
            Place::Control => None,
            _ => draft.parent.unwrap_or_else(|| state.view.leaf()),
        };
        PersistentEvent {
            id: draft.id,
            parent_id,
            seq: Seq::ZERO,
            session_id: self.id(),
            client_id: draft.client_id,
            ts: now_ms(),
            turn_id: draft.turn_id,
            command_id: draft.command_id,
            digest: draft.digest,
            origin: None,
            body: draft.body,
            prev: None,
        }
    }

    /// A full disk passes; anything that leaves the file in doubt ends the session's writing.
    fn append_failed(&self, state: &mut LaneState, error: AppendError) -> SessionError {
        if !matches!(error, AppendError::Failed(_) | AppendError::Foreign(_)) {
            return error.into();
        }
        let reason = ErrorChain(&error).to_string();
        tracing::error!(session = %self.id(), %reason, "the log cannot be written any more");
        let failure = state.failure(&reason);
        state.failed = Some(reason);
        self.announce(state);
        self.feed.end(EndReason::Failed);
        failure
    }

    /// Shows an event that is not kept. May have to write a record first, when the reserved
    /// numbers are used up; see [`Lane::try_show`] for callers that must not wait.
    pub(crate) fn show(
        &self,
        state: &mut LaneState,
        turn_id: TurnId,
        body: TransientBody,
    ) -> Result<(), SessionError> {
        let seq = self.transient_seq(state, turn_id)?;
        self.publish_transient(state, &self.transient(seq, turn_id, body));
        Ok(())
    }

    /// Shows an event that is not kept, or gives it back if a record must be written first.
    pub(crate) fn try_show(
        &self,
        state: &mut LaneState,
        turn_id: TurnId,
        body: TransientBody,
    ) -> Option<TransientBody> {
        let journal = state.log.writable();
        let Some(seq) = journal.and_then(|journal| journal.next_transient().ok()) else {
            return Some(body);
        };
        self.publish_transient(state, &self.transient(seq, turn_id, body));
        None
    }

    fn transient_seq(&self, state: &mut LaneState, turn_id: TurnId) -> Result<Seq, SessionError> {
        if let Ok(seq) = state.journal()?.next_transient() {
            return Ok(seq);
        }
        let reserve = PersistentBody::SeqReserve(SeqReserveBody {});
        self.commit(state, Draft::new(reserve).in_turn(turn_id))?;
        let seq = state.journal()?.next_transient();
        seq.map_err(|error| SessionError::Internal(error.to_string()))
    }

    fn transient(&self, seq: Seq, turn_id: TurnId, body: TransientBody) -> TransientEvent {
        TransientEvent {
            seq,
            session_id: self.id(),
            client_id: ClientId::Daemon,
            ts: now_ms(),
            turn_id: Some(turn_id),
            body,
        }
    }

    fn publish_transient(&self, state: &mut LaneState, event: &TransientEvent) {
        state.view.apply_transient(event);
        if let Some(turn_id) = event.turn_id {
            state.spool.note(turn_id, &event.body);
        }
        let json = serde_json::to_vec(event).expect("an event has only string keys");
        self.feed.publish_transient(event.seq, Bytes::from(json));
    }
}
