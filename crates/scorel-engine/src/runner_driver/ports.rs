use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::ports::{Gatekeeper, HookChain, OwnCalls, Runner, RunnerQuestion, RunnerServices};
use crate::{Clock, Effect, TurnLimits};

/// Tells the effects of a runner's question, which the gate judges. Implemented where paths can be resolved.
pub trait QuestionEffects: fmt::Debug + Send + Sync {
    /// The effects of what is asked about, never none.
    fn of(&self, question: &RunnerQuestion) -> Vec<Effect>;
}

/// The ports and limits of a runner's turn.
#[derive(Debug, Clone)]
pub struct RunnerPorts {
    /// The runner.
    pub runner: Arc<dyn Runner>,
    /// Decides what it may do.
    pub gate: Arc<dyn Gatekeeper>,
    /// Look at what it asks about, and at what it has done.
    pub hooks: HookChain,
    /// The effects of a question, for the gate.
    pub effects: Arc<dyn QuestionEffects>,
    /// Does what the runner leaves to the daemon.
    pub services: Arc<dyn RunnerServices>,
    /// The tools of the daemon that the runner may call, if there are any.
    pub own_calls: Option<Arc<dyn OwnCalls>>,
    /// Time and sleeping.
    pub clock: Arc<dyn Clock>,
    /// Limits that end the turn.
    pub limits: TurnLimits,
    /// The longest silence of a runner that is not asking.
    pub idle: Duration,
    /// The time to end its turn after it was asked to. To end its processes then takes a second more.
    pub cancel: Duration,
    /// A turn whose context is gone goes on in a new one.
    pub renew_lost: bool,
}
