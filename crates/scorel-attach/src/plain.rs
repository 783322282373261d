//! The loop for screen readers and pipes: a line in, lines out, and nothing is drawn twice.

use std::io::{self, BufRead as _, Write as _, stdin, stdout};
use std::time::Instant;

use scorel_client::{ClientError, Connect, SessionStream, StreamItem};
use scorel_proto::SessionView;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::sleep_until;

use crate::app::{App, Input};
use crate::effect::Effect;
use crate::jobs::{HostFeedItem, StickyConnector, write_transcript};
use crate::worker::{WorkEnd, Worker};

/// Lines that wait.
const LINES: usize = 16;

/// The longest line that is read, in bytes.
const MAX_LINE: usize = 8 * 1024 * 1024;

pub(crate) struct Plain<C> {
    app: App,
    worker: Worker<C>,
    host: mpsc::Receiver<HostFeedItem>,
    stream: Option<SessionStream<StickyConnector<C>>>,
    empty: SessionView,
    lines: mpsc::Receiver<String>,
    /// Those that end the program.
    signals: [Signal; 3],
    has_input: bool,
    /// The end of a pipe that has asked: its answers are waited for.
    is_piped: bool,
}

enum Woken<C> {
    Line(Option<String>),
    Stream(Result<Option<StreamItem>, ClientError>),
    Host(Option<HostFeedItem>),
    Work(WorkEnd<C>),
    Ended,
    Tick,
}

impl<C: Connect + Clone + Send + 'static> Plain<C> {
    pub(crate) fn new(
        app: App,
        worker: Worker<C>,
        host: mpsc::Receiver<HostFeedItem>,
    ) -> io::Result<Self> {
        use std::io::IsTerminal as _;
        let [interrupt, terminate, hang_up] = [
            SignalKind::interrupt(),
            SignalKind::terminate(),
            SignalKind::hangup(),
        ];
        Ok(Self {
            signals: [signal(interrupt)?, signal(terminate)?, signal(hang_up)?],
            app,
            worker,
            host,
            stream: None,
            empty: SessionView::default(),
            lines: read_lines(),
            has_input: true,
            is_piped: !stdin().is_terminal(),
        })
    }

    pub(crate) async fn run(mut self) -> io::Result<Option<String>> {
        loop {
            while let Some(effect) = self.app.effects.pop_front() {
                if matches!(effect, Effect::Detach) {
                    self.print()?;
                    return Ok(self.app.exit_note.take());
                }
                self.perform(effect).await?;
            }
            self.print()?;
            if self.is_over() {
                self.app.end();
                continue;
            }
            let woken = self.woken().await;
            self.handle(woken);
        }
    }

    /// A pipe that has ended detaches once its messages have their answers.
    fn is_over(&self) -> bool {
        let is_answered = |view: &SessionView| {
            self.app.has_seen_its_message(view)
                && !view.state.has_job()
                && view.state.queue.items.is_empty()
        };
        // Without a stream no answer comes.
        let view = self.stream.as_ref().map(SessionStream::view);
        !self.has_input
            && (!self.is_piped || (self.app.is_at_rest() && view.is_none_or(is_answered)))
    }

    /// A line is read only when it can be understood: the session is open, and what was asked before is answered.
    fn takes_lines(&self) -> bool {
        self.has_input && self.stream.is_some() && self.app.is_at_rest() && self.worker.is_idle()
    }

    async fn woken(&mut self) -> Woken<C> {
        let due = self.app.due().max(Instant::now());
        let takes_lines = self.takes_lines();
        let [interrupt, terminate, hang_up] = &mut self.signals;
        tokio::select! {
            Some(()) = interrupt.recv() => Woken::Ended,
            Some(()) = terminate.recv() => Woken::Ended,
            Some(()) = hang_up.recv() => Woken::Ended,
            ended = self.worker.next() => Woken::Work(ended),
            item = next_item(&mut self.stream) => Woken::Stream(item),
            item = self.host.recv() => Woken::Host(item),
            line = self.lines.recv(), if takes_lines => Woken::Line(line),
            () = sleep_until(due.into()) => Woken::Tick,
        }
    }

    fn handle(&mut self, woken: Woken<C>) {
        let empty = &self.empty;
        let view = self.stream.as_ref().map_or(empty, SessionStream::view);
        match woken {
            Woken::Line(None) => self.has_input = false,
            Woken::Line(Some(line)) => self.app.line(&line, view),
            Woken::Host(Some(item)) => self.app.update(Input::Host(item), view),
            Woken::Host(None) => {}
            Woken::Work(WorkEnd::Done(done)) => self.app.update(Input::Done(done), view),
            Woken::Work(WorkEnd::Opened(opened)) => {
                self.stream = Some(opened.stream);
                let done = Box::new(crate::app::Done::Opened(opened.facts));
                let view = self
                    .stream
                    .as_ref()
                    .map_or(&self.empty, SessionStream::view);
                self.app.update(Input::Done(done), view);
            }
            Woken::Stream(Ok(Some(item))) => {
                self.app.stream_item(item, view);
                self.app.update(Input::Tick, view);
            }
            Woken::Stream(ended) => {
                self.app.stream_end(ended.err().as_ref());
                self.stream = None;
                self.has_input = false;
            }
            Woken::Ended => self.app.end(),
            Woken::Tick => self.app.update(Input::Tick, view),
        }
    }

    async fn perform(&mut self, effect: Effect) -> io::Result<()> {
        match effect {
            Effect::Transcript(id) => {
                let mut out = tokio::io::stdout();
                let theme = self.app.setup.theme;
                // It can be asked for again.
                let _ = write_transcript(self.worker.caller(), id, (100, theme), &mut out).await;
            }
            Effect::Page(text, _) => {
                let lines: Vec<String> = text.lines().map(str::to_owned).collect();
                self.app.plain_lines(&lines);
            }
            Effect::Edit(_) | Effect::Copy(_) | Effect::Bell | Effect::DiscardTyped => {}
            Effect::Suspend | Effect::Redraw | Effect::Detach => {}
            task => {
                let dir = self.app.local_dir();
                if !self.worker.take(task, dir) {
                    self.app
                        .note("too much waits for the daemon: try again in a moment");
                }
            }
        }
        Ok(())
    }

    fn print(&mut self) -> io::Result<()> {
        let lines = std::mem::take(&mut self.app.finished);
        let mut out = stdout().lock();
        for line in lines {
            writeln!(out, "{}", self.app.setup.theme.paint(&line))?;
        }
        out.flush()
    }
}

async fn next_item<C: Connect + Clone + Send + 'static>(
    stream: &mut Option<SessionStream<StickyConnector<C>>>,
) -> Result<Option<StreamItem>, ClientError> {
    match stream {
        Some(stream) => stream.next().await,
        None => std::future::pending().await,
    }
}

/// Reads lines on a thread: a blocking read cannot be cancelled.
fn read_lines() -> mpsc::Receiver<String> {
    use std::io::Read as _;
    let (sender, lines) = mpsc::channel(LINES);
    std::thread::spawn(move || {
        let mut input = stdin().lock();
        loop {
            let mut bytes = Vec::new();
            let read = input
                .by_ref()
                .take(MAX_LINE as u64)
                .read_until(b'\n', &mut bytes);
            if !matches!(read, Ok(1..)) {
                return;
            }
            let line = String::from_utf8_lossy(&bytes)
                .trim_end_matches(['\n', '\r'])
                .to_owned();
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}
