//! Answers typed to a question that is on the screen.

use std::io::{self, BufRead, IsTerminal};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::mpsc as blocking;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal::SIGCONT;
use nix::sys::termios::{FlushArg, tcflush};
use nix::unistd::read;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep_until};

use crate::output::Output;

/// The time that a question is on the screen before typed text answers it.
const UNREAD: Duration = Duration::from_millis(500);

/// The longest line that a terminal passes on.
const MAX_LINE: usize = 4096;

/// The capacity of the channel for lines from a pipe.
const LINES: usize = 16;

/// Shows a prompt at the terminal and reads the answer; `None` at the end of the input.
pub(crate) async fn ask(prompt: &str, output: &mut Output) -> io::Result<Option<String>> {
    let mut answers = TypedAnswers::new()?;
    answers.shown();
    loop {
        match answers.next().await? {
            AnswerStep::Prompt => output.prompt(prompt)?,
            AnswerStep::Line(line) => {
                output.answered(line.is_some());
                return Ok(line);
            }
        }
    }
}

/// The next step of a question that is shown.
#[derive(Debug)]
pub(crate) enum AnswerStep {
    /// The question was on the screen long enough. A prompt says that an answer is taken now.
    Prompt,
    /// A line; `None` at the end of the input.
    Line(Option<String>),
}

/// Reads answers from standard input.
///
/// At a terminal, only what is typed after the prompt is one. The kernel keeps what was typed before, finished
/// lines and the one that is being typed, so it is told to discard that. Nothing is read before the prompt, and
/// no more than there is then: no thread of this program can hold an older line back.
#[derive(Debug)]
pub(crate) struct TypedAnswers {
    source: Source,
    stage: Stage,
}

#[derive(Debug)]
enum Source {
    Terminal(Terminal),
    /// Lines that a program answers with, one question after another.
    Pipe(mpsc::Receiver<String>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Idle,
    /// A question is shown; the prompt follows at this moment.
    Shown(Instant),
    Prompted,
}

impl TypedAnswers {
    /// To be called inside a Tokio runtime.
    pub(crate) fn new() -> io::Result<Self> {
        let source = if io::stdin().is_terminal() {
            Source::Terminal(Terminal::new()?)
        } else {
            Source::Pipe(read_lines())
        };
        Ok(Self {
            source,
            stage: Stage::Idle,
        })
    }

    /// Another question is on the screen from now on, or the same one again.
    pub(crate) fn shown(&mut self) {
        self.stage = match &mut self.source {
            Source::Terminal(terminal) => {
                terminal.discard();
                Stage::Shown(Instant::now() + UNREAD)
            }
            Source::Pipe(_) => Stage::Shown(Instant::now()),
        };
    }

    /// No question is on the screen any more.
    pub(crate) fn gone(&mut self) {
        self.stage = Stage::Idle;
    }

    pub(crate) fn is_prompted(&self) -> bool {
        self.stage == Stage::Prompted
    }

    /// Waits for the next step; for ever while no question is shown. Cancel safe.
    pub(crate) async fn next(&mut self) -> io::Result<AnswerStep> {
        loop {
            match (self.stage, &mut self.source) {
                (Stage::Idle, _) => std::future::pending().await,
                (Stage::Shown(moment), Source::Terminal(terminal)) => {
                    sleep_until(moment).await;
                    // Stopped by Ctrl-S, the terminal would keep the prompt, and what is typed before that.
                    if !has_room() {
                        self.stage = Stage::Shown(Instant::now() + UNREAD);
                        continue;
                    }
                    terminal.discard();
                    self.stage = Stage::Prompted;
                    return Ok(AnswerStep::Prompt);
                }
                (Stage::Shown(_), Source::Pipe(_)) => {
                    self.stage = Stage::Prompted;
                    return Ok(AnswerStep::Prompt);
                }
                (Stage::Prompted, Source::Pipe(lines)) => {
                    return Ok(AnswerStep::Line(lines.recv().await));
                }
                (Stage::Prompted, Source::Terminal(terminal)) => match terminal.line().await? {
                    Some(line) => return Ok(AnswerStep::Line(line)),
                    None => self.shown(),
                },
            }
        }
    }
}

/// Standard input as a terminal. Read when there is something to read: the shell has it too, so it stays in
/// blocking mode.
#[derive(Debug)]
struct Terminal {
    input: InputWatch,
    /// Tells that the program goes on after it was suspended. Then the screen is another.
    continued: Signal,
    /// A line that was sent without its end, by Ctrl-D.
    begun: Vec<u8>,
}

impl Terminal {
    fn new() -> io::Result<Self> {
        Ok(Self {
            input: InputWatch::new(),
            continued: signal(SignalKind::from_raw(SIGCONT as i32))?,
            begun: Vec::new(),
        })
    }

