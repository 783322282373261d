use futures_util::future::BoxFuture;
use scorel_proto::{OutcomeReason, TurnError};

use super::hooking::{CallSeen, JudgedQuestion};
use super::services::Served;
use super::step::EarlyEnd;
use crate::ports::{RunnerError, RunnerEvent, RunnerExit, RunnerLink, RunnerQuestion};
use crate::{StopCause, TurnLimits};

/// How far the link is.
pub(super) enum LinkState {
    Closed,
    Opening(BoxFuture<'static, Result<Box<dyn RunnerLink>, RunnerError>>),
    /// It waits for the prompt.
    Opened(Box<dyn RunnerLink>),
    Running(Box<dyn RunnerLink>),
    Releasing(BoxFuture<'static, RunnerExit>),
    /// It takes another turn.
    Kept(Box<dyn RunnerLink>),
}

/// The outcome of a wait.
pub(super) enum Waited {
    Opened(Result<Box<dyn RunnerLink>, RunnerError>),
    Event(Result<RunnerEvent, RunnerError>),
    Judged(Box<(RunnerQuestion, JudgedQuestion)>),
    CallSeen(CallSeen),
    Served(Served),
    Stop(StopCause),
    /// The runner is silent for too long, or does not end.
    Overdue,
    Released(RunnerExit),
}

impl EarlyEnd {
    pub(super) fn outcome(&self, limits: &TurnLimits) -> (OutcomeReason, Option<TurnError>) {
        match self {
            Self::Stopped(cause) => {
                let time_up = || limits.time_is_up();
                let error = (*cause == StopCause::TimeUp).then(time_up);
                (cause.outcome(), error)
            }
            Self::Limit(error) => (OutcomeReason::Limit, Some(error.clone())),
            Self::Hook => (OutcomeReason::Completed, None),
        }
    }
}
