//! The text that is being written: editing, pastes, history and drafts.

mod drafts;
mod editor;
mod history;
mod layout;
mod max_text;
mod pasted;
mod private_file;
mod search;
mod state_dir;

use scorel_screen::Line;

use self::editor::Editor;
use self::layout::Layout;
use self::pasted::Pastes;
use crate::terminal::Key;

pub use drafts::{Draft, Drafts};
pub use history::History;
pub use max_text::MAX_TEXT;
pub use search::Search;
pub use state_dir::StateDir;

/// The longest text that is shown as it is, in bytes; with more, each key would be slow.
const MAX_SHOWN: usize = 256 << 10;

/// A text with its caret.
#[derive(Debug, Default)]
pub struct Composer {
    editor: Editor,
    pastes: Pastes,
    /// The text that Ctrl+C has cleared.
    cleared: Option<Draft>,
    /// The entry of the history that is shown, counted from the newest, and what was there before.
    recalled: Option<(usize, Draft)>,
    /// The columns at which rows were last wrapped.
    columns: usize,
    /// Counts the changes of the text.
    version: u64,
}

/// The meaning of Enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enter {
    /// There was a `\` before the caret: it has become a new line.
    Newline,
    /// The text is to be sent.
    Send,
}

/// Text did not fit into the composer; nothing was inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "The text is too long: a message has at most 8 MiB. Put it into a file and name it with @."
)]
pub struct TooLong;

/// A word at the caret that can be completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix {
    /// `@` for a file, `/` for a command.
    pub sign: char,
    /// The word after the sign, up to the caret.
    pub word: String,
}

impl Composer {
    /// The text with its pastes, as it is sent.
    pub fn text(&self) -> String {
        self.pastes.expanded(self.editor.text())
    }

