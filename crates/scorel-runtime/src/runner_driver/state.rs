use std::fmt;

use futures_util::future::BoxFuture;
use scorel_proto::{OutcomeReason, TurnError};

use super::step::{EarlyEnd, RunnerFact, RunnerStep};
use super::{RunnerDriver, RunnerQuestion};
use crate::ports::{RunnerError, RunnerEvent, RunnerExit, RunnerLink};
use crate::{StopCause, TurnLimits, Verdict};

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

impl fmt::Debug for LinkState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Closed => "Closed",
            Self::Opening(_) => "Opening",
            Self::Opened(_) => "Opened",
            Self::Running(_) => "Running",
            Self::Releasing(_) => "Releasing",
            Self::Kept(_) => "Kept",
        })
    }
}

/// What was waited for.
pub(super) enum Waited {
    Opened(Box<dyn RunnerLink>),
    NotOpened(RunnerError),
    Event(RunnerEvent),
    Failed(RunnerError),
    Judged(RunnerQuestion, Verdict),
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
        }
    }
}

impl RunnerDriver {
    /// Waits for whatever comes first. Cancel-safe.
    pub(super) async fn wait(&mut self) -> Waited {
        if matches!(self.link, LinkState::Closed) {
            self.link = LinkState::Opening(self.ports.runner.open(self.order.clone()));
        }
        let overdue = self.time_left();
        let is_ending = self.ending.is_some();
        let stop = self.stop.wait();
        match &mut self.link {
            LinkState::Opening(opening) => tokio::select! {
                biased;
                cause = stop => Waited::Stop(cause),
                opened = opening => match opened {
                    Ok(link) => Waited::Opened(link),
                    Err(error) => {
                        self.link = LinkState::Closed;
                        Waited::NotOpened(error)
                    }
                },
            },
            LinkState::Running(link) => tokio::select! {
                biased;
                cause = stop, if !is_ending => Waited::Stop(cause),
                (question, verdict) = self.questions.judged() => Waited::Judged(question, verdict),
                event = link.next() => match event {
                    Ok(event) => Waited::Event(event),
                    Err(error) => Waited::Failed(error),
                },
                () = overdue => Waited::Overdue,
            },
            LinkState::Releasing(releasing) => Waited::Released(releasing.await),
            LinkState::Closed | LinkState::Opened(_) | LinkState::Kept(_) => {
                Waited::Stop(stop.await)
            }
        }
    }

    /// Until the runner counts as stalled; without end while a question is open.
    fn time_left(&self) -> BoxFuture<'static, ()> {
        let until = match &self.ending {
            Some((_, until)) => *until,
            None if self.questions.is_open() => return Box::pin(std::future::pending()),
            None => self.heard_at.saturating_add(self.ports.idle),
        };
        let left = until.saturating_sub(self.ports.clock.now());
        self.ports.clock.sleep(left)
    }

    /// Ends the runner, or keeps it for the next turn.
    pub(super) fn release(&mut self, keep: bool) {
        self.link = match std::mem::replace(&mut self.link, LinkState::Closed) {
            LinkState::Running(link) if keep && link.is_reusable() => {
                let fact = RunnerFact::Exited { exit: None };
                self.due.push_back(RunnerStep::Fact(fact));
                LinkState::Kept(link)
            }
            LinkState::Running(link) | LinkState::Opened(link) => {
                LinkState::Releasing(link.release())
            }
            // It was not started as far as is recorded.
            LinkState::Opening(_) | LinkState::Closed => LinkState::Closed,
            other => other,
        };
    }

    pub(super) fn released(&mut self, exit: RunnerExit) {
        self.link = LinkState::Closed;
        let exit = Some(exit);
        self.due
            .push_back(RunnerStep::Fact(RunnerFact::Exited { exit }));
    }

    pub(super) const fn is_releasing(&self) -> bool {
        matches!(self.link, LinkState::Releasing(_))
    }
}
