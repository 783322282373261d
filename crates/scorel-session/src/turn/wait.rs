//! Waiting for a rate limit.
//!
//! The wait is a record, and so is its end. The task waits for that record or for the moment, and a
//! daemon that starts in between waits on.

use std::time::Duration;

use scorel_proto::{OpenTurn, PersistentBody, TurnResumedBody};
use tokio::time::{Instant, sleep};

use super::exit::TurnExit;
use super::task::TurnTask;
use crate::SessionError;
use crate::lane::EventDraft;

/// How often the wall clock is checked. A timer alone does not suffice: it stands still while the
/// machine sleeps.
pub(super) const LOOK: Duration = Duration::from_secs(10);

impl TurnTask {
    /// Waits if the turn waits. Returns how it is left, if it must be.
    pub(super) async fn wait_on(&self) -> Result<Option<TurnExit>, SessionError> {
        let Some(rest) = self.rest_of_wait() else {
            return Ok(None);
        };
        let end = Instant::now() + rest;
        loop {
            // Enabled before the check: an end of the wait between the two would be missed.
            let answered = self.lane.answered();
            tokio::pin!(answered);
            answered.as_mut().enable();
            let Some(rest) = self.rest_of_wait() else {
                return Ok(None);
            };
            // The timer is the bound where the wall clock is set back.
            let rest = rest.min(end.saturating_duration_since(Instant::now()));
            if rest.is_zero() {
                self.go_on_after_wait().await?;
                return Ok(None);
            }
            tokio::select! {
                biased;
                exit = self.left() => return Ok(Some(exit)),
                () = answered => {}
                () = sleep(rest.min(LOOK)) => {}
            }
        }
    }

    /// Returns whether the turn waits because a model call was refused for now.
    pub(super) fn waits_for_limit(&self) -> bool {
        self.lane.view(|view| {
            let turn = view.state.turn.as_ref();
            turn.is_some_and(|turn| turn.waiting.is_some() && !turn.is_parked())
        })
    }

    /// How long the turn still waits by the wall clock, at most as long as it was to wait in all;
    /// `None` if it does not wait.
    fn rest_of_wait(&self) -> Option<Duration> {
        let now = self.lane.now_ms();
        self.lane.view(|view| {
            let turn = view.state.turn.as_ref();
            let turn = turn.filter(|turn: &&OpenTurn| turn.turn_id == self.turn_id)?;
            let until = turn.waiting.as_ref()?.until;
            let all = until.saturating_sub(turn.paused_at.unwrap_or(now));
            Some(Duration::from_millis(until.saturating_sub(now).min(all)))
        })
    }

    /// Records the end of the wait, unless a client was faster.
    async fn go_on_after_wait(&self) -> Result<(), SessionError> {
        let turn_id = self.turn_id;
        self.lane
            .persist(move |section| {
                if section.waiting_turn() == Some(turn_id) {
                    let resumed = PersistentBody::TurnResumed(TurnResumedBody {});
                    section.resume_turn(turn_id, EventDraft::new(resumed))?;
                }
                Ok(())
            })
            .await
    }
}