    /// Returns whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.editor.text().is_empty()
    }

    /// Counts the changes: with another number, the draft has to be saved.
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// Handles a key that edits the text or moves the caret. Returns false for any other, for which there is nothing
    /// to do here: Enter, Tab, Esc, and Up and Down beyond the first and the last row.
    ///
    /// # Errors
    ///
    /// The text is full.
    pub fn key(&mut self, key: Key) -> Result<bool, TooLong> {
        match key {
            Key::Char(char) => self.insert(char.encode_utf8(&mut [0; 4]))?,
            Key::Newline => self.insert("\n")?,
            Key::Up => return Ok(self.walk(-1)),
            Key::Down => return Ok(self.walk(1)),
            Key::Ctrl('p') => return self.key(Key::Up),
            Key::Ctrl('n') => return self.key(Key::Down),
            _ => {
                let atoms = self.pastes.labels_in(self.editor.text());
                let before = self.editor.text().len();
                if !self.editor.key(key, &atoms) {
                    return Ok(false);
                }
                if self.editor.text().len() != before {
                    self.changed();
                }
            }
        }
        Ok(true)
    }

    /// Inserts pasted text. A long one shows as a short label.
    ///
    /// # Errors
    ///
    /// The text is full.
    pub fn paste(&mut self, text: &str) -> Result<(), TooLong> {
        let is_long = pasted::is_long(text) || self.editor.text().len() + text.len() > MAX_SHOWN;
        if !is_long {
            return self.insert(text);
        }
        self.check_room(text.len())?;
        if let Some((before, after)) = self.pastes.extend(self.editor.before(), text) {
            self.editor.remove_before(before.len());
            return self.insert(&after);
        }
        let label = self.pastes.add(text.to_owned());
        self.insert(&label)
    }

    /// Handles Enter. With `\` before the caret it makes a new line.
    pub fn enter(&mut self) -> Enter {
        if self.editor.before().ends_with('\\') {
            self.editor.key(Key::Backspace, &[]);
            self.editor.insert("\n");
            self.changed();
            return Enter::Newline;
        }
        Enter::Send
    }

    /// Takes the text to send it, and leaves the composer empty.
    pub fn take(&mut self) -> String {
        let text = self.text();
        self.clear();
        self.cleared = None;
        text
    }

    /// Puts a text in place of what is there, with the caret at its end.
    pub fn set(&mut self, text: &str) {
        self.clear();
        if text.len() > MAX_SHOWN {
            let label = self.pastes.add(text.to_owned());
            self.editor.insert(&label);
        } else {
            self.editor.insert(text);
        }
        self.changed();
    }

    /// Handles Ctrl+C with text: clears it, and Up brings it back. Returns false if there was none.
    pub fn cancel(&mut self) -> bool {
        if self.is_empty() {
            return false;
        }
        self.cleared = Some(self.draft());
        self.clear();
        true
    }

    /// Handles Up in the first row: brings back what Ctrl+C has cleared, else an older entry. False if there is none.
    pub fn older(&mut self, history: &History) -> bool {
        if self.is_empty()
            && self.recalled.is_none()
            && let Some(cleared) = self.cleared.take()
        {
            self.restore(cleared);
            return true;
        }
        let index = self.recalled.as_ref().map_or(0, |(index, _)| index + 1);
        let Some(entry) = history.newest(index) else {
            return false;
        };
        let before = match self.recalled.take() {
            Some((_, before)) => before,
            None => self.draft(),
        };
        self.set(entry);
        self.recalled = Some((index, before));
        true
    }

    /// Handles Down in the last row: a newer entry, at last what was there before. False if no entry is shown.
    pub fn newer(&mut self, history: &History) -> bool {
        let Some((index, before)) = self.recalled.take() else {
            return false;
        };
        match index
            .checked_sub(1)
            .and_then(|index| Some((index, history.newest(index)?)))
        {
            Some((index, entry)) => {
                self.set(entry);
                self.recalled = Some((index, before));
            }
            None => self.restore(before),
        }
        true
    }

    /// The contents, to be kept.
    pub fn draft(&self) -> Draft {
        Draft {
            text: self.editor.text().to_owned(),
            pastes: self.pastes.used_in(self.editor.text()),
        }
    }

    /// Puts kept contents in place of what is there.
    pub fn restore(&mut self, draft: Draft) {
        self.clear();
        self.pastes = Pastes::from_kept(draft.pastes);
        self.editor.insert(&draft.text);
        self.changed();
    }

    /// The rows, with the prompt, at most `max` of them around the caret, and the caret's row and column.
    pub fn rows(&mut self, columns: usize, max: usize) -> (Vec<Line>, (usize, usize)) {
        self.columns = columns;
        let layout = Layout::new(self.editor.text(), self.editor.caret(), columns);
        layout.window(max)
    }

    /// The word at the caret that begins with `@`, or with `/` at the beginning of the text.
    pub fn prefix(&self) -> Option<Prefix> {
        let before = self.editor.before();
        let start = before.rfind(char::is_whitespace).map_or(0, |at| {
            at + before[at..].chars().next().map_or(1, char::len_utf8)
        });
        let mut word = before[start..].chars();
        let sign = word.next()?;
        let rest = word.as_str();
        match sign {
            '@' => Some(Prefix {
                sign,
                word: rest.to_owned(),
            }),
            // A second slash makes it a path, which is text.
            '/' if start == 0 && !rest.contains('/') => Some(Prefix {
                sign,
                word: rest.to_owned(),
            }),
            _ => None,
        }
    }

    /// Puts a text in place of the word that [`prefix`](Self::prefix) found.
    pub fn complete(&mut self, text: &str) {
        if let Some(prefix) = self.prefix() {
            self.editor
                .remove_before(prefix.sign.len_utf8() + prefix.word.len());
            self.editor.insert(text);
            self.changed();
        }
    }

    fn insert(&mut self, text: &str) -> Result<(), TooLong> {
        if self.editor.text().len() + text.len() > MAX_SHOWN + pasted::MAX_LABEL {
            return Err(TooLong);
        }
        self.check_room(text.len())?;
        self.editor.insert(text);
        self.changed();
        Ok(())
    }

    fn check_room(&self, more: usize) -> Result<(), TooLong> {
        match self.editor.text().len() + self.pastes.len() + more > MAX_TEXT {
            true => Err(TooLong),
            false => Ok(()),
        }
    }

    fn walk(&mut self, by: isize) -> bool {
        let layout = Layout::new(self.editor.text(), self.editor.caret(), self.columns);
        let Some(caret) = layout.caret_in_row(by) else {
            return false;
        };
        self.editor
            .move_to(caret, &self.pastes.labels_in(self.editor.text()));
        true
    }

    fn clear(&mut self) {
        self.editor.clear();
        self.pastes = Pastes::default();
        self.recalled = None;
        self.version += 1;
    }

    /// A change makes the text one's own: it is no entry of the history any more.
    fn changed(&mut self) {
        self.recalled = None;
        self.version += 1;
        // Cut text may come back.
        self.pastes.retain(|label| {
            self.editor.text().contains(label) || self.editor.killed().contains(label)
        });
    }
}

#[cfg(test)]
mod tests;
