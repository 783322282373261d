//! A dialect with its process.

use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _};
use scorel_engine::{
    RunnerAnswer, RunnerError, RunnerErrorKind, RunnerEvent, RunnerExit, RunnerInput, RunnerLink,
    RunnerLogStream, RunnerStart, ServiceReply,
};
use scorel_exec::{RunEnd, ShellExit};
use scorel_process::Secrets;
use tokio::time::timeout;

use crate::dialect::{Dialect, ended, not_spoken};
use crate::early_events::EarlyEvents;
use crate::event_redactor::EventRedactor;
use crate::exchange::Exchange;
use crate::peer::{Output, Peer, exit_of};

pub(crate) struct WireLink {
    peer: Peer,
    dialect: Box<dyn Dialect>,
    exchange: Exchange,
    redactor: EventRedactor,
    start: RunnerStart,
    in_turn: bool,
    /// The program has ended.
    has_ended: bool,
    /// Set once it has written a line or a text.
    has_spoken: bool,
    /// The reason why there are no more events than those that were collected.
    failure: Option<RunnerError>,
}

impl WireLink {
    /// Does the handshake, in the time that a program may take until it takes a prompt.
    pub(crate) async fn open(
        peer: Peer,
        dialect: Box<dyn Dialect>,
        secrets: Secrets,
        start: RunnerStart,
        limit: Duration,
    ) -> Result<Self, RunnerError> {
        let mut link = Self {
            peer,
            dialect,
            exchange: Exchange::default(),
            redactor: EventRedactor::new(secrets),
            start,
            in_turn: false,
            has_ended: false,
            has_spoken: false,
            failure: None,
        };
        let shaken = timeout(limit, link.shake_hands()).await;
        shaken.unwrap_or_else(|_| {
            let seconds = limit.as_secs_f64();
            let message = format!("the runner was not ready after {seconds} s");
            let error = RunnerError::new(RunnerErrorKind::Stalled, message);
            Err(error.with_hint("if it needs longer, raise `startSeconds` of its table"))
        })?;
        link.start.context_id = link.dialect.context_id().map(str::to_owned);
        if let Some(version) = link.dialect.version() {
            link.start.version = Some(version.to_owned());
        }
        Ok(link)
    }

    async fn shake_hands(&mut self) -> Result<(), RunnerError> {
        self.dialect.open(&mut self.exchange)?;
        self.flush()?;
        let mut early = EarlyEvents::default();
        while !self.dialect.is_open() {
            self.step().await?;
            while let Some(event) = self.exchange.next_event() {
                early.push(event);
            }
        }
        early.into_events().for_each(|it| self.redactor.push(it));
        Ok(())
    }

    /// Takes one piece of output.
    async fn step(&mut self) -> Result<(), RunnerError> {
        match self.peer.next().await? {
            Output::Piece(piece) | Output::Rest(piece) => {
                self.has_spoken = true;
                self.dialect.receive(&piece, &mut self.exchange)?;
                self.flush()
            }
            Output::Stderr(text) => {
                self.exchange.event(RunnerEvent::Log {
                    stream: RunnerLogStream::Stderr,
                    text,
                });
                Ok(())
            }
            Output::End => {
                let (end, errors) = self.peer.wait_for_end().await;
                self.has_ended = true;
                if !self.dialect.is_open() {
                    return Err(self.unready(&end, &errors));
                }
                let ended = self.dialect.ended(&end, &errors)?;
                self.exchange.event(RunnerEvent::End(ended));
                Ok(())
            }
        }
    }

    /// The error of a program that ended instead of a handshake, such as one that says that it is
    /// retired.
    fn unready(&self, end: &RunEnd, errors: &str) -> RunnerError {
        let said = [self.exchange.said(), errors.trim()].join("\n");
        match said.trim() {
            "" if !self.has_spoken && end.exit == Some(ShellExit::Code(0)) => {
                not_spoken("the runner ended before its handshake, and said nothing")
            }
            "" => ended(end, errors),
            said => not_spoken(said),
        }
    }

    fn flush(&mut self) -> Result<(), RunnerError> {
        let (bytes, ends) = self.exchange.take_outgoing();
        self.peer.send(&bytes)?;
        if ends {
            self.peer.end_input();
        }
        Ok(())
    }

    async fn next_event(&mut self) -> Result<RunnerEvent, RunnerError> {
        loop {
            if let Some(event) = self.redactor.next() {
                if let RunnerEvent::End(_) = event {
                    self.in_turn = false;
                }
                return Ok(event);
            }
            if let Some(event) = self.exchange.next_event() {
                self.redactor.push(event);
                continue;
            }
            if let Some(failure) = &self.failure {
                return Err(failure.clone());
            }
            if let Err(failure) = self.step().await {
                // Events from before the failure precede the flush of held-back text.
                while let Some(event) = self.exchange.next_event() {
                    self.redactor.push(event);
                }
                self.redactor.end();
                self.failure = Some(failure);
            }
        }
    }
}

impl RunnerLink for WireLink {
    fn start(&self) -> &RunnerStart {
        &self.start
    }

    fn prompt(&mut self, input: Vec<RunnerInput>) -> Result<(), RunnerError> {
        if self.in_turn {
            let message = "the turn before has not ended";
            return Err(RunnerError::new(RunnerErrorKind::Failed, message));
        }
        self.in_turn = true;
        self.dialect.prompt(input, &mut self.exchange)?;
        self.flush()
    }

    fn next(&mut self) -> BoxFuture<'_, Result<RunnerEvent, RunnerError>> {
        self.next_event().boxed()
    }

    fn answer(&mut self, question: &str, answer: RunnerAnswer) -> Result<(), RunnerError> {
        self.dialect.answer(question, answer, &mut self.exchange)?;
        self.flush()
    }

    fn served(
        &mut self,
        request: &str,
        reply: Result<ServiceReply, String>,
    ) -> Result<(), RunnerError> {
        self.dialect.served(request, reply, &mut self.exchange)?;
        self.flush()
    }

    fn takes_steers(&self) -> bool {
        self.in_turn && self.failure.is_none() && self.dialect.takes_steers()
    }

    fn steer(&mut self, input: Vec<RunnerInput>) -> Result<bool, RunnerError> {
        let taken = self.in_turn && self.dialect.steer(input, &mut self.exchange)?;
        self.flush()?;
        Ok(taken)
    }

    fn interrupt(&mut self) -> Result<bool, RunnerError> {
        let asked = self.in_turn && self.dialect.interrupt(&mut self.exchange)?;
        self.flush()?;
        Ok(asked)
    }

    fn is_reusable(&self) -> bool {
        !self.has_ended && self.failure.is_none()
    }

    fn release(self: Box<Self>) -> BoxFuture<'static, RunnerExit> {
        // A program that did not end its turn, or broke the protocol, gets no time to finish.
        let is_lost = self.in_turn || self.failure.is_some();
        async move {
            let end = if is_lost {
                self.peer.stop().await
            } else {
                self.peer.finish().await
            };
            exit_of(&end)
        }
        .boxed()
    }
}
