//! Leaving a turn to the next daemon at a step boundary.

use std::time::Duration;

use scorel_engine::StopCause;
use scorel_proto::{PersistentBody, TurnWaitingBody, WaitKind};

use super::task::TurnTask;
use crate::SessionError;
use crate::lane::{EventDraft, Section};

/// How long a parked turn waits for the next daemon. One that comes later may meet a project and a
/// user that have gone on without the turn.
const PARK_TIME: Duration = Duration::from_secs(600);

impl TurnTask {
    /// Records that the turn waits for the next daemon, and leaves it. A turn that cannot be left ends
    /// as interrupted, and one that was cancelled meanwhile as cancelled.
    pub(super) async fn park(&self) {
        let (lane, task) = (&self.lane, self.clone());
        match lane.persist(move |section| park(section, &task)).await {
            Ok(true) => lane.abandon_job(),
            Ok(false) => {
                let cause = self.stop.cause().unwrap_or(StopCause::Interrupted);
                self.close(self.stopped(cause)).await;
            }
            Err(error) => {
                tracing::error!(session = %lane.id(), %error, "the turn is not parked");
                lane.abandon_job();
            }
        }
    }
}

/// One section, in which no cancel is taken any more: one that was acknowledged must not be lost.
fn park(section: &mut Section<'_>, task: &TurnTask) -> Result<bool, SessionError> {
    section.leave_job(|section| {
        // A wait or an open question is on record already, and has no end of its own.
        if section.published().is_waiting() {
            return Ok(true);
        }
        let is_at_rest = |turn: &scorel_proto::OpenTurn| turn.is_at_rest();
        let at_rest = section.view().state.turn.as_ref().is_some_and(is_at_rest);
        if !at_rest {
            return Ok(false);
        }
        let waiting = PersistentBody::TurnWaiting(TurnWaitingBody {
            until: section.lane().moment_after(PARK_TIME),
            reason: "the daemon restarts".to_owned(),
            kind: Some(WaitKind::Restart),
            attempt: None,
        });
        section.commit_and_announce(EventDraft::new(waiting).in_turn(task.turn_id))?;
        Ok(true)
    })
}
