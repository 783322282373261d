use std::collections::BTreeMap;

use scorel_proto::{
    AgentTaskId, AgentTaskMetadata, AgentTaskQuestion, AgentTaskStatus, BlobHash, DeliveredVia,
    EventId, PersistentBody, RuntimeBoundSessionBody, RuntimeFinishedBody, RuntimeQueueChangedBody,
    RuntimeResultDeliveredBody, RuntimeStatusChangedBody, RuntimeSummaryUpdatedBody, Seq,
};

use crate::lane::mutate::Mutation;
use crate::lane::{EventDraft, Section};
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError};

/// A change of a runtime's status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentTaskChange {
    pub status: AgentTaskStatus,
    /// The question that its session asks.
    pub waiting_for: Option<AgentTaskQuestion>,
    /// Whether it is to end.
    pub stopping: bool,
    /// What it does, and the event that says so.
    pub summary: Option<(String, EventId)>,
}

impl AgentTaskChange {
    #[must_use]
    pub const fn to(status: AgentTaskStatus) -> Self {
        Self {
            status,
            waiting_for: None,
            stopping: false,
            summary: None,
        }
    }
}

/// How a runtime ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentTaskEnding {
    /// Final.
    pub status: AgentTaskStatus,
    /// For people.
    pub reason: String,
    pub last_message: String,
    /// The whole of it, if that is longer.
    pub blob: Option<BlobHash>,
    pub metadata: AgentTaskMetadata,
}

impl AgentTaskEnding {
    /// The end of a runtime that was stopped while it waited.
    #[must_use]
    pub fn before_it_began() -> Self {
        Self {
            status: AgentTaskStatus::Interrupted,
            reason: "stopped before it began".to_owned(),
            last_message: String::new(),
            blob: None,
            metadata: AgentTaskMetadata::default(),
        }
    }
}

/// The places of a session's runtimes in one queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentTaskPlaces {
    pub agent_type: String,
    /// How many wait there, those of other sessions included.
    pub queued: u32,
    /// The places, from 1.
    pub places: BTreeMap<AgentTaskId, u32>,
}

/// `moveRuntime`.
#[derive(Debug)]
pub(super) struct MoveAgentTasks {
    pub(super) command: MutationCommand,
    /// The one that the client moves.
    pub(super) id: AgentTaskId,
    pub(super) places: AgentTaskPlaces,
}

impl Mutation for MoveAgentTasks {
    type Reply = Seq;

    fn command(&self) -> Option<&MutationCommand> {
        Some(&self.command)
    }

    fn repeat(&self, answer: &ReceiptAnswer, _: &Section<'_>) -> Option<Self::Reply> {
        answer.done()
    }

    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        if section.known_runtime(self.id)?.status != AgentTaskStatus::Queued {
            let text = format!("runtime {} does not wait", self.id);
            return Err(SessionError::Conflict(text));
        }
        let moved = section.place_runtimes(&self.places, Some((self.id, &self.command)))?;
        moved.ok_or_else(|| SessionError::Conflict(format!("runtime {} has no place", self.id)))
    }
}

