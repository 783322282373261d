//! Random keys around questions that come, change and go. A clock of the test's own says how long each has stood.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use scorel_client::ClientError;
use scorel_proto::{
    ClientId, HostEvent, OpenQuestion, PermissionDecision, PermissionRequestId,
    RespondPermissionParams, SeqResult, SessionId, SessionView,
};
use scorel_testkit::SeededDice;
use serde_json::{Value, json};

use super::{App, Done, Effect, Input, Key, SIZE, Typed, app};
use crate::call::{Answer, Call};
use crate::card::DrawnCard;
use crate::jobs::HostFeedItem;

/// The time that a person needs at the least.
const READING: Duration = Duration::from_millis(500);

/// A person at the keyboard, other clients and the daemon, and what each of them knows.
struct Play {
    app: App,
    _dir: tempfile::TempDir,
    dice: SeededDice,
    now: Instant,
    /// The questions that the daemon has told and not closed.
    open: Vec<OpenQuestion>,
    /// The card that the terminal shows, and since when.
    seen: Option<(DrawnCard, Instant)>,
    /// When the pager was left that showed the input.
    read: HashMap<PermissionRequestId, Instant>,
    focused: Instant,
    answered: Option<Instant>,
    /// The question of which a refusal is being explained.
    refusing: Option<PermissionRequestId>,
    /// Answers on their way to the daemon.
    calls: Vec<RespondPermissionParams>,
    draft: String,
    given: usize,
}

impl Play {
    fn new(dice: SeededDice) -> Self {
        let (app, dir) = app(false);
        let mut play = Self {
            app,
            _dir: dir,
            dice,
            now: Instant::now(),
            open: Vec::new(),
            seen: None,
            read: HashMap::new(),
            focused: Instant::now(),
            answered: None,
            refusing: None,
            calls: Vec::new(),
            draft: String::new(),
            given: 0,
        };
        play.snapshot();
        play
    }

    /// A key, after things that came in between.
    fn step(&mut self) {
        for _ in 0..self.dice.roll(0..4) {
            self.now += self.dice.time_up_to(READING);
            match self.dice.roll(0..16) {
                0..5 => self.draw(),
                5..8 => self.opened(),
                8 => self.closed(),
                9 => self.resized(),
                10 => self.lost(),
                11 => self.removed(),
                12 => self.told(),
                _ => self.input(Input::Tick),
            }
        }
        self.now += self.dice.time_up_to(READING / 2);
        let key = match self.app.card.has_focus() {
            true => self.card_key(),
            false => self.composer_key(),
        };
        self.press(key);
    }

    fn card_key(&mut self) -> Key {
        match self.dice.roll(0..20) {
            0 => Key::Esc,
            1..4 => Key::Enter,
            4 => Key::Left,
            5 => Key::Tab,
            6 => Key::Ctrl('o'),
            7 => Key::Backspace,
            _ => self.letter(),
        }
    }

    /// Nothing that sends the draft.
    fn composer_key(&mut self) -> Key {
        match self.dice.chance(40) {
            true => Key::Ctrl('y'),
            false => self.letter(),
        }
    }

    fn letter(&mut self) -> Key {
        Key::Char(['y', 'Y', 's', 'a', 'n', 'x', ' '][self.dice.index(0..7)])
    }

    fn press(&mut self, key: Key) {
        let had_focus = self.app.card.has_focus();
        let was_explaining = self.app.card.why().is_some();
        let legal = self.legal();
        let typed_for = self.seen.map(|(card, _)| card.id);
        self.update(Input::Typed(Typed::Key(key)));
        if !had_focus && let Key::Char(char) = key {
            self.draft.push(char);
        }
        assert_eq!(self.app.composer.text(), self.draft, "{key:?}, {had_focus}");
        if self.app.card.why().is_some() && !was_explaining {
            legal.expect("a refusal of a question that was read");
            self.refusing = typed_for;
        }
        self.effects(legal);
    }

