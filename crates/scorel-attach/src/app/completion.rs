use super::candidate::{Candidate, Completion};
use super::state::{App, Mode};
use crate::slash::COMMANDS;
use crate::terminal::Key;

/// The most candidates that are shown.
pub(crate) const MAX_SHOWN: usize = 6;

impl App {
    /// Follows the word at the caret.
    pub(super) fn complete(&mut self) {
        let prefix = self
            .composer
            .prefix()
            .filter(|_| !self.setup.is_plain && matches!(self.mode, Mode::Composing));
        let Some(prefix) = prefix else {
            self.completion = None;
            return;
        };
        let known = self.completion.as_ref();
        if known.is_some_and(|it| it.sign == prefix.sign && it.word == prefix.word) {
            return;
        }
        let candidates = match prefix.sign {
            '/' => self.commands_with(&prefix.word),
            _ => self.files_with(&prefix.word),
        };
        self.completion = Some(Completion {
            sign: prefix.sign,
            word: prefix.word,
            candidates,
            at: 0,
            is_closed: false,
        });
    }

    fn commands_with(&self, word: &str) -> Vec<Candidate> {
        let commands = COMMANDS.iter().map(|command| Candidate {
            text: command.name.to_owned(),
            about: format!("{} {}", command.argument, command.about)
                .trim_start()
                .to_owned(),
        });
        let skills = self
            .session
            .iter()
            .flat_map(|it| &it.facts.skills)
            .map(|skill| Candidate {
                text: skill.name.clone(),
                about: skill.description.clone(),
            });
        let of_plugins = self
            .session
            .iter()
            .flat_map(|it| &it.facts.commands)
            .map(|command| Candidate {
                text: command.name.clone(),
                about: format!(
                    "{} {}",
                    command.argument_hint.as_deref().unwrap_or_default(),
                    command.description
                )
                .trim_start()
                .to_owned(),
            });
        commands
            .chain(of_plugins)
            .chain(skills)
            .filter(|it| it.text.starts_with(word))
            .take(50)
            .collect()
    }

    /// Handles a key that is for the list of candidates. Returns whether it was.
    pub(super) fn completion_key(&mut self, key: Key) -> bool {
        // Who asks for a completion does not mean to send what is there.
        if key == Key::Tab && self.awaits_files() {
            return true;
        }
        let Some(completion) = self
            .completion
            .as_mut()
            .filter(|it| !it.is_closed && !it.candidates.is_empty())
        else {
            return false;
        };
        let last = completion.candidates.len() - 1;
        match key {
            Key::Up => completion.at = completion.at.saturating_sub(1),
            Key::Down => completion.at = (completion.at + 1).min(last),
            Key::Esc => completion.is_closed = true,
            Key::Tab => self.accept(),
            // A word that is whole already is what was meant.
            Key::Enter
                if completion
                    .candidates
                    .iter()
                    .any(|it| it.text == completion.word) =>
            {
                return false;
            }
            Key::Enter => self.accept(),
            _ => return false,
        }
        true
    }

    fn accept(&mut self) {
        let Some(completion) = self.completion.take() else {
            return;
        };
        if let Some(candidate) = completion.candidates.get(completion.at) {
            let end = if candidate.text.ends_with('/') {
                ""
            } else {
                " "
            };
            self.composer
                .complete(&format!("{}{}{end}", completion.sign, candidate.text));
        }
        self.complete();
    }
}
