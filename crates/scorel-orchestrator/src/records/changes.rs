use std::collections::BTreeMap;

use scorel_proto::{
    AgentTaskId, AgentTaskMetadata, AgentTaskQuestion, AgentTaskStamp, AgentTaskStatus, BlobHash,
    DeliveredVia, EventId, PersistentBody, RuntimeBoundSessionBody, RuntimeFinishedBody,
    RuntimeQueueChangedBody, RuntimeResultDeliveredBody, RuntimeStatusChangedBody,
    RuntimeSummaryUpdatedBody, Seq,
};

use scorel_session::{Mutation, MutationCommand, ReceiptAnswer, Section, SessionError};

use super::{commit, known, stamp};

/// A change of a runtime's status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentTaskChange {
    pub(crate) status: AgentTaskStatus,
    /// The question that its session asks.
    pub(crate) waiting_for: Option<AgentTaskQuestion>,
    /// Set once it is to end.
    pub(crate) stopping: bool,
    /// Its effect, and the event that says so.
    pub(crate) summary: Option<(String, EventId)>,
}

impl AgentTaskChange {
    pub(crate) const fn to(status: AgentTaskStatus) -> Self {
        Self {
            status,
            waiting_for: None,
            stopping: false,
            summary: None,
        }
    }
}

/// The end of a runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentTaskEnding {
    /// Final.
    pub(crate) status: AgentTaskStatus,
    /// For people.
    pub(crate) reason: String,
    pub(crate) last_message: String,
    /// The whole of it, if that is longer.
    pub(crate) blob: Option<BlobHash>,
    pub(crate) metadata: AgentTaskMetadata,
}

impl AgentTaskEnding {
    /// The record of the end.
    pub(crate) fn body(self, stamp: AgentTaskStamp) -> RuntimeFinishedBody {
        RuntimeFinishedBody {
            stamp,
            final_status: self.status,
            ended_at: stamp.timestamp,
            reason: self.reason,
            last_message: self.last_message,
            last_message_blob: self.blob,
            metadata: self.metadata,
        }
    }

    /// The end of a runtime that was stopped while it waited.
    pub(crate) fn before_it_began() -> Self {
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AgentTaskPlaces {
    pub(crate) agent_type: String,
    /// The number that waits there, those of other sessions included.
    pub(crate) queued: u32,
    /// The places, from 1.
    pub(crate) places: BTreeMap<AgentTaskId, u32>,
}

/// `moveRuntime`.
#[derive(Debug)]
pub(crate) struct MoveAgentTasks {
    pub(crate) command: MutationCommand,
    /// The one that the client moves.
    pub(crate) id: AgentTaskId,
    pub(crate) places: AgentTaskPlaces,
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
        if known(section, self.id)?.status != AgentTaskStatus::Queued {
            let text = format!("runtime {} does not wait", self.id);
            return Err(SessionError::Conflict(text));
        }
        let moved = place(section, &self.places, Some((self.id, &self.command)))?;
        moved.ok_or_else(|| SessionError::Conflict(format!("runtime {} has no place", self.id)))
    }
}

/// Records that the session of a runtime exists.
pub(crate) fn bind(section: &mut Section<'_>, id: AgentTaskId) -> Result<(), SessionError> {
    let runtime = known(section, id)?;
    let Some(session_id) = runtime.session_id.filter(|_| !runtime.bound) else {
        return Ok(());
    };
    let stamp = stamp(section, id, runtime.status);
    let body = RuntimeBoundSessionBody { stamp, session_id };
    commit(section, PersistentBody::RuntimeBoundSession(body), None)?;
    Ok(())
}

/// Records a change of a runtime's status, unless the runtime has ended.
pub(crate) fn change_status(
    section: &mut Section<'_>,
    id: AgentTaskId,
    change: &AgentTaskChange,
) -> Result<(), SessionError> {
    let runtime = known(section, id)?;
    if runtime.status.is_final() {
        return Ok(());
    }
    let is_same = runtime.status == change.status
        && runtime.waiting_for == change.waiting_for
        && (runtime.stopping || !change.stopping);
    match &change.summary {
        Some((summary, source)) if is_same => summarise(section, id, summary, *source),
        _ if is_same => Ok(()),
        _ => write_change(section, id, change, None).map(drop),
    }
}

pub(super) fn write_change(
    section: &mut Section<'_>,
    id: AgentTaskId,
    change: &AgentTaskChange,
    command: Option<&MutationCommand>,
) -> Result<Option<Seq>, SessionError> {
    let body = RuntimeStatusChangedBody {
        stamp: stamp(section, id, change.status),
        summary: change.summary.as_ref().map(|(text, _)| text.clone()),
        waiting_for: change.waiting_for.clone(),
        stopping: change.stopping,
    };
    commit(section, PersistentBody::RuntimeStatusChanged(body), command).map(Some)
}

fn summarise(
    section: &mut Section<'_>,
    id: AgentTaskId,
    summary: &str,
    source_event: EventId,
) -> Result<(), SessionError> {
    let runtime = known(section, id)?;
    if runtime.summary.as_deref() == Some(summary) {
        return Ok(());
    }
    let body = RuntimeSummaryUpdatedBody {
        stamp: stamp(section, id, runtime.status),
        summary: summary.to_owned(),
        source_event,
    };
    commit(section, PersistentBody::RuntimeSummaryUpdated(body), None)?;
    Ok(())
}

/// One record for all that have another place, or none. It is also for the one that a command moves:
/// without a record a repetition would undo what others did meanwhile.
pub(crate) fn place(
    section: &mut Section<'_>,
    places: &AgentTaskPlaces,
    by: Option<(AgentTaskId, &MutationCommand)>,
) -> Result<Option<Seq>, SessionError> {
    let wanted = by.map(|(id, _)| id);
    let view = section.view();
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
        stamp: stamp(section, first, AgentTaskStatus::Queued),
        agent_type: places.agent_type.clone(),
        queue_position,
        queued_count: places.queued,
        positions: moved,
    };
    let command = by.map(|(_, command)| command);
    commit(section, PersistentBody::RuntimeQueueChanged(body), command).map(Some)
}

/// Records the end of a runtime, unless it has one.
pub(crate) fn finish(
    section: &mut Section<'_>,
    id: AgentTaskId,
    ending: AgentTaskEnding,
    command: Option<&MutationCommand>,
) -> Result<Option<Seq>, SessionError> {
    let runtime = known(section, id)?;
    if runtime.finished_seq.is_some() {
        return Ok(None);
    }
    let stamp = stamp(section, id, ending.status);
    let mut body = ending.body(stamp);
    body.metadata.duration_ms = stamp.timestamp.saturating_sub(runtime.started_at);
    commit(section, PersistentBody::RuntimeFinished(body), command).map(Some)
}

/// Records that the model has the result of a runtime, once it has.
pub(crate) fn record_delivery(
    section: &mut Section<'_>,
    id: AgentTaskId,
) -> Result<(), SessionError> {
    let runtime = known(section, id)?;
    let Some(event_id) = runtime.delivered.filter(|_| !runtime.delivery_recorded) else {
        return Ok(());
    };
    let body = RuntimeResultDeliveredBody {
        stamp: stamp(section, id, runtime.status),
        event_id,
        via: runtime.delivered_via.unwrap_or(DeliveredVia::Message),
    };
    commit(section, PersistentBody::RuntimeResultDelivered(body), None)?;
    Ok(())
}
