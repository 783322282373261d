use std::time::Instant;

use scorel_proto::{SessionView, WhileRunning};

use super::state::{App, Mode, TWICE};
use crate::composer::Enter;
use crate::effect::Effect;
use crate::jobs::{ImageFile, image_path};
use crate::picker::PickerStep;
use crate::terminal::{Input as Typed, Key};

impl App {
    pub(super) fn typed(&mut self, typed: Typed, view: &SessionView, now: Instant) {
        match typed {
            Typed::Key(key) => self.key(key, view, now),
            Typed::Paste(text) => self.paste(&text),
            Typed::Focus(focus) => self.has_focus = focus,
            Typed::Resize => self.card.must_be_drawn(),
            Typed::Resumed => {
                self.card.must_be_drawn();
                self.effect(Effect::Redraw);
            }
            Typed::Ended(_) | Typed::Closed => self.detach(),
        }
    }

    fn key(&mut self, key: Key, view: &SessionView, now: Instant) {
        if key != Key::Esc {
            self.last_esc = None;
        }
        if key != Key::Ctrl('c') {
            self.last_interrupt = None;
        }
        match key {
            Key::Ctrl('z') => return self.effect(Effect::Suspend),
            Key::Ctrl('l') => {
                self.card.must_be_drawn();
                return self.effect(Effect::Redraw);
            }
            _ => {}
        }
        if self.card.has_focus() {
            return self.card_key(key, view, now);
        }
        self.hint = None;
        match &mut self.mode {
            Mode::Picking(picker) => {
                if key == Key::Ctrl('x') {
                    return self.go_to_all();
                }
                let step = picker.key(key);
                self.picked(step, view);
            }
            Mode::Searching(_) => self.search_key(key),
            Mode::Composing => self.composing_key(key, view, now),
        }
    }

    pub(super) fn picked(&mut self, step: PickerStep, view: &SessionView) {
        match step {
            PickerStep::Stays => {}
            PickerStep::Closes => self.mode = Mode::Composing,
            PickerStep::Chosen(choice) => {
                self.mode = Mode::Composing;
                self.chosen(choice, view);
            }
            PickerStep::Letter(letter, choice) => self.queue_letter(letter, &choice, view),
        }
    }

    fn composing_key(&mut self, key: Key, view: &SessionView, now: Instant) {
        if self.completion_key(key) {
            return;
        }
        match key {
            Key::Enter => {
                if self.composer.enter() == Enter::Send {
                    self.submit(self.setup.while_running, view);
                }
            }
            Key::Tab => self.submit(other(self.setup.while_running), view),
            Key::Esc => self.escape(view, now),
            Key::Ctrl('c') => self.interrupt(view, now),
            Key::Ctrl('d') if self.composer.is_empty() => self.detach(),
            Key::Ctrl('x') => self.go_to(),
            Key::Ctrl('o') => {
                if let Some(id) = self.session_id() {
                    self.effect(Effect::Transcript(id));
                }
            }
            Key::Ctrl('g') => {
                let text = self.composer.text();
                self.effect(Effect::Edit(text));
            }
            Key::Ctrl('r') => self.mode = Mode::Searching(crate::composer::Search::default()),
            Key::Ctrl('y') if self.question().is_some() => self.enter_card(now),
            Key::Ctrl('d') => self.edit(Key::Delete),
            Key::Up | Key::Down => self.vertical(key, view),
            _ => self.edit(key),
        }
        self.complete();
    }

    fn edit(&mut self, key: Key) {
        if let Err(error) = self.composer.key(key) {
            self.hint(error.to_string());
        }
    }

    fn vertical(&mut self, key: Key, view: &SessionView) {
        if self.composer.key(key) == Ok(true) {
            return;
        }
        match key {
            Key::Up if self.composer.is_empty() && self.edit_queued(view) => {}
            Key::Up => drop(self.composer.older(&self.history)),
            _ => drop(self.composer.newer(&self.history)),
        }
    }