    /// Returns whether a person can have read the question that is on the terminal.
    fn legal(&self) -> Result<PermissionRequestId, &'static str> {
        let stands = |since: Instant| self.now >= since + READING;
        let (card, since) = self.seen.ok_or("no question is on the terminal")?;
        let is_open = self.open.iter().any(|it| it.request.request_id == card.id);
        let read = self.read.get(&card.id);
        match () {
            () if !is_open => Err("it is not open"),
            () if !stands(since) => Err("it was just drawn"),
            () if !stands(self.focused) => Err("the card has just got the keys"),
            () if !self.answered.is_none_or(stands) => Err("another one was just answered"),
            () if !card.is_whole && read.is_none() => Err("its input was not shown"),
            () if !read.copied().is_none_or(stands) => Err("the pager was just left"),
            () => Ok(card.id),
        }
    }

    /// An input that is not a key: it answers nothing and leaves the draft.
    fn input(&mut self, input: Input) {
        self.update(input);
        assert_eq!(self.app.composer.text(), self.draft);
        self.effects(Err("no key was pressed"));
    }

    fn update(&mut self, input: Input) {
        let had_focus = self.app.card.has_focus();
        self.app.update_at(input, &SessionView::default(), self.now);
        if self.app.card.has_focus() && !had_focus {
            self.focused = self.now;
        }
    }

    fn effects(&mut self, legal: Result<PermissionRequestId, &'static str>) {
        while let Some(effect) = self.app.effects.pop_front() {
            match effect {
                Effect::Call(Call::RespondPermission(params)) => self.answers(*params, legal),
                Effect::Page(_, Some(id)) => self.reads(id),
                Effect::Send(_) => panic!("the draft was sent"),
                _ => {}
            }
        }
    }

    fn answers(
        &mut self,
        params: RespondPermissionParams,
        legal: Result<PermissionRequestId, &'static str>,
    ) {
        let read = match params.decision {
            PermissionDecision::Deny => self.refusing.take(),
            _ => Some(legal.unwrap_or_else(|why| panic!("{params:?}, but {why}"))),
        };
        assert_eq!(Some(params.request_id), read, "another one was read");
        assert!(
            self.open
                .iter()
                .any(|it| it.request.request_id == params.request_id),
            "it is not open"
        );
        self.answered = Some(self.now);
        self.given += 1;
        self.calls.push(params);
    }

    /// The pager is left after a while, and the terminal is to be drawn again.
    fn reads(&mut self, id: PermissionRequestId) {
        self.now += self.dice.time_up_to(READING * 4);
        self.seen = None;
        self.read.insert(id, self.now);
        self.input(Input::WasRead(Some(id)));
    }

    fn draw(&mut self) {
        let (_, card) = self.app.live(SIZE, &SessionView::default());
        if self.seen.map(|(card, _)| card) != card {
            self.seen = card.map(|card| (card, self.now));
        }
        self.input(Input::Drawn(card));
    }

    fn resized(&mut self) {
        self.seen = None;
        self.input(Input::Typed(Typed::Resize));
    }

    fn opened(&mut self) {
        if self.open.len() >= 3 {
            return;
        }
        let content = match self.dice.chance(20) {
            true => "a line\n".repeat(200),
            false => "text".to_owned(),
        };
        let own = self.app.session_id();
        let is_child = self.dice.chance(40);
        let question = json!({
            "sessionId": if is_child { Some(SessionId::generate()) } else { own },
            "parentSessionId": own.filter(|_| is_child),
            "projectId": scorel_proto::ProjectId::generate(), "askedAt": 1,
            "requestId": PermissionRequestId::generate(), "toolCallId": "c", "toolName": "Write",
            "input": {"path": "a", "content": content}, "reason": "a rule", "rules": ["Write(a)"],
            "sessionOnly": false,
        });
        self.open
            .push(serde_json::from_value(question.clone()).expect("a question"));
        self.host(json!({"type": "question_opened", "version": 1, "question": question}));
    }

    /// Another client answers, or the turn is cancelled.
    fn closed(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let at = self.dice.index(0..self.open.len());
        let closed = self.open.remove(at);
        let (session, id) = (closed.session_id, closed.request.request_id);
        let answer = self.dice.chance(50).then(|| {
            json!({"requestId": id, "decision": "once", "clientId": ClientId::generate(), "decidedAt": 1})
        });
        self.host(json!({
            "type": "question_closed", "version": 1, "sessionId": session, "requestId": id, "answer": answer,
        }));
    }

    /// An agent's session is deleted, with its questions.
    fn removed(&mut self) {
        let own = self.app.session_id();
        let child = self.open.iter().find(|it| Some(it.session_id) != own);
        if let Some(id) = child.map(|it| it.session_id) {
            self.open.retain(|it| it.session_id != id);
            self.host(json!({"type": "session_removed", "version": 1, "sessionId": id}));
        }
    }

    /// The connection is lost and comes back, with other questions perhaps.
    fn lost(&mut self) {
        self.input(Input::Host(HostFeedItem::Lost));
        if self.dice.chance(50) {
            self.now += self.dice.time_up_to(READING * 2);
            self.input(Input::Tick);
        }
        if self.dice.chance(50) && !self.open.is_empty() {
            self.open.remove(0);
        }
        self.snapshot();
    }

    fn snapshot(&mut self) {
        self.host(json!({
            "type": "snapshot", "version": 1, "projects": [], "sessions": [], "more": false,
            "questions": self.open,
        }));
    }

    /// The daemon's answer to an answer.
    fn told(&mut self) {
        if self.calls.is_empty() {
            return;
        }
        let at = self.dice.index(0..self.calls.len());
        let params = self.calls.remove(at);
        let id = params.request_id;
        let is_taken = self.dice.chance(70);
        let result = match is_taken {
            true => {
                self.open.retain(|it| it.request.request_id != id);
                Ok(Box::new(SeqResult {
                    seq: scorel_proto::Seq::ZERO,
                }))
            }
            // It stays open.
            false => Err(ClientError::Closed),
        };
        let done = Done::Answer(Answer::RespondPermission(Box::new(params), result));
        self.input(Input::Done(Box::new(done)));
    }

    fn host(&mut self, event: Value) {
        let event: HostEvent = serde_json::from_value(event).expect("an event");
        self.input(Input::Host(HostFeedItem::Event(Box::new(event))));
    }
}

#[test]
fn no_key_answers_a_question_that_could_not_be_read_and_none_that_a_card_took_is_in_the_draft() {
    let keys = match std::env::var_os("SCOREL_LONG") {
        Some(_) => 5_000,
        None => 500,
    };
    let mut dice = SeededDice::for_test("attach_cards");
    let mut given = 0;
    for _ in 0..10 {
        let mut play = Play::new(dice.fork());
        for _ in 0..keys {
            play.step();
        }
        given += play.given;
    }
    assert!(given > 100, "{given} of 5,000 keys were answers");
}
