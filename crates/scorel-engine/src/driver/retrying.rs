//! What follows a model call that failed: another attempt, a wait, or the end of the turn.

use std::cmp::Ordering;
use std::time::Duration;

use scorel_proto::{StopReason, TurnError};

use super::state::TurnState;
use super::{TurnDriver, TurnStep};
use crate::retry::Retry;
use crate::{EngineEvent, ErrorCategory, ProviderError};

/// Refusals of tools in a turn after which all from outside are taken for refused: each costs a request.
const MAX_TOOL_REFUSALS: u32 = 5;

impl TurnDriver {
    pub(super) fn failed_unseen(&mut self, error: &ProviderError) -> Option<TurnStep> {
        if error.category == ErrorCategory::ContextOverflow && !self.overflowed {
            self.overflowed = true;
            let next = TurnState::NeedRoom(self.turn_error(error));
            self.end_call(StopReason::Error, error.usage, next);
            return None;
        }
        let refused = self.refused_tools(error);
        if !refused.is_empty() {
            let next = TurnState::NeedTools(refused, self.turn_error(error));
            self.end_call(StopReason::Error, error.usage, next);
            return None;
        }
        let retry = &self.ports.retry;
        match retry.decide(self.attempts, self.waits, error) {
            Retry::After(delay) => {
                self.state = TurnState::Retrying { delay };
                Some(TurnStep::Event(EngineEvent::Retrying {
                    attempt: self.attempts,
                    error: self.turn_error(error),
                    delay,
                }))
            }
            Retry::Wait(delay) => {
                let reason = error.message.clone();
                let next = TurnState::Suspending { delay, reason };
                self.end_call(StopReason::Error, error.usage, next);
                None
            }
            Retry::No => {
                self.end_failed_call(error);
                None
            }
        }
    }

    /// The tools whose descriptions made an endpoint refuse the request. Those that it names, a few times; then all that
    /// could be at fault.
    fn refused_tools(&mut self, error: &ProviderError) -> Vec<String> {
        if error.category != ErrorCategory::InvalidRequest {
            return Vec::new();
        }
        let tools = &self.ports.tools;
        let named = tools.refused_by(&error.message);
        if named.is_empty() {
            return named;
        }
        self.tool_refusals = self.tool_refusals.saturating_add(1);
        match self.tool_refusals.cmp(&MAX_TOOL_REFUSALS) {
            Ordering::Less => named,
            Ordering::Equal => tools.from_outside(),
            // The error is about something else.
            Ordering::Greater => Vec::new(),
        }
    }

    pub(super) fn suspend(&mut self, duration: Duration, reason: String) -> TurnStep {
        self.waits = self.waits.saturating_add(1);
        self.state = TurnState::Suspended;
        TurnStep::Event(EngineEvent::Waiting {
            wait: self.waits,
            duration,
            reason,
        })
    }

    pub(super) async fn retry(&mut self, delay: Duration) {
        let slept = tokio::select! {
            biased;
            slept = self.stop.sleep(delay) => slept,
            // The wait is not over, so the state that follows is left at once.
            () = self.stop.parking() => None,
        };
        match slept {
            Some(cause) => self.end_stopped_call(cause),
            None => self.state = TurnState::NeedContextAgain,
        }
    }

    pub(super) fn before_repeated_call(&mut self) -> Option<TurnStep> {
        if let Some(cause) = self.stop.now() {
            self.end_stopped_call(cause);
            return None;
        }
        self.state = TurnState::NeedContextAgain;
        Some(TurnStep::NeedContext { repeated: true })
    }

    pub(super) fn turn_error(&self, error: &ProviderError) -> TurnError {
        error.turn_error(self.ports.clock.unix_ms())
    }
}
