use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use scorel_client::ClientError;
use scorel_proto::{
    Block, ClientId, CommandId, Event, GetContextResult, QueueItemId, Seq, SessionId, SessionView,
    TurnId, WhileRunning,
};
use scorel_screen::{Layout, Line, Markup, Renderer, Theme, TimeZone};

use super::candidate::Completion;
use crate::call::{Answer, Call};
use crate::card::{Card, DrawnCard};
use crate::composer::{Composer, Drafts, History, Search, StateDir};
use crate::effect::Effect;
use crate::host_state::HostState;
use crate::jobs::{HostFeedItem, ImageFile, RewindMessage, SentMessage, SessionFacts};
use crate::picker::Picker;
use crate::terminal::Input as Typed;

/// The parts that do not change while the program runs.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    pub(crate) while_running: WhileRunning,
    /// Lines only, for screen readers and pipes.
    pub(crate) is_plain: bool,
    /// The daemon is on this machine, and so are its projects.
    pub(crate) is_local: bool,
    /// This installation, as events name it.
    pub(crate) client_id: Option<ClientId>,
    /// The words that run this program for the same daemon.
    pub(crate) program: Vec<OsString>,
    pub(crate) state_dir: StateDir,
    pub(crate) theme: Theme,
}

/// Something that happened.
#[derive(Debug)]
pub(crate) enum Input {
    Typed(Typed),
    Host(HostFeedItem),
    Done(Box<Done>),
    /// A frame was written, with this card.
    Drawn(Option<DrawnCard>),
    /// The pager was left in which a text was shown.
    WasRead(Option<scorel_proto::PermissionRequestId>),
    /// The text as the editor has left it.
    Edited(String),
    /// A sentence about something that was tried.
    Said(String),
    Tick,
}

/// The outcome of work beside the loop.
#[derive(Debug)]
pub(crate) enum Done {
    Answer(Answer),
    Sent(SentMessage),
    Opened(Box<SessionFacts>),
    NotOpened(ClientError),
    Leaf(SessionId, Result<Vec<Event>, ClientError>),
    Messages(SessionId, Result<Vec<RewindMessage>, ClientError>),
    /// The output of a program, or why it failed; to be paged or not.
    Ran(Result<String, String>, bool),
}

/// The connection to the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LinkState {
    /// A session is being opened.
    Opening,
    Live,
    Reconnecting {
        since: Instant,
        error: String,
    },
    /// The session is gone; why.
    Over(String),
}

/// The session that is shown.
#[derive(Debug)]
pub(crate) struct CurrentSession {
    pub(crate) facts: SessionFacts,
    /// The size of its next request.
    pub(crate) context: Option<GetContextResult>,
    /// The turn that was asked to end.
    pub(crate) cancelling: Option<TurnId>,
    /// When the turn began that is open, as far as this program has seen it.
    pub(crate) turn_since: Option<(TurnId, u64)>,
    /// A full reload is under way; the events of its last turn.
    pub(crate) reload: Option<Vec<Event>>,
    /// Some of its log is on the screen.
    pub(crate) has_shown: bool,
    /// The text of the last answer.
    pub(crate) answer: String,
}

/// A message that is on its way.
#[derive(Debug)]
pub(crate) struct PendingSend {
    pub(crate) command_id: CommandId,
    pub(crate) session_id: SessionId,
    pub(crate) text: String,
}

/// A queued message that the composer has the text of.
#[derive(Debug)]
pub(crate) struct QueueEditing {
    pub(crate) id: QueueItemId,
    /// Blocks besides its text.
    pub(crate) kept: Vec<Block>,
}

/// The owner of the keys, unless the card has them.
#[derive(Debug)]
pub(crate) enum Mode {
    Composing,
    Picking(Picker),
    Searching(Search),
}

/// The state of the screen.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) setup: Setup,
    pub(crate) composer: Composer,
    pub(crate) history: History,
    pub(crate) drafts: Drafts,
    pub(crate) renderer: Renderer,
    /// The columns of the terminal.
    pub(crate) width: usize,
    /// Lines that are printed once.
    pub(crate) finished: Vec<Line>,
    pub(crate) host: HostState,
    pub(crate) card: Card,
    pub(crate) card_hint: Option<&'static str>,
    pub(crate) session: Option<CurrentSession>,
    pub(crate) link: LinkState,
    pub(crate) mode: Mode,
    pub(crate) completion: Option<Completion>,
    /// The daemon is asked for files.
    pub(crate) is_finding: bool,
    pub(crate) sends: Vec<PendingSend>,
    /// The record of the last message that was accepted, in its session. The answer to a call may be ahead of the stream.
    pub(crate) accepted: Option<(SessionId, Seq)>,
    pub(crate) editing: Option<QueueEditing>,
    pub(crate) images: Vec<ImageFile>,
    /// Sessions of the last listing.
    pub(crate) sessions: Vec<scorel_proto::Session>,
    pub(crate) last_esc: Option<Instant>,
    pub(crate) last_interrupt: Option<Instant>,
    pub(crate) has_focus: bool,
    pub(crate) saved_draft: u64,
    pub(crate) draft_due: Option<Instant>,
    pub(crate) effects: VecDeque<Effect>,
    /// A line under the composer that a key or a second takes away.
    pub(crate) hint: Option<(String, Instant)>,
    /// The agent that was entered, and from where.
    pub(crate) binding: Option<scorel_proto::Binding>,
    pub(crate) bound_from: Option<SessionId>,
    /// The question that was shown last.
    pub(crate) last_shown: Option<scorel_proto::PermissionRequestId>,
    /// The question of which a line has said that another client answered it.
    pub(crate) told: Option<scorel_proto::PermissionRequestId>,
    /// The message that a screen reader was told the speaker of.
    pub(crate) spoken: Option<scorel_proto::EventId>,
    pub(crate) is_ending: bool,
    pub(crate) exit_note: Option<String>,
}

