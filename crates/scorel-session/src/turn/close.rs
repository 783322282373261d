use scorel_engine::{StopCause, TurnEnd};
use scorel_proto::{
    CompactionState, EventId, MessageCancelReason, MessageCancelled, OpenTurn, OutcomeReason,
    PersistentBody, RuntimeEnd, RuntimeStart, TransientBody, TurnError, TurnId, TurnOutcomeBody,
};

use super::task::TurnTask;
use crate::SessionError;
use crate::compaction::interrupt_compaction;
use crate::lane::{EventDraft, Section};

impl TurnTask {
    /// Completes the turn, unless a steer waits for it: then the turn makes another model call. Returns whether
    /// it is completed.
    ///
    /// The last look at the queue and the outcome are one section: a steer that is accepted after it
    /// finds no turn, and one before it is read.
    pub(super) async fn complete(&self, end: TurnEnd) -> Result<bool, SessionError> {
        let task = self.clone();
        let title = self.title_request().await;
        let completed = self.lane.persist(move |section| {
            if section.view().state.queue.has_steers() {
                return Ok(false);
            }
            close(section, &task, &end)?;
            Ok(true)
        });
        let is_completed = completed.await?;
        if is_completed {
            self.make_title(title);
        }
        Ok(is_completed)
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.stop.cause() == Some(StopCause::Cancelled)
    }

    /// An answer may come to its end while a cancel is under way. The cancel was acknowledged, so it
    /// counts: the queue must not go on as if there had been none.
    fn reason(&self, end: &TurnEnd) -> OutcomeReason {
        match end.reason {
            OutcomeReason::Completed if self.is_cancelled() => OutcomeReason::Cancelled,
            reason => reason,
        }
    }

    /// Records the turn's outcome; waits for a log that cannot be written.
    pub(super) async fn close(&self, end: TurnEnd) {
        let lane = &self.lane;
        if end.reason == OutcomeReason::Interrupted && lane.published().is_waiting() {
            // Nothing was under way, so the next daemon continues the turn.
            lane.abandon_job();
            return;
        }
        let task = self.clone();
        // Before the outcome, while the window is sure to be held.
        let title = match end.reason {
            OutcomeReason::Completed => self.title_request().await,
            _ => None,
        };
        let closed = lane.persist(move |section| close(section, &task, &end));
        match closed.await {
            Ok(()) => self.make_title(title),
            Err(error) => {
                tracing::error!(session = %lane.id(), %error, "the turn has no outcome");
                lane.abandon_job();
            }
        }
    }
}

fn close(section: &mut Section<'_>, task: &TurnTask, end: &TurnEnd) -> Result<(), SessionError> {
    leave_nothing_open(section, task.turn_id, end.error.as_ref())?;
    section.close_job(|section| {
        // A repeated step may find that the outcome was recorded.
        if section.view().state.turn_id() == Some(task.turn_id) {
            commit_outcome(section, task, end)?;
        }
        section.rest()
    })
}

/// Closes what the engine did not: it leaves nothing open, unless the turn failed outside it.
fn leave_nothing_open(
    section: &mut Section<'_>,
    turn_id: TurnId,
    error: Option<&TurnError>,
) -> Result<(), SessionError> {
    let is_announced = |turn: &OpenTurn| turn.running;
    let announced = section.view().state.turn.as_ref().map(is_announced);
    if announced == Some(false) {
        // `runtime_end` needs its `runtime_start`, also in a turn that ended while preparing.
        section.show(turn_id, TransientBody::RuntimeStart(RuntimeStart {}))?;
    }
    let open = open_messages(section);
    for event_id in open {
        let reason = MessageCancelReason::Error;
        let body = TransientBody::MessageCancelled(MessageCancelled { event_id, reason });
        section.show(turn_id, body)?;
    }
    section.cancel_requests("the turn has ended")?;
    section.end_run()?;
    interrupt_compaction(section, CompactionState::Failed, error)?;
    section.answer_open_calls("the turn failed")
}

fn open_messages(section: &Section<'_>) -> Vec<EventId> {
    let messages = &section.view().open.messages;
    messages.iter().map(|message| message.event_id).collect()
}

fn commit_outcome(
    section: &mut Section<'_>,
    task: &TurnTask,
    end: &TurnEnd,
) -> Result<(), SessionError> {
    let reason = task.reason(end);
    let started = |turn: &OpenTurn| turn.started_at;
    let started = section.view().state.turn.as_ref().map(started);
    let shown = TransientBody::RuntimeEnd(RuntimeEnd {
        reason,
        error: end.error.as_ref().map(|error| error.message.clone()),
    });
    let outcome = PersistentBody::TurnOutcome(TurnOutcomeBody {
        reason,
        error: end.error.clone(),
        usage: end.usage,
        cost: end.cost,
        steps: end.steps,
        duration_ms: started.map_or(0, |started| section.lane().now_ms().saturating_sub(started)),
    });
    let draft = EventDraft::new(outcome).in_turn(task.turn_id);
    section.commit_behind(task.turn_id, shown, draft)
}