impl Section<'_> {
    pub(super) fn bind_runtime(&mut self, id: AgentTaskId) -> Result<(), SessionError> {
        let runtime = self.known_runtime(id)?;
        let Some(session_id) = runtime.session_id.filter(|_| !runtime.bound) else {
            return Ok(());
        };
        let stamp = self.stamp(id, runtime.status);
        let body = RuntimeBoundSessionBody { stamp, session_id };
        self.commit_runtime(PersistentBody::RuntimeBoundSession(body))?;
        Ok(())
    }

    /// Returns whether the runtime has not ended.
    pub(super) fn change_runtime(
        &mut self,
        id: AgentTaskId,
        change: &AgentTaskChange,
    ) -> Result<bool, SessionError> {
        let runtime = self.known_runtime(id)?;
        if runtime.status.is_final() {
            return Ok(false);
        }
        let is_same = runtime.status == change.status
            && runtime.waiting_for == change.waiting_for
            && (runtime.stopping || !change.stopping);
        match &change.summary {
            Some((summary, source)) if is_same => {
                self.summarise(id, summary, *source)?;
            }
            _ if is_same => {}
            _ => {
                self.change(id, change, None)?;
            }
        }
        Ok(true)
    }

    pub(super) fn change(
        &mut self,
        id: AgentTaskId,
        change: &AgentTaskChange,
        command: Option<&MutationCommand>,
    ) -> Result<Option<Seq>, SessionError> {
        let body = RuntimeStatusChangedBody {
            stamp: self.stamp(id, change.status),
            summary: change.summary.as_ref().map(|(text, _)| text.clone()),
            waiting_for: change.waiting_for.clone(),
            stopping: change.stopping,
        };
        self.commit_for(PersistentBody::RuntimeStatusChanged(body), command)
            .map(Some)
    }

    fn summarise(
        &mut self,
        id: AgentTaskId,
        summary: &str,
        source_event: EventId,
    ) -> Result<(), SessionError> {
        let runtime = self.known_runtime(id)?;
        if runtime.summary.as_deref() == Some(summary) {
            return Ok(());
        }
        let body = RuntimeSummaryUpdatedBody {
            stamp: self.stamp(id, runtime.status),
            summary: summary.to_owned(),
            source_event,
        };
        self.commit_runtime(PersistentBody::RuntimeSummaryUpdated(body))?;
        Ok(())
    }

    /// One record for all that have another place, or none. It is also for the one that a command moves:
    /// without a record a repetition would undo what others did meanwhile.
    pub(super) fn place_runtimes(
        &mut self,
        places: &AgentTaskPlaces,
        by: Option<(AgentTaskId, &MutationCommand)>,
    ) -> Result<Option<Seq>, SessionError> {
        let wanted = by.map(|(id, _)| id);
        let view = self.view();
        let runtimes = &view.state.runtimes;
        let has_moved = |(id, place): &(AgentTaskId, u32)| {
            runtimes.get(*id).is_some_and(|runtime| {
                runtime.status == AgentTaskStatus::Queued
                    && (wanted == Some(*id) || runtime.position != Some((*place, places.queued)))
            })
        };
        let all = places.places.iter().map(|(id, place)| (*id, *place));
        let mut moved = all
            .filter(has_moved)
            .map(|(id, place)| (id, (place, runtimes.next_version(id))))
            .collect::<BTreeMap<_, _>>();
        drop(view);
        let Some((first, (queue_position, _))) = moved.pop_first() else {
            return Ok(None);
        };
        let body = RuntimeQueueChangedBody {
            stamp: self.stamp(first, AgentTaskStatus::Queued),
            agent_type: places.agent_type.clone(),
            queue_position,
            queued_count: places.queued,
            positions: moved,
        };
        let command = by.map(|(_, command)| command);
        self.commit_for(PersistentBody::RuntimeQueueChanged(body), command)
            .map(Some)
    }

    pub(super) fn finish_runtime(
        &mut self,
        id: AgentTaskId,
        ending: AgentTaskEnding,
    ) -> Result<Option<Seq>, SessionError> {
        self.finish(id, ending, None)
    }

    pub(super) fn finish(
        &mut self,
        id: AgentTaskId,
        ending: AgentTaskEnding,
        command: Option<&MutationCommand>,
    ) -> Result<Option<Seq>, SessionError> {
        let runtime = self.known_runtime(id)?;
        if runtime.finished_seq.is_some() {
            return Ok(None);
        }
        let stamp = self.stamp(id, ending.status);
        let metadata = AgentTaskMetadata {
            duration_ms: stamp.timestamp.saturating_sub(runtime.started_at),
            ..ending.metadata
        };
        let body = RuntimeFinishedBody {
            stamp,
            final_status: ending.status,
            ended_at: stamp.timestamp,
            reason: ending.reason,
            last_message: ending.last_message,
            last_message_blob: ending.blob,
            metadata,
        };
        self.commit_for(PersistentBody::RuntimeFinished(body), command)
            .map(Some)
    }

    pub(super) fn record_delivery(&mut self, id: AgentTaskId) -> Result<(), SessionError> {
        let runtime = self.known_runtime(id)?;
        let Some(event_id) = runtime.delivered.filter(|_| !runtime.delivery_recorded) else {
            return Ok(());
        };
        let body = RuntimeResultDeliveredBody {
            stamp: self.stamp(id, runtime.status),
            event_id,
            via: runtime.delivered_via.unwrap_or(DeliveredVia::Message),
        };
        self.commit_runtime(PersistentBody::RuntimeResultDelivered(body))?;
        Ok(())
    }

    fn commit_for(
        &mut self,
        body: PersistentBody,
        command: Option<&MutationCommand>,
    ) -> Result<Seq, SessionError> {
        let Some(command) = command else {
            return self.commit_runtime(body);
        };
        let seq = self.commit(EventDraft::new(body).by(command))?.seq;
        self.announce();
        Ok(seq)
    }
}