/// The time in which a second key belongs to the first.
pub(crate) const TWICE: Duration = Duration::from_millis(1500);

/// The time for which a hint stands.
const HINT: Duration = Duration::from_secs(6);

impl App {
    pub(crate) fn new(setup: Setup, width: usize) -> Self {
        let state = setup.state_dir.clone();
        Self {
            composer: Composer::default(),
            history: History::load(state.clone(), "none"),
            drafts: Drafts::new(state),
            renderer: Renderer::new(layout(&setup, width)),
            width,
            finished: Vec::new(),
            host: HostState::default(),
            card: Card::new(),
            card_hint: None,
            session: None,
            link: LinkState::Opening,
            mode: Mode::Composing,
            completion: None,
            is_finding: false,
            sends: Vec::new(),
            accepted: None,
            editing: None,
            images: Vec::new(),
            sessions: Vec::new(),
            last_esc: None,
            last_interrupt: None,
            has_focus: true,
            saved_draft: 0,
            draft_due: None,
            effects: VecDeque::new(),
            hint: None,
            binding: None,
            bound_from: None,
            last_shown: None,
            told: None,
            spoken: None,
            is_ending: false,
            exit_note: None,
            setup,
        }
    }

    /// Handles an input. `view` is the session's state as its stream has it.
    pub(crate) fn update(&mut self, input: Input, view: &SessionView) {
        self.update_at(input, view, Instant::now());
    }

    /// Handles an input that came at a moment.
    pub(super) fn update_at(&mut self, input: Input, view: &SessionView, now: Instant) {
        match input {
            Input::Typed(typed) => self.typed(typed, view, now),
            Input::Host(item) => self.host_item(item, now),
            Input::Done(done) => self.done(*done, view, now),
            Input::Drawn(card) => self.card.was_drawn(card, now),
            Input::WasRead(question) => self.was_read(question, now),
            Input::Edited(text) => self.composer.set(text.trim_end_matches('\n')),
            Input::Said(text) => self.note(&text),
            Input::Tick => self.tick(now),
        }
        self.settle(now);
    }

    /// Begins with nothing unfinished, for another session.
    pub(super) fn renew_renderer(&mut self) {
        self.renderer.flush(&mut self.finished);
        self.renderer = Renderer::new(layout(&self.setup, self.width));
    }

    pub(crate) fn session_id(&self) -> Option<SessionId> {
        Some(self.session.as_ref()?.facts.session.session_id)
    }

    /// The directory of the session, if it is on this machine.
    pub(crate) fn local_dir(&self) -> Option<PathBuf> {
        let session = self.session.as_ref().filter(|_| self.setup.is_local)?;
        Some(session.facts.work_dir.clone())
    }

    /// Prints a message of this program.
    pub(crate) fn note(&mut self, text: &str) {
        self.renderer.note(text, &mut self.finished);
    }

    /// Shows a message for a moment. A screen reader has it as a line.
    pub(crate) fn hint(&mut self, text: impl Into<String>) {
        let text = text.into();
        match self.setup.is_plain {
            true => self.note(&text),
            false => self.hint = Some((text, Instant::now() + HINT)),
        }
    }

    pub(crate) fn call(&mut self, call: Call) {
        self.effects.push_back(Effect::Call(call));
    }

    pub(crate) fn effect(&mut self, effect: Effect) {
        self.effects.push_back(effect);
    }

    fn tick(&mut self, now: Instant) {
        self.renderer.tick(now_ms());
        if self.hint.as_ref().is_some_and(|(_, until)| now >= *until) {
            self.hint = None;
        }
        if self.draft_due.is_some_and(|due| now >= due) {
            self.save_draft();
        }
    }

    /// The steps that follow any input.
    fn settle(&mut self, now: Instant) {
        self.notice_question();
        let shown = self.question().map(|question| question.request.request_id);
        self.card.tick(shown, now);
        if self.composer.version() != self.saved_draft && self.draft_due.is_none() {
            self.draft_due = Some(now + Duration::from_secs(1));
        }
    }

    /// Keeps what is in the composer.
    pub(crate) fn save_draft(&mut self) {
        self.draft_due = None;
        self.saved_draft = self.composer.version();
        if let Some(id) = self.session_id()
            && self.editing.is_none()
            && let Err(error) = self.drafts.save(&id.to_string(), &self.composer.draft())
        {
            self.hint(format!("the draft cannot be saved: {error}"));
        }
    }

    /// When [`Input::Tick`] is due at the latest.
    pub(crate) fn due(&self) -> Instant {
        let now = Instant::now();
        let next = [
            self.card.due().filter(|due| *due > now),
            self.draft_due,
            Some(now + Duration::from_secs(1)),
        ];
        next.into_iter().flatten().min().unwrap_or(now)
    }
}

/// The shape in which sessions are shown.
fn layout(setup: &Setup, width: usize) -> Layout {
    Layout {
        markup: match setup.is_plain {
            true => Markup::Source,
            false => Markup::Rendered,
        },
        styled: setup.theme.colours,
        result_lines: if setup.is_plain { 10 } else { 0 },
        ..Layout::new(width, TimeZone::system())
    }
}

/// The present, in milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
