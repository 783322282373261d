use std::sync::{Arc, OnceLock};
use std::time::Duration;

use scorel_proto::{OutcomeReason, StopReason};
use tokio_util::sync::CancellationToken;

use crate::Clock;

/// The reason why a turn ends before the model is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopCause {
    /// A client cancelled it.
    Cancelled,
    /// The daemon stops.
    Interrupted,
    /// It reached its time limit.
    TimeUp,
}

impl StopCause {
    /// The stop reason of a message that was cut off.
    pub(crate) const fn stop_reason(self) -> StopReason {
        match self {
            Self::Cancelled => StopReason::Cancelled,
            Self::Interrupted | Self::TimeUp => StopReason::Interrupted,
        }
    }

    /// The outcome of the turn.
    pub const fn outcome(self) -> OutcomeReason {
        match self {
            Self::Cancelled => OutcomeReason::Cancelled,
            Self::Interrupted => OutcomeReason::Interrupted,
            Self::TimeUp => OutcomeReason::Limit,
        }
    }

    /// The result of a call that was not run.
    pub const fn call_result(self) -> &'static str {
        match self {
            Self::Cancelled => "Cancelled by user",
            Self::Interrupted => "not run: the daemon stopped",
            Self::TimeUp => "not run: the turn's time was up",
        }
    }
}

/// Stops a turn from outside. Clones are one signal; it fires once, and the first cause counts.
///
/// Before it fires, or instead, it may ask the turn to park: to stop at its next step boundary, so that
/// the next daemon can go on with it.
#[derive(Debug, Clone, Default)]
pub struct StopSignal {
    fired: CancellationToken,
    cause: Arc<OnceLock<StopCause>>,
    parking: CancellationToken,
}

impl StopSignal {
    /// A signal that has not fired.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the turn because a client asked for it.
    pub fn cancel(&self) {
        self.fire(StopCause::Cancelled);
    }

    /// Stops the turn because the daemon stops.
    pub fn interrupt(&self) {
        self.fire(StopCause::Interrupted);
    }

    /// Asks the turn to park.
    pub fn park(&self) {
        self.parking.cancel();
    }

    /// Returns whether the turn was asked to park.
    pub fn is_parking(&self) -> bool {
        self.parking.is_cancelled()
    }

    /// Completes when the turn is asked to park.
    pub async fn parking(&self) {
        self.parking.cancelled().await;
    }

    /// Completes when repeatable work should be abandoned: the turn has to stop or to park.
    pub async fn gives_up(&self) -> StopCause {
        tokio::select! {
            biased;
            cause = self.fired() => cause,
            () = self.parking() => StopCause::Interrupted,
        }
    }

    /// The cause, once the signal has fired.
    pub fn cause(&self) -> Option<StopCause> {
        self.cause.get().copied()
    }

    /// Completes when the signal fires.
    pub async fn fired(&self) -> StopCause {
        self.fired.cancelled().await;
        // The cause is set before the token is cancelled.
        self.cause().unwrap_or(StopCause::Cancelled)
    }

    fn fire(&self, cause: StopCause) {
        if self.cause.set(cause).is_ok() {
            self.fired.cancel();
        }
    }
}

/// Everything that can end a turn early: the signal from outside, and the turn's time limit.
#[derive(Debug, Clone)]
pub(crate) struct Stop {
    signal: StopSignal,
    clock: Arc<dyn Clock>,
    deadline: Duration,
}

impl Stop {
    pub(crate) fn new(signal: StopSignal, clock: Arc<dyn Clock>, max_duration: Duration) -> Self {
        let deadline = clock.now().saturating_add(max_duration);
        Self {
            signal,
            clock,
            deadline,
        }
    }

    /// The reason why the turn must end now, if it must.
    pub(crate) fn now(&self) -> Option<StopCause> {
        let time_up = || self.clock.now() >= self.deadline;
        self.signal
            .cause()
            .or_else(|| time_up().then_some(StopCause::TimeUp))
    }

    /// Completes when the turn must end.
    pub(crate) async fn wait(&self) -> StopCause {
        let remaining = self.deadline.saturating_sub(self.clock.now());
        tokio::select! {
            biased;
            cause = self.signal.fired() => cause,
            () = self.clock.sleep(remaining) => StopCause::TimeUp,
        }
    }

    /// Returns whether the turn is to park, and nothing ends it.
    pub(crate) fn parks(&self) -> bool {
        self.signal.is_parking() && self.now().is_none()
    }

    /// Completes when the turn is asked to park.
    pub(crate) async fn parking(&self) {
        self.signal.parking().await;
    }

    /// Sleeps, unless the turn must end first.
    pub(crate) async fn sleep(&self, duration: Duration) -> Option<StopCause> {
        tokio::select! {
            biased;
            cause = self.wait() => Some(cause),
            () = self.clock.sleep(duration) => None,
        }
    }

    /// Moves the deadline: time that the turn spends waiting does not count.
    pub(crate) fn extend(&mut self, duration: Duration) {
        self.deadline = self.deadline.saturating_add(duration);
    }

    /// Cuts the turn off from its signal and ends it now. See [`crate::TurnDriver::abort`].
    pub(crate) fn abort(&mut self) {
        if self.signal.cause().is_none() {
            self.signal = StopSignal::new();
            self.signal.interrupt();
        }
    }
}
