use std::time::Instant;

use scorel_client::new_command_id;
use scorel_proto::{
    OpenQuestion, PermissionAnswer, PermissionRequestId, RespondPermissionParams, SessionView,
};

use super::state::App;
use crate::call::Call;
use crate::card::{CardKey, CardStep, input_text};
use crate::effect::Effect;
use crate::terminal::Key;

impl App {
    /// The questions of this session and of the agents below it, the oldest first.
    pub(crate) fn own_questions(&self) -> Vec<&OpenQuestion> {
        let Some(id) = self.session_id() else {
            return Vec::new();
        };
        let is_own = |question: &&OpenQuestion| {
            question.session_id == id || question.parent_session_id == Some(id)
        };
        match self.host.is_live {
            true => self.host.questions.iter().filter(is_own).collect(),
            false => Vec::new(),
        }
    }

    /// The number of questions that other sessions ask.
    pub(crate) fn other_questions(&self) -> usize {
        self.host.questions.len() - self.own_questions().len().min(self.host.questions.len())
    }

    /// The question on the card.
    pub(crate) fn question(&self) -> Option<OpenQuestion> {
        let (_, question) = self.card.shown(&self.own_questions())?;
        Some(question.clone())
    }

    pub(super) fn enter_card(&mut self, now: Instant) {
        self.card.enter(now);
        self.card_hint = None;
        // Keys from before the question was read must not answer it.
        self.effect(Effect::DiscardTyped);
    }

    pub(super) fn card_key(&mut self, key: Key, _view: &SessionView, now: Instant) {
        let card_key = match key {
            Key::Char(char) => CardKey::Char(char),
            Key::Backspace => CardKey::Backspace,
            Key::Enter => CardKey::Enter,
            Key::Esc | Key::Ctrl('c') => CardKey::Esc,
            Key::Up | Key::Left => CardKey::Previous,
            Key::Down | Key::Right | Key::Tab => CardKey::Next,
            Key::Ctrl('o') => CardKey::Read,
            _ => return,
        };
        self.card_hint = None;
        if self.card.why().is_none() && matches!(card_key, CardKey::Previous | CardKey::Next) {
            return self.turn_card(card_key == CardKey::Next);
        }
        let question = self.question();
        match self.card.key(card_key, question.as_ref(), now) {
            CardStep::Stays | CardStep::Leaves => {}
            CardStep::Refused(why) => self.card_hint = Some(why),
            CardStep::Reads => self.read_question(),
            CardStep::Answers(decision, reason) => {
                if let Some(question) = question {
                    self.effect(Effect::DiscardTyped);
                    self.answer(&question, decision, reason);
                }
            }
        }
    }

    pub(super) fn answer(
        &mut self,
        question: &OpenQuestion,
        decision: scorel_proto::PermissionDecision,
        reason: Option<String>,
    ) {
        self.call(Call::RespondPermission(Box::new(RespondPermissionParams {
            session_id: question.session_id,
            request_id: question.request.request_id,
            decision,
            reason,
            command_id: Some(new_command_id()),
        })));
    }

    /// Shows the next question, or the one before.
    fn turn_card(&mut self, forward: bool) {
        let questions = self.own_questions();
        let Some((at, _)) = self.card.shown(&questions) else {
            return;
        };
        let count = questions.len();
        let next = if forward { at + 1 } else { at + count - 1 } % count;
        let id = questions[next].request.request_id;
        self.card.show(id);
        self.effect(Effect::DiscardTyped);
    }

    pub(super) fn read_question(&mut self) {
        if let Some(question) = self.question() {
            let text = input_text(&question);
            self.effect(Effect::Page(text, Some(question.request.request_id)));
        }
    }

    pub(super) fn was_read(&mut self, question: Option<PermissionRequestId>, now: Instant) {
        self.card.must_be_drawn();
        if let Some(id) = question {
            self.card.was_read(id, now);
            self.effect(Effect::DiscardTyped);
        }
    }

    /// A question is closed, here or elsewhere.
    pub(super) fn question_closed(
        &mut self,
        id: PermissionRequestId,
        answer: Option<&PermissionAnswer>,
        was_own: bool,
        now: Instant,
    ) {
        let is_shown = self.last_shown == Some(id);
        let was_sent = self.card.is_sent(id);
        self.card.closed(id, is_shown, now);
        if let Some(answer) = answer.filter(|_| was_own) {
            // Another window of this installation may have been faster; the answer to ours tells.
            let is_ours = was_sent && Some(answer.client_id) == self.setup.client_id;
            if is_ours || self.told.replace(id) == Some(id) {
                return;
            }
            let text = self.answered_elsewhere(answer);
            self.note(&text);
        }
    }

    pub(super) fn answered_elsewhere(&self, answer: &PermissionAnswer) -> String {
        let text = answer.decision.decision.text();
        let by = match Some(answer.client_id) == self.setup.client_id {
            true => "another window of yours".to_owned(),
            false => self.host.client(answer.client_id),
        };
        format!("answered elsewhere: {text} by {by}")
    }

    /// Remembers which question the screen has.
    pub(super) fn notice_question(&mut self) {
        let shown = self.question().map(|question| question.request.request_id);
        if shown.is_some() && shown != self.last_shown {
            if !self.has_focus {
                self.effect(Effect::Bell);
            }
            if self.setup.is_plain {
                self.say_question();
            }
        }
        if shown.is_some() {
            self.last_shown = shown;
        }
    }

    /// The question in lines, with numbered answers.
    fn say_question(&mut self) {
        let Some(question) = self.question() else {
            return;
        };
        let tool = &question.request.tool_name;
        let agent = question
            .agent_type
            .as_ref()
            .map(|agent| format!("the agent {agent}: "));
        let mut lines = vec![
            format!(
                "{}{tool} asks for permission: {}",
                agent.unwrap_or_default(),
                question.request.reason
            ),
            "The input:".to_owned(),
        ];
        lines.extend(
            input_text(&question)
                .lines()
                .map(|line| format!("  {line}")),
        );
        lines.push("1. allow once".to_owned());
        let rules = question.request.rules.join(", ");
        if !question.request.rules.is_empty() {
            lines.push(format!("2. allow in this session: {rules}"));
            if !question.request.session_only {
                lines.push(format!("3. always allow here: {rules}"));
            }
        }
        lines.push("4. refuse; a reason may follow the number".to_owned());
        lines.push("Type a number, or /later to leave the question open.".to_owned());
        self.plain_lines(&lines);
    }
}
