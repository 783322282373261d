use scorel_proto::{PermissionDecision, SessionView};

use super::state::{App, LinkState, Mode};
use crate::card::is_possible;
use crate::picker::{Choice, PickerKind, PickerStep};

impl App {
    /// Takes a line that a screen reader's user, or a pipe, has written.
    pub(crate) fn line(&mut self, line: &str, view: &SessionView) {
        if matches!(self.mode, Mode::Picking(_)) {
            self.picking_line(line.trim(), view);
        } else if self.question().is_some()
            && !line.trim_start().starts_with('/')
            && self.editing.is_none()
        {
            self.answer_line(line.trim());
        } else {
            self.message_line(line, view);
        }
        self.update(super::state::Input::Tick, view);
    }

    fn message_line(&mut self, line: &str, view: &SessionView) {
        if line.trim() == "/later" {
            return self.note("the question stays open; /sessions lists it");
        }
        self.composer.set(line);
        let kind = self.setup.while_running;
        match line.strip_prefix("/steer ") {
            Some(text) => {
                self.composer.set(text);
                self.submit(scorel_proto::WhileRunning::Steer, view);
            }
            None if line.trim() == "/cancel" => {
                self.composer.set("");
                self.cancel(view);
            }
            None => self.submit(kind, view),
        }
    }

    fn picking_line(&mut self, line: &str, view: &SessionView) {
        let Mode::Picking(picker) = &self.mode else {
            return;
        };
        if line.is_empty() {
            self.mode = Mode::Composing;
            return self.note("closed");
        }
        let digits = line.trim_end_matches(|char: char| !char.is_ascii_digit());
        let letter = line[digits.len()..].trim().chars().next();
        let choice = digits
            .parse()
            .ok()
            .and_then(|number| picker.numbered(number));
        let kind = picker.kind;
        match (choice, letter) {
            (None, _) => self.note("that is no number of the list; an empty line closes it"),
            (Some(choice @ Choice::Queued(_)), letter) if kind == PickerKind::Queue => {
                self.mode = Mode::Composing;
                self.queue_letter(letter.unwrap_or('e'), &choice, view);
                if self.editing.is_some() {
                    let text = self.composer.text();
                    self.note(&format!(
                        "the message is: {text}\nType the text that takes its place."
                    ));
                }
            }
            (Some(choice), _) => self.picked(PickerStep::Chosen(choice), view),
        }
    }

    fn answer_line(&mut self, line: &str) {
        let Some(question) = self.question() else {
            return;
        };
        let Some((decision, reason)) = decision(line) else {
            return self.note("a question waits: 1 allows once, 4 refuses; /later leaves it open");
        };
        match is_possible(&question, decision) {
            Ok(()) => self.answer(&question, decision, reason),
            Err(why) => self.note(why),
        }
    }

    /// Returns whether nothing is on its way to the daemon.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.sends.is_empty() && self.effects.is_empty() && self.link != LinkState::Opening
    }

    /// Returns whether the view is past the last message that was accepted.
    pub(crate) fn has_seen_its_message(&self, view: &SessionView) -> bool {
        self.accepted.is_none_or(|(session_id, seq)| {
            Some(session_id) != self.session_id() || view.state.last_persistent_seq >= seq
        })
    }

    /// The input has ended.
    pub(crate) fn end(&mut self) {
        self.detach();
    }
}

/// A line as an answer to a question: its number or its letter, and a reason after a refusal.
fn decision(line: &str) -> Option<(PermissionDecision, Option<String>)> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let decision = match word.to_lowercase().as_str() {
        "1" | "y" | "yes" => PermissionDecision::Once,
        "2" | "s" | "session" => PermissionDecision::Session,
        "3" | "a" | "always" => PermissionDecision::Always,
        "4" | "n" | "no" => PermissionDecision::Deny,
        _ => return None,
    };
    let rest = rest.trim();
    match decision {
        PermissionDecision::Deny => Some((decision, (!rest.is_empty()).then(|| rest.to_owned()))),
        _ if rest.is_empty() => Some((decision, None)),
        _ => None,
    }
}
