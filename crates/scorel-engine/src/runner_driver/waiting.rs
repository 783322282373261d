use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use scorel_proto::RunnerErrorKind;

use super::RunnerDriver;
use super::hooking::Aftermath;
use super::state::{LinkState, Waited};
use super::step::RunnerFact;
use crate::ports::{OwnCalls, RunnerError, RunnerEvent, RunnerExit, RunnerLogStream};

/// The next event of the runner's calls of our tools. Cancel-safe.
async fn next_own(calls: Option<Arc<dyn OwnCalls>>) -> RunnerEvent {
    match calls {
        Some(calls) => calls.next().await,
        None => std::future::pending().await,
    }
}

impl RunnerDriver {
    /// Waits for whatever comes first. Cancel-safe.
    pub(super) async fn wait(&mut self) -> Waited {
        if matches!(self.link, LinkState::Closed) {
            self.link = LinkState::Opening(self.ports.runner.open(self.order.clone()));
        }
        let never: BoxFuture<'static, ()> = Box::pin(std::future::pending());
        let (ended, stalled) = match self.ending {
            Some(_) => (self.time_left(), never),
            None => (never, self.time_left()),
        };
        let is_ending = self.ending.is_some();
        let has_aftermath = self.aftermath.is_some();
        let own_calls = self.ports.own_calls.clone();
        let stop = self.stop.wait();
        match &mut self.link {
            LinkState::Opening(opening) => tokio::select! {
                biased;
                cause = stop => Waited::Stop(cause),
                opened = opening => Waited::Opened(opened),
            },
            LinkState::Running(link) => tokio::select! {
                biased;
                cause = stop, if !is_ending => Waited::Stop(cause),
                // Before the output: one that never pauses would put off its end for ever.
                () = ended => Waited::Overdue,
                judged = self.questions.judged() => Waited::Judged(Box::new(judged)),
                served = self.services.next() => Waited::Served(served),
                seen = Aftermath::seen(&mut self.aftermath) => Waited::CallSeen(seen),
                event = next_own(own_calls), if !has_aftermath => Waited::Event(Ok(event)),
                event = link.next(), if !has_aftermath => Waited::Event(event),
                () = stalled => Waited::Overdue,
            },
            LinkState::Releasing(releasing) => Waited::Released(releasing.await),
            LinkState::Closed | LinkState::Opened(_) | LinkState::Kept(_) => {
                Waited::Stop(stop.await)
            }
        }
    }

    /// When the runner counts as stalled; `None` while it waits for a person or for the daemon, or was
    /// asked to end.
    pub(super) fn stalls_at(&self) -> Option<Duration> {
        let waits = self.questions.is_busy() || self.services.is_busy() || self.aftermath.is_some();
        let calls = self.ports.own_calls.as_ref();
        let waits = waits || self.ending.is_some() || calls.is_some_and(|it| it.is_busy());
        (!waits).then(|| self.heard_at.saturating_add(self.ports.idle))
    }

    /// Returns whether a line that is not a message comes when the runner counts as stalled. Such lines are no
    /// progress, and hide that there is none: `wait` looks at output first.
    pub(super) fn hears_only_noise(&mut self, event: &RunnerEvent) -> bool {
        let now = self.ports.clock.now();
        match event {
            RunnerEvent::Log { stream, .. } if *stream == RunnerLogStream::Stdout => {
                self.stalls_at().is_some_and(|at| at <= now)
            }
            _ => {
                self.heard_at = now;
                false
            }
        }
    }

    /// Until the runner has to have ended, or counts as stalled.
    fn time_left(&self) -> BoxFuture<'static, ()> {
        let until = self.ending.as_ref().map(|(_, until)| *until);
        let Some(until) = until.or_else(|| self.stalls_at()) else {
            return Box::pin(std::future::pending());
        };
        let left = until.saturating_sub(self.ports.clock.now());
        self.ports.clock.sleep(left)
    }

    /// The runner has been silent for too long, or has not ended in time.
    pub(super) fn overdue(&mut self) {
        match self.ending.take() {
            Some((early, _)) => self.close_early(&early),
            None => {
                let seconds = self.ports.idle.as_secs();
                let message = format!("the runner made no progress for {seconds} s");
                self.close_failed(&RunnerError::new(RunnerErrorKind::Stalled, message));
            }
        }
    }

    /// Ends the runner, or keeps it for the next turn.
    pub(super) fn release(&mut self, keep: bool) {
        self.link = match std::mem::replace(&mut self.link, LinkState::Closed) {
            LinkState::Running(link) if keep && link.is_reusable() => {
                self.fact(RunnerFact::Exited { exit: None });
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
        self.fact(RunnerFact::Exited { exit: Some(exit) });
    }

    pub(super) const fn is_releasing(&self) -> bool {
        matches!(self.link, LinkState::Releasing(_))
    }
}
