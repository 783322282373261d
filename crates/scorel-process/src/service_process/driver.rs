//! The task of a process.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use futures_util::future::BoxFuture;
use scorel_exec::{EndCause, PipedRun, Run, RunEnd, ShellExit};
use scorel_peer::{FrameLimits, TextStream};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::phase::Phase;
use super::shared::Shared;
use crate::failures::{Failures, NextStart};
use crate::paced_reader::PacedReader;
use crate::redacted_reader::RedactedReader;
use crate::service::{ServiceFraming, StartedProgram, StartedService};
use crate::service_link::ServiceLink;
use crate::serving::{CLOSED_OUTPUT, serve};
use crate::stop::{GOODBYE, end_run};

/// The time that a text of a program may take from its first byte to its last, and that a program may read
/// nothing while there is something for it.
const STALL: Duration = Duration::from_secs(30);

pub(super) struct Driver {
    shared: Arc<Shared>,
    failures: Failures,
}

/// The reason for which a process has ended.
enum ServiceEnd {
    /// Nothing needs it.
    Idle,
    Restart,
    Closed,
    Failed(String),
    /// It is greeted in another way by the next start.
    GreetAgain,
}

impl Driver {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            failures: Failures::default(),
        }
    }

    pub(super) async fn run(mut self) {
        while self.may_start().await {
            loop {
                self.enter(Phase::Starting);
                match self.run_once().await {
                    ServiceEnd::Idle => break self.enter(Phase::Stopped),
                    ServiceEnd::Closed => break,
                    ServiceEnd::Restart => self.failures.forget(),
                    ServiceEnd::GreetAgain => {}
                    ServiceEnd::Failed(reason) => {
                        let name = self.shared.service.name();
                        tracing::warn!(process = name, reason, "a process has failed");
                        if !self.wait_after_failure(reason).await {
                            break;
                        }
                    }
                }
            }
        }
        self.enter(Phase::Closed);
    }

    /// Waits until the process is needed. Returns false once it is closed.
    async fn may_start(&mut self) -> bool {
        loop {
            tokio::select! {
                biased;
                () = self.shared.closed.cancelled() => return false,
                () = self.shared.restart.notified() => {
                    self.failures.forget();
                    return true;
                }
                () = self.shared.demand.notified() => {}
            }
            // The demand may be one from before a start that has served it.
            if self.shared.waiting.load(Ordering::Acquire) > 0 {
                return true;
            }
        }
    }

    /// Returns false if there is no next start.
    async fn wait_after_failure(&mut self, reason: String) -> bool {
        let now = Instant::now();
        let reason: Arc<str> = reason.into();
        match self.failures.add(now, rand::random::<f64>()) {
            NextStart::OnDemand => {
                self.enter(Phase::Failed { reason });
                self.may_start().await
            }
            NextStart::After(wait) => {
                let until = now + wait;
                self.enter(Phase::Backoff { until, reason });
                tokio::select! {
                    biased;
                    () = self.shared.closed.cancelled() => return false,
                    () = self.shared.restart.notified() => self.failures.forget(),
                    () = sleep_until(until) => {}
                }
                true
            }
        }
    }

    /// Starts the process and serves it until it ends.
    async fn run_once(&mut self) -> ServiceEnd {
        let limit = self.shared.service.limits().start;
        let shared = Arc::clone(&self.shared);
        let started = tokio::select! {
            biased;
            () = shared.closed.cancelled() => return ServiceEnd::Closed,
            started = timeout(limit, shared.service.start()) => started,
        };
        match started {
            Ok(Ok(StartedService::Program(program))) => self.serve_program(program).await,
            Ok(Ok(StartedService::Connection(stream))) => self.serve_connection(stream).await,
            Ok(Err(reason)) => ServiceEnd::Failed(reason),
            Err(_) => ServiceEnd::Failed(not_ready(limit)),
        }
    }

    async fn serve_connection(&mut self, stream: TextStream) -> ServiceEnd {
        let service = Arc::clone(&self.shared.service);
        let link = Arc::new(ServiceLink::new(service.name(), service.words()));
        let mut serving: BoxFuture<'_, String> =
            Box::pin(serve(&link, &service, stream, ServiceFraming::Lines));
        let end = match self.talk(&link, &mut serving).await {
            ServiceEnd::Failed(reason) => match self.enter_failed(&reason) {
                true => ServiceEnd::GreetAgain,
                false => ServiceEnd::Failed(reason),
            },
            end => {
                self.enter(Phase::Stopped);
                link.peer().outbox().close();
                let _said = timeout(GOODBYE, &mut serving).await.is_ok();
                end
            }
        };
        drop(serving);
        self.ended(&link, end)
    }

    async fn serve_program(&mut self, program: StartedProgram) -> ServiceEnd {
        let StartedProgram {
            process,
            secrets,
            framing,
        } = program;
        let PipedRun {
            run,
            stdin,
            stdout,
            stderr,
        } = process;
        let service = Arc::clone(&self.shared.service);
        let limits = FrameLimits {
            frame: service.limits().frame,
            partial_frame: Some(STALL),
            write: Some(STALL),
        };
        let reader = RedactedReader::new(PacedReader::new(stdout), secrets.clone());
        let stream = match framing {
            ServiceFraming::Lines => TextStream::of_bytes(reader, stdin, &limits),
            ServiceFraming::LooseLines => TextStream::of_loose_lines(reader, stdin, &limits),
            ServiceFraming::Headers => TextStream::of_headers(reader, stdin, &limits),
        };
        let TextStream { incoming, outgoing } = stream;
        let hidden = secrets.clone();
        let incoming = incoming.map_ok(move |text| hidden.cut_json(text));
        let stream = TextStream::new(incoming, outgoing);
        let link = Arc::new(ServiceLink::new(service.name(), service.words()));
        let shared = Arc::clone(&self.shared);
        let errors = shared.stderr.read(service.name(), stderr, secrets);
        let mut serving: BoxFuture<'_, String> = Box::pin(serve(&link, &service, stream, framing));
        let talk = async {
            match self.talk(&link, &mut serving).await {
                ServiceEnd::Failed(reason) => self.end_failed(&run, reason).await,
                end => {
                    // Calls wait for the next start from now on.
                    self.enter(Phase::Stopped);
                    say_goodbye(&link, &mut serving, &run).await;
                    end
                }
            }
        };
        // Its last words are read until the last process has ended, and a moment longer.
        let mut talk = Box::pin(talk);
        let mut errors = Box::pin(errors);
        let end = tokio::select! {
            end = &mut talk => {
                let _read = timeout(GOODBYE, &mut errors).await.is_ok();
                end
            }
            () = &mut errors => talk.as_mut().await,
        };
        drop(talk);
        drop(serving);
        let end = self.with_last_words(end);
        self.ended(&link, end)
    }

    /// Talks until there is a reason to end.
    async fn talk(
        &self,
        link: &Arc<ServiceLink>,
        serving: &mut BoxFuture<'_, String>,
    ) -> ServiceEnd {
        tokio::select! {
            biased;
            reason = serving => ServiceEnd::Failed(reason),
            reason = link.failed() => ServiceEnd::Failed(reason),
            () = self.shared.closed.cancelled() => ServiceEnd::Closed,
            () = self.shared.restart.notified() => ServiceEnd::Restart,
            end = self.lead(link) => end,
        }
    }

    /// Ends the calls that are open.
    fn ended(&mut self, link: &ServiceLink, end: ServiceEnd) -> ServiceEnd {
        if link.take_answered() {
            self.failures.answered();
        }
        link.fail(match &end {
            ServiceEnd::Failed(reason) => reason.clone(),
            _ => "it was stopped".to_owned(),
        });
        end
    }

    /// Greets the program, and then waits until it is idle.
    async fn lead(&self, link: &Arc<ServiceLink>) -> ServiceEnd {
        let shared = &self.shared;
        let limits = shared.service.limits();
        match timeout(limits.start, shared.service.open(link)).await {
            Ok(Ok(())) => {}
            Ok(Err(reason)) => return ServiceEnd::Failed(reason),
            Err(_) => return ServiceEnd::Failed(not_ready(limits.start)),
        }
        // Those of the handshake are none that a user waited for.
        link.take_answered();
        self.enter(Phase::Ready(Arc::clone(link)));
        let Some(idle) = limits.idle else {
            return std::future::pending().await;
        };
        loop {
            match link.idle_since() {
                Some(since) if since + idle > Instant::now() => sleep_until(since + idle).await,
                Some(_) if !self.is_wanted() => return ServiceEnd::Idle,
                _ => sleep(idle).await,
            }
        }
    }

    /// Returns whether it is greeted in another way by the next start.
    fn enter_failed(&self, reason: &str) -> bool {
        let is_starting = matches!(self.shared.phase.borrow().phase, Phase::Starting);
        // Calls wait for the next start from now on. Those of this one wait for its last words.
        if !is_starting {
            let reason = reason.into();
            self.enter(Phase::Failed { reason });
        }
        is_starting && self.shared.service.greets_again()
    }

    async fn end_failed(&self, run: &Run, reason: String) -> ServiceEnd {
        let greets_again = self.enter_failed(&reason);
        let end = end_failed(run, &reason).await;
        match greets_again {
            true => ServiceEnd::GreetAgain,
            false => ServiceEnd::Failed(failure(reason, &end)),
        }
    }

    fn is_wanted(&self) -> bool {
        self.shared.waiting.load(Ordering::Acquire) > 0 || self.shared.users.is_any()
    }

    fn with_last_words(&self, end: ServiceEnd) -> ServiceEnd {
        match end {
            ServiceEnd::Failed(reason) => {
                ServiceEnd::Failed(match self.shared.stderr.last_line() {
                    line if line.is_empty() => reason,
                    line => format!("{reason}; it said: {line}"),
                })
            }
            ServiceEnd::GreetAgain => {
                // The next start says the same again.
                self.shared.stderr.forget();
                end
            }
            end => end,
        }
    }

    fn enter(&self, phase: Phase) {
        self.shared.phase.send_modify(|change| {
            change.starts += u64::from(matches!(phase, Phase::Starting));
            change.phase = phase;
        });
    }
}

