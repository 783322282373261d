//! A dialect with its process.

use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _};
use scorel_runtime::{
    RunnerAnswer, RunnerError, RunnerErrorKind, RunnerEvent, RunnerExit, RunnerInput, RunnerLink,
    RunnerLogStream, RunnerStart, ServiceReply,
};
use tokio::time::timeout;

use crate::dialect::Dialect;
use crate::event_redactor::EventRedactor;
use crate::exchange::Exchange;
use crate::peer::{Output, Peer, exit_of};
use crate::secrets::Secrets;

/// How much of a handshake's log is kept, in bytes: as much as of a turn's.
const EARLY_LOG: usize = 256 * 1024;

/// How long a program may take until it takes a prompt.
const HANDSHAKE: Duration = Duration::from_secs(30);

pub(crate) struct WireLink<D> {
    peer: Peer,
    dialect: D,
    exchange: Exchange,
    redactor: EventRedactor,
    start: RunnerStart,
    in_turn: bool,
    /// The program has ended.
    has_ended: bool,
    /// Why there are no more events than those that were collected.
    failure: Option<RunnerError>,
}

impl<D: Dialect> WireLink<D> {
    /// Does the handshake.
    pub(crate) async fn open(
        peer: Peer,
        dialect: D,
        secrets: Secrets,
        start: RunnerStart,
    ) -> Result<Self, RunnerError> {
        let mut link = Self {
            peer,
            dialect,
            exchange: Exchange::default(),
            redactor: EventRedactor::new(secrets),
            start,
            in_turn: false,
            has_ended: false,
            failure: None,
        };
        let shaken = timeout(HANDSHAKE, link.shake_hands()).await;
        shaken.unwrap_or_else(|_| {
            let seconds = HANDSHAKE.as_secs();
            let message = format!("the runner was not ready after {seconds} s");
            Err(RunnerError::new(RunnerErrorKind::Stalled, message))
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
        while !self.dialect.is_open() {
            self.step().await?;
            // Events are not consumed before the handshake is done, so bound the log here.
            self.exchange.shorten_log(EARLY_LOG);
        }
        Ok(())
    }

    /// Takes one piece of output.
    async fn step(&mut self) -> Result<(), RunnerError> {
        match self.peer.next().await? {
            Output::Piece(piece) | Output::Rest(piece) => {
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
                let ended = self.dialect.ended(&end, &errors)?;
                self.exchange.event(RunnerEvent::End(ended));
                Ok(())
            }
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

impl<D: Dialect> RunnerLink for WireLink<D> {
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
