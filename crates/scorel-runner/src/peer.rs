//! The connection to a runner's process.

use std::io;

use bytes::{Bytes, BytesMut};
use scorel_engine::{RunnerError, RunnerErrorKind, RunnerExit};
use scorel_exec::{EndCause, PipedRun, Run, RunEnd, ShellExit};
use scorel_peer::LineCutter;
use scorel_process::{GOODBYE, SecretRedactor, Secrets, StderrTail, end_run, whole_text};
use tokio::net::unix::pipe::Receiver;
use tokio::task::{coop::consume_budget, yield_now};
use tokio::time::{sleep, timeout};

use crate::outgoing::Outgoing;

/// Bytes read at a time: the capacity of a pipe.
const CHUNK: usize = 64 * 1024;

/// Bytes of the longest line.
const MAX_LINE: usize = 8 * 1024 * 1024;

/// Bytes of the end of the error output that an error message has.
const SHOWN_ERRORS: usize = 2 * 1024;

/// How output is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    Lines,
    /// As it comes.
    Text,
}

/// What a process has written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// A line, or a piece of text.
    Piece(Bytes),
    /// What followed the last line end.
    Rest(Bytes),
    Stderr(String),
    /// There is no more output.
    End,
}

/// A bounded, pulled, two-way connection: nothing is read before it is asked for, a line has a limit,
/// and so has what waits to be written.
pub(crate) struct Peer {
    run: Run,
    outgoing: Outgoing,
    stdout: Option<Receiver>,
    stderr: Option<Receiver>,
    framing: Framing,
    /// Nothing is kept before secrets are cut out of it.
    stdout_redactor: SecretRedactor,
    stderr_redactor: SecretRedactor,
    /// Output that was read and not taken yet.
    unread: BytesMut,
    lines: LineCutter,
    errors: StderrTail,
}

impl Peer {
    pub(crate) fn new(process: PipedRun, framing: Framing, secrets: &Secrets) -> Self {
        Self {
            run: process.run,
            outgoing: Outgoing::new(process.stdin),
            stdout: Some(process.stdout),
            stderr: Some(process.stderr),
            framing,
            stdout_redactor: SecretRedactor::new(secrets.clone()),
            stderr_redactor: SecretRedactor::new(secrets.clone()),
            unread: BytesMut::new(),
            lines: LineCutter::new(MAX_LINE),
            errors: StderrTail::default(),
        }
    }