    fn search_key(&mut self, key: Key) {
        let Mode::Searching(search) = &mut self.mode else {
            return;
        };
        match key {
            Key::Char(char) => search.typed(char, &self.history),
            Key::Backspace => search.backspace(&self.history),
            Key::Ctrl('r') | Key::Up => search.older(&self.history),
            Key::Esc | Key::Ctrl('c' | 'g') => self.mode = Mode::Composing,
            _ => {
                let found = search.found(&self.history).map(str::to_owned);
                self.mode = Mode::Composing;
                if let Some(found) = found {
                    self.composer.set(&found);
                }
            }
        }
    }

    /// Esc closes what is open; twice it cancels, or goes to rewind.
    fn escape(&mut self, view: &SessionView, now: Instant) {
        if self.editing.take().is_some() {
            self.composer.set("");
            return self.hint("the queued message stays as it was");
        }
        let is_second = self.last_esc.is_some_and(|last| now < last + TWICE);
        self.last_esc = (!is_second).then_some(now);
        match (is_second, view.state.turn_id()) {
            (false, Some(_)) => self.hint("Esc again cancels the turn"),
            (false, None) => self.hint("Esc again goes back to an earlier message"),
            (true, Some(_)) => self.cancel(view),
            (true, None) => self.list_messages(view),
        }
    }

    /// Ctrl+C clears; with nothing to clear it cancels, and again it detaches.
    fn interrupt(&mut self, view: &SessionView, now: Instant) {
        self.editing = None;
        if self.composer.cancel() {
            return self.hint("cleared: Up brings it back");
        }
        if self.last_interrupt.is_some_and(|last| now < last + TWICE) {
            return self.detach();
        }
        self.last_interrupt = Some(now);
        if view.state.has_job() {
            self.cancel(view);
            self.hint("cancelling; Ctrl+C again detaches");
        } else {
            self.hint("Ctrl+C again detaches, and so does Ctrl+D; the session stays");
        }
    }

    fn paste(&mut self, text: &str) {
        if self.card.has_focus() {
            return;
        }
        if !matches!(self.mode, Mode::Composing) {
            return;
        }
        let pasted = match image_path(text).filter(|_| self.setup.is_local) {
            Some(path) => {
                let name = path
                    .file_name()
                    .map(|name| name.to_string_lossy().into_owned());
                let number = self.images.len() + 1;
                let label = format!("[image {number}: {}]", name.unwrap_or_default());
                self.images.push(ImageFile {
                    label: label.clone(),
                    path,
                });
                self.composer.paste(&label)
            }
            None => self.composer.paste(text),
        };
        if let Err(error) = pasted {
            self.hint(error.to_string());
        }
        self.complete();
    }

    /// Ends the program; the turn goes on. What is on its way goes back into the draft.
    pub(super) fn detach(&mut self) {
        if std::mem::replace(&mut self.is_ending, true) {
            return;
        }
        let unsent: Vec<String> = self.sends.drain(..).map(|send| send.text).collect();
        if !unsent.is_empty() {
            let mut texts = unsent;
            if !self.composer.is_empty() {
                texts.push(self.composer.text());
            }
            self.composer.set(&texts.join("\n\n"));
            self.exit_note = Some(
                "a message without an answer of the daemon is in the draft: look with `scorelctl show` \
                 whether it has arrived before you send it again"
                    .to_owned(),
            );
        }
        self.save_draft();
        if self.exit_note.is_none()
            && let Some(id) = self.session_id()
        {
            let end = id_end(id);
            self.exit_note = Some(format!(
                "detached; `scorelctl attach --session {end}` comes back"
            ));
        }
        self.effect(Effect::Detach);
    }
}

/// The end of a session's id, as lists show it.
pub(super) fn id_end(id: scorel_proto::SessionId) -> String {
    let id = id.to_string();
    id[id.len() - 6..].to_owned()
}

const fn other(kind: WhileRunning) -> WhileRunning {
    match kind {
        WhileRunning::Steer => WhileRunning::FollowUp,
        WhileRunning::FollowUp | WhileRunning::Reject => WhileRunning::Steer,
    }
}
