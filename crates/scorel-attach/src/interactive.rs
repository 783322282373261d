//! The loop at a terminal: inputs change the state, effects are done, frames are drawn.

use std::io;
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use scorel_client::{ClientError, Connect, SessionStream, StreamItem};
use scorel_proto::{PermissionRequestId, SessionId, SessionView};
use tokio::sync::mpsc;
use tokio::time::sleep_until;

use crate::app::{App, Input};
use crate::effect::Effect;
use crate::foreground::{edit, ended, page, start_pager};
use crate::jobs::{HostFeedItem, StickyConnector, write_transcript};
use crate::size::Size;
use crate::terminal::{Input as Typed, Keyboard, Screen, TerminalGuard};
use crate::worker::{WorkEnd, Worker};

/// The parts of the loop.
pub(crate) struct Interactive<C> {
    pub(crate) app: App,
    pub(crate) worker: Worker<C>,
    pub(crate) host: mpsc::Receiver<HostFeedItem>,
    stream: Option<SessionStream<StickyConnector<C>>>,
    guard: TerminalGuard,
    screen: Screen,
    keyboard: Option<Keyboard>,
    empty: SessionView,
}

/// The input that woke the loop.
enum Woken<C> {
    Typed(Typed),
    Stream(Result<Option<StreamItem>, ClientError>),
    Host(Option<HostFeedItem>),
    Work(WorkEnd<C>),
    Draw,
    Tick,
}