    /// Queues bytes. They are written while [`Peer::next`] is awaited.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> Result<(), RunnerError> {
        self.outgoing.push(bytes)
    }

    /// Ends the input after the queued bytes.
    pub(crate) fn end_input(&mut self) {
        self.outgoing.end();
    }

    /// The next output. Cancel-safe.
    ///
    /// Everything that a program writes is taken here, whatever the wire and the phase, so here the
    /// others get their turn: a program that never pauses is always ready, and a caller that only waits
    /// for its output would hold the thread and never look at its time limit.
    pub(crate) async fn next(&mut self) -> Result<Output, RunnerError> {
        loop {
            // For pieces that are there.
            consume_budget().await;
            if let Some(piece) = self.whole_piece()? {
                return Ok(piece);
            }
            let ready = self.ready().await;
            // A chunk takes far longer than a piece, so each is worth the whole budget. Nothing of it was
            // read yet that could be lost here.
            yield_now().await;
            match ready {
                Ready::Stdout => self.read_stdout(),
                Ready::Stderr => {
                    if let Some(text) = self.read_stderr() {
                        return Ok(Output::Stderr(text));
                    }
                }
                Ready::Ended => {
                    self.stdout = None;
                    self.stderr = None;
                    let text = self.end_stderr();
                    if !text.is_empty() {
                        return Ok(Output::Stderr(text));
                    }
                    let held = self.stdout_redactor.end();
                    self.unread.extend_from_slice(&held);
                    let rest = self.lines.rest(&mut self.unread);
                    let is_end = rest.is_empty();
                    return Ok(if is_end {
                        Output::End
                    } else {
                        Output::Rest(rest)
                    });
                }
            }
        }
    }

    /// Waits for something to read, and writes meanwhile.
    async fn ready(&mut self) -> Ready {
        let Self {
            run,
            outgoing,
            stdout,
            stderr,
            ..
        } = self;
        if stdout.is_none() && stderr.is_none() {
            return Ready::Ended;
        }
        tokio::select! {
            biased;
            never = outgoing.drive() => never,
            () = readable(stdout.as_ref()) => Ready::Stdout,
            () = readable(stderr.as_ref()) => Ready::Stderr,
            // The pipes end with the run's last process, unless something outside holds them.
            () = async { run.wait().await; sleep(GOODBYE).await } => Ready::Ended,
        }
    }

    fn read_stdout(&mut self) {
        let mut chunk = [0; CHUNK];
        match try_read(self.stdout.as_ref(), &mut chunk) {
            Some(0) => self.stdout = None,
            Some(count) => {
                let told = self.stdout_redactor.push(&chunk[..count]);
                self.unread.extend_from_slice(&told);
            }
            None => {}
        }
    }

    fn read_stderr(&mut self) -> Option<String> {
        let mut chunk = [0; CHUNK];
        let count = try_read(self.stderr.as_ref(), &mut chunk)?;
        let text = if count == 0 {
            self.stderr = None;
            self.end_stderr()
        } else {
            let told = self.stderr_redactor.push(&chunk[..count]);
            self.errors.push(&told)
        };
        (!text.is_empty()).then_some(text)
    }

    fn end_stderr(&mut self) -> String {
        let held = self.stderr_redactor.end();
        self.errors.push(&held) + &self.errors.end()
    }

    /// Waits for a process whose output has ended, and stops it if it does not exit soon. Cancel-safe.
    pub(crate) async fn wait_for_end(&mut self) -> (RunEnd, String) {
        self.end_input();
        let end = end_run(&self.run).await;
        (end, self.errors.last(SHOWN_ERRORS))
    }

    /// Ends the process at once, with SIGTERM first.
    pub(crate) async fn stop(mut self) -> RunEnd {
        self.run.stop();
        self.wait_for_end().await.0
    }

    /// Closes the input, gives the process some time to exit, and stops it after that.
    pub(crate) async fn finish(mut self) -> RunEnd {
        self.end_input();
        let read = async {
            // Its last words are of no interest, and a line that is too long ends them.
            while !matches!(self.next().await, Ok(Output::End) | Err(_)) {}
        };
        if timeout(GOODBYE, read).await.is_err() {
            self.run.stop();
        }
        self.wait_for_end().await.0
    }

    fn whole_piece(&mut self) -> Result<Option<Output>, RunnerError> {
        let piece = match self.framing {
            Framing::Lines => self.lines.next(&mut self.unread),
            Framing::Text => Ok(Some(whole_text(&mut self.unread)).filter(|text| !text.is_empty())),
        };
        let piece = piece.map_err(|_| {
            let message = format!("a line is longer than {} MiB", MAX_LINE / 1024 / 1024);
            RunnerError::new(RunnerErrorKind::Protocol, message)
        });
        Ok(piece?.map(Output::Piece))
    }
}

enum Ready {
    Stdout,
    Stderr,
    /// There is nothing more to read.
    Ended,
}

/// Completes when there is something to read, or the end; never without a pipe.
async fn readable(pipe: Option<&Receiver>) {
    if let Some(pipe) = pipe {
        // An error shows at the read, too.
        let _ignored = pipe.readable().await;
    } else {
        std::future::pending::<()>().await;
    }
}

/// How many bytes were read, 0 at the end; `None` if there is nothing to read now.
fn try_read(pipe: Option<&Receiver>, chunk: &mut [u8]) -> Option<usize> {
    match pipe?.try_read(chunk) {
        Ok(count) => Some(count),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => None,
        Err(_) => Some(0),
    }
}

/// For the record.
pub(crate) fn exit_of(end: &RunEnd) -> RunnerExit {
    let (code, signal) = match end.exit {
        Some(ShellExit::Code(code)) => (Some(code), None),
        Some(ShellExit::Signal(signal)) => (None, Some(signal)),
        None => (None, None),
    };
    let mut problems = end.problems.clone();
    if let EndCause::NotStarted(reason) = &end.cause {
        problems.push(reason.clone());
    }
    RunnerExit {
        code,
        signal,
        problems,
    }
}