    /// Discards all that was typed until now.
    fn discard(&mut self) {
        self.begun.clear();
        let flush = || while tcflush(io::stdin(), FlushArg::TCIFLUSH) == Err(Errno::EINTR) {};
        flush();
        // Keys may be on their way to the line discipline. A look for input, while there is none, waits for them.
        has_input(PollTimeout::ZERO);
        flush();
    }

    /// A line, `Some(None)` at the end of the input; `None` after the program was suspended.
    async fn line(&mut self) -> io::Result<Option<Option<String>>> {
        loop {
            tokio::select! {
                biased;
                Some(()) = self.continued.recv() => return Ok(None),
                () = self.input.ready() => {}
            }
            // Text typed while the program was suspended is known before the signal is. The signal has been
            // handled: with one more turn of the runtime its receiver knows it too.
            yield_now().await;
            tokio::select! {
                biased;
                Some(()) = self.continued.recv() => return Ok(None),
                () = std::future::ready(()) => {}
            }
            // It may have been discarded since.
            if !has_input(PollTimeout::ZERO) {
                continue;
            }
            let mut bytes = [0; MAX_LINE];
            match read(io::stdin(), &mut bytes) {
                Err(Errno::EINTR) => {}
                // The terminal has gone, or its job is orphaned.
                Err(_) | Ok(0) => return Ok(Some(None)),
                Ok(length) => self.begun.extend_from_slice(&bytes[..length]),
            }
            if self.begun.ends_with(b"\n") {
                let line = std::mem::take(&mut self.begun);
                return Ok(Some(Some(String::from_utf8_lossy(&line).into_owned())));
            }
        }
    }
}

/// Waits for input on a thread, which reads none of it.
#[derive(Debug)]
struct InputWatch {
    looks: blocking::Sender<()>,
    found: mpsc::Receiver<()>,
    /// Set while the thread is looking.
    looking: bool,
}

impl InputWatch {
    fn new() -> Self {
        let (looks, wanted) = blocking::channel();
        let (sender, found) = mpsc::channel(1);
        std::thread::spawn(move || {
            while wanted.recv().is_ok() {
                has_input(PollTimeout::NONE);
                if sender.blocking_send(()).is_err() {
                    return;
                }
            }
        });
        Self {
            looks,
            found,
            looking: false,
        }
    }

    /// Completes when there was input at some moment since the last call. Cancel safe.
    async fn ready(&mut self) {
        if !self.looking {
            // The thread ends with this only.
            self.looking = self.looks.send(()).is_ok();
        }
        self.found.recv().await;
        self.looking = false;
    }
}

fn has_input(patience: PollTimeout) -> bool {
    is_ready(io::stdin().as_fd(), PollFlags::POLLIN, patience)
}

/// Returns whether the prompt can be written now.
fn has_room() -> bool {
    is_ready(io::stderr().as_fd(), PollFlags::POLLOUT, PollTimeout::ZERO)
}

fn is_ready(file: BorrowedFd<'_>, what: PollFlags, patience: PollTimeout) -> bool {
    let mut polled = [PollFd::new(file, what)];
    poll(&mut polled, patience).is_ok_and(|ready| ready > 0)
}

/// Reads a pipe or a file on a thread: a blocking read cannot be cancelled.
fn read_lines() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(LINES);
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}
