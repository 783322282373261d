use scorel_proto::{MessageCancelReason, OutcomeReason, StopReason, TurnError};

use super::RunnerDriver;
use super::state::LinkState;
use super::step::{EarlyEnd, RunnerStep};
use crate::TurnEnd;
use crate::ports::{RunnerEnd, RunnerError, RunnerErrorKind};

impl RunnerDriver {
    /// Asks the runner to end, once. One that cannot be asked is ended.
    pub(super) fn end_early(&mut self, early: EarlyEnd) {
        if self.ending.is_some() {
            return;
        }
        if let Some(aftermath) = &self.aftermath {
            aftermath.cut_off();
        }
        if let LinkState::Running(link) = &mut self.link
            && matches!(link.interrupt(), Ok(true))
        {
            let until = self.ports.clock.now().saturating_add(self.ports.cancel);
            self.ending = Some((early, until));
        } else {
            self.close_early(&early);
        }
    }

    pub(super) fn ended(&mut self, end: RunnerEnd) {
        if let Some((early, _)) = self.ending.take() {
            return self.close_early(&early);
        }
        match end {
            RunnerEnd::Completed => self.close(OutcomeReason::Completed, None, true),
            RunnerEnd::Interrupted => {
                let text = "the runner ended the turn by itself";
                self.close_failed(&RunnerError::new(RunnerErrorKind::Failed, text));
            }
            RunnerEnd::Limit(name) => {
                let error = crate::limit_error::limit(&name, "the runner reached its limit");
                self.close(OutcomeReason::Limit, Some(error), true);
            }
            RunnerEnd::Failed(error) => self.close_failed(&error),
        }
    }

    /// Ends the turn as it was to end early.
    pub(super) fn close_early(&mut self, early: &EarlyEnd) {
        let (reason, error) = early.outcome(&self.ports.limits);
        self.close(reason, error, false);
    }

    pub(super) fn close_failed(&mut self, error: &RunnerError) {
        self.close(OutcomeReason::Error, Some(error.turn_error()), false);
    }

    /// Ends everything that is open, and then the turn.
    pub(super) fn close(&mut self, reason: OutcomeReason, error: Option<TurnError>, keep: bool) {
        if self.questions.close() {
            self.due.push_back(RunnerStep::QuestionWithdrawn);
        }
        let (stop, cancel) = match reason {
            OutcomeReason::Cancelled => (StopReason::Cancelled, MessageCancelReason::UserCancel),
            OutcomeReason::Interrupted => (StopReason::Interrupted, MessageCancelReason::Error),
            OutcomeReason::Completed => (StopReason::EndTurn, MessageCancelReason::Error),
            OutcomeReason::Limit => (StopReason::MaxTokens, MessageCancelReason::Error),
            OutcomeReason::Error => (StopReason::Error, MessageCancelReason::Error),
        };
        let last = self.draft.end(stop, cancel);
        self.steps += u32::from(!last.is_empty());
        self.events(last);
        let now = self.ports.clock.now();
        if let Some(aftermath) = self.aftermath.take() {
            let ended = self.calls.end(aftermath.into_end(), now);
            self.events(ended);
        }
        let unknown = self.calls.close(reason == OutcomeReason::Cancelled, now);
        self.events(unknown);
        self.services.end();
        if let Some(calls) = &self.ports.own_calls {
            calls.end();
        }
        self.finish(reason, error);
        self.release(keep);
    }

    pub(super) fn finish(&mut self, reason: OutcomeReason, error: Option<TurnError>) {
        self.finished = Some(TurnEnd {
            reason,
            error,
            usage: self.usage,
            cost: self.cost,
            steps: self.steps,
        });
    }
}