impl<C: Connect + Clone + Send + 'static> Interactive<C> {
    pub(crate) fn new(
        app: App,
        worker: Worker<C>,
        host: mpsc::Receiver<HostFeedItem>,
    ) -> io::Result<Self> {
        let guard = TerminalGuard::new()?;
        let screen = Screen::new(app.setup.theme, &guard)?;
        let keyboard = Keyboard::new(&screen)?;
        Ok(Self {
            app,
            worker,
            host,
            stream: None,
            guard,
            screen,
            keyboard: Some(keyboard),
            empty: SessionView::default(),
        })
    }

    /// Runs until the user detaches. Returns what is to be said afterwards.
    pub(crate) async fn run(mut self) -> io::Result<Option<String>> {
        loop {
            while let Some(effect) = self.app.effects.pop_front() {
                if matches!(effect, Effect::Detach) {
                    self.flush();
                    self.screen.close().await;
                    return Ok(self.app.exit_note.take());
                }
                self.perform(effect).await?;
            }
            self.flush();
            let woken = self.woken().await;
            self.handle(woken);
        }
    }

    async fn woken(&mut self) -> Woken<C> {
        let due = self.app.due().max(Instant::now());
        let Some(keyboard) = &mut self.keyboard else {
            return Woken::Tick;
        };
        tokio::select! {
            biased;
            typed = keyboard.next() => Woken::Typed(typed),
            () = self.screen.ready() => Woken::Draw,
            ended = self.worker.next() => Woken::Work(ended),
            item = next_item(&mut self.stream) => Woken::Stream(item),
            item = self.host.recv() => Woken::Host(item),
            () = sleep_until(due.into()) => Woken::Tick,
        }
    }

    fn handle(&mut self, woken: Woken<C>) {
        match woken {
            Woken::Typed(typed) => self.update(Input::Typed(typed)),
            Woken::Host(Some(item)) => self.update(Input::Host(item)),
            Woken::Host(None) => {}
            Woken::Work(WorkEnd::Done(done)) => self.update(Input::Done(done)),
            Woken::Work(WorkEnd::Opened(opened)) => {
                self.stream = Some(opened.stream);
                let done = crate::app::Done::Opened(opened.facts);
                self.update(Input::Done(Box::new(done)));
            }
            Woken::Stream(item) => self.stream_item(item),
            Woken::Draw => self.draw(),
            Woken::Tick => self.update(Input::Tick),
        }
    }

    fn stream_item(&mut self, item: Result<Option<StreamItem>, ClientError>) {
        match item {
            Ok(Some(item)) => {
                let view = self
                    .stream
                    .as_ref()
                    .map_or(&self.empty, SessionStream::view);
                self.app.stream_item(item, view);
            }
            ended => {
                self.stream = None;
                self.app.stream_end(ended.err().as_ref());
            }
        }
        self.update(Input::Tick);
    }

    fn update(&mut self, input: Input) {
        let view = self
            .stream
            .as_ref()
            .map_or(&self.empty, SessionStream::view);
        self.app.update(input, view);
        self.screen.touch();
    }

    fn flush(&mut self) {
        let lines = std::mem::take(&mut self.app.finished);
        if !lines.is_empty() {
            self.screen.print(lines);
        }
    }

    fn draw(&mut self) {
        let view = self
            .stream
            .as_ref()
            .map_or(&self.empty, SessionStream::view);
        let app = &mut self.app;
        let mut card = None;
        self.screen.draw(|size| {
            let (live, drawn) = app.live(size, view);
            card = drawn;
            live
        });
        let view = self
            .stream
            .as_ref()
            .map_or(&self.empty, SessionStream::view);
        self.app.update(Input::Drawn(card), view);
    }

    async fn perform(&mut self, effect: Effect) -> io::Result<()> {
        match effect {
            Effect::Transcript(id) => self.transcript(id).await,
            Effect::Page(text, question) => self.page(text, question).await,
            Effect::Edit(text) => self.edit(text).await,
            Effect::Copy(text) => {
                let sequence = format!("\x1b]52;c;{}\x1b\\", STANDARD.encode(text));
                self.screen.send(sequence.as_bytes());
                Ok(())
            }
            Effect::Bell => {
                self.screen.send(b"\x07");
                Ok(())
            }
            Effect::DiscardTyped => {
                if let Some(keyboard) = &mut self.keyboard {
                    keyboard.discard_typed();
                }
                Ok(())
            }
            Effect::Suspend => {
                self.app.save_draft();
                self.flush();
                self.screen.close().await;
                self.guard.suspend().await?;
                self.screen.redraw();
                Ok(())
            }
            Effect::Redraw => {
                self.screen.send(self.guard.set_again()?);
                self.screen.redraw();
                Ok(())
            }
            Effect::Detach => Ok(()),
            task => {
                let dir = self.app.local_dir();
                if !self.worker.take(task, dir) {
                    self.update(Input::Said(
                        "too much waits for the daemon: try again in a moment".to_owned(),
                    ));
                }
                Ok(())
            }
        }
    }

    /// Gives the terminal to another program.
    async fn give_terminal(&mut self) {
        self.app.save_draft();
        self.flush();
        self.screen.close().await;
        self.keyboard = None;
        self.guard.restore();
    }

    fn take_terminal(&mut self) -> io::Result<()> {
        self.guard.set()?;
        self.keyboard = Some(Keyboard::new(&self.screen)?);
        self.screen.redraw();
        Ok(())
    }

    async fn page(
        &mut self,
        text: String,
        question: Option<PermissionRequestId>,
    ) -> io::Result<()> {
        self.give_terminal().await;
        let shown = page(&text).await;
        self.take_terminal()?;
        match shown {
            Ok(()) => self.update(Input::WasRead(question)),
            Err(error) => self.update(Input::Said(format!(
                "the pager failed: {error}; set $PAGER"
            ))),
        }
        Ok(())
    }

    async fn transcript(&mut self, id: SessionId) -> io::Result<()> {
        self.give_terminal().await;
        let width = usize::from(Size::now().columns);
        let shown = self.transcript_to_pager(id, width).await;
        self.take_terminal()?;
        match shown {
            Ok(()) => self.update(Input::WasRead(None)),
            Err(text) => self.update(Input::Said(text)),
        }
        Ok(())
    }

    async fn transcript_to_pager(&self, id: SessionId, width: usize) -> Result<(), String> {
        let failed = |error: io::Error| format!("the pager failed: {error}; set $PAGER");
        let (mut child, mut input) = start_pager().map_err(failed)?;
        let theme = self.app.setup.theme;
        let caller = self.worker.caller();
        let written = tokio::select! {
            written = write_transcript(caller, id, (width, theme), &mut input) => written,
            // It was left before all was there.
            status = child.wait() => return status.and_then(ended).map_err(failed),
        };
        drop(input);
        let status = child.wait().await.map_err(failed)?;
        written.map_err(|error| crate::wording::failure(&error))?;
        ended(status).map_err(failed)
    }

    async fn edit(&mut self, text: String) -> io::Result<()> {
        self.give_terminal().await;
        let edited = edit(&text).await;
        self.take_terminal()?;
        match edited {
            Ok(text) => self.update(Input::Edited(text)),
            Err(error) => self.update(Input::Said(format!(
                "the editor failed: {error}; set $EDITOR"
            ))),
        }
        Ok(())
    }
}

/// The next item of the stream; without one it waits for ever.
async fn next_item<C: Connect + Clone + Send + 'static>(
    stream: &mut Option<SessionStream<StickyConnector<C>>>,
) -> Result<Option<StreamItem>, ClientError> {
    match stream {
        Some(stream) => stream.next().await,
        None => std::future::pending().await,
    }
}