/// Tells the program to end, closes its input and waits; then ends it.
async fn say_goodbye(link: &ServiceLink, serving: &mut BoxFuture<'_, String>, run: &Run) {
    link.say_goodbye();
    link.peer().outbox().close();
    let ending = end_run(run);
    tokio::pin!(ending);
    tokio::select! {
        _ = &mut ending => {}
        // Its output has ended; the process has the rest of its time.
        _ = serving => drop(ending.await),
    }
}

/// A program that broke a rule gets no time to finish; one whose output has ended may be about to exit.
async fn end_failed(run: &Run, reason: &str) -> RunEnd {
    if reason == CLOSED_OUTPUT {
        return end_run(run).await;
    }
    run.stop();
    run.wait().await
}

/// The text about a failure, for people.
fn failure(reason: String, end: &RunEnd) -> String {
    if let Some(limit) = end.limit {
        let (key, value) = (limit.kind.key(), limit.value);
        return format!("it reached the limit `{key}` of `[tools.limits]`, which is {value}");
    }
    match (&end.cause, end.exit) {
        (EndCause::NotStarted(problem), _) => format!("it could not be started: {problem}"),
        (EndCause::Exited, Some(ShellExit::Code(code))) if reason == CLOSED_OUTPUT => {
            format!("it exited with code {code}")
        }
        (EndCause::Exited, Some(ShellExit::Signal(signal))) if reason == CLOSED_OUTPUT => {
            format!("it was ended by signal {signal}")
        }
        _ => reason,
    }
}

fn not_ready(limit: Duration) -> String {
    format!("it was not ready after {} s", limit.as_secs_f64())
}
