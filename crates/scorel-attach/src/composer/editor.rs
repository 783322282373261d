//! An editor of a few lines.
//!
//! `ratatui-textarea` and `tui-textarea` are not used: both draw into ratatui's buffers, keep lines without wrapping
//! them, count characters in place of graphemes, and know no parts that move as one.

use std::ops::Range;

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use crate::terminal::Key;

/// A text with a caret between two of its graphemes.
#[derive(Debug, Default)]
pub(super) struct Editor {
    text: String,
    /// In bytes.
    caret: usize,
    killed: String,
    /// The last key was a kill, to which the next one adds.
    kills: bool,
}

impl Editor {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) const fn caret(&self) -> usize {
        self.caret
    }

    /// The text before the caret.
    pub(super) fn before(&self) -> &str {
        &self.text[..self.caret]
    }

    /// The text that was cut last.
    pub(super) fn killed(&self) -> &str {
        &self.killed
    }

    pub(super) fn insert(&mut self, text: &str) {
        self.text.insert_str(self.caret, text);
        self.caret += text.len();
        self.kills = false;
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.caret = 0;
        self.kills = false;
    }

    /// Removes bytes before the caret.
    pub(super) fn remove_before(&mut self, bytes: usize) {
        let start = self.caret - bytes;
        self.text.drain(start..self.caret);
        self.caret = start;
    }

    /// Moves the caret, out of a part that moves as one.
    pub(super) fn move_to(&mut self, caret: usize, atoms: &[Range<usize>]) {
        let inside = atoms
            .iter()
            .find(|atom| atom.start < caret && caret < atom.end);
        self.caret = inside.map_or(caret, |atom| atom.start);
        self.kills = false;
    }

    /// Handles a key; false if it does not edit. `atoms` are parts of the text that move as one.
    pub(super) fn key(&mut self, key: Key, atoms: &[Range<usize>]) -> bool {
        let kills = std::mem::take(&mut self.kills);
        match key {
            Key::Left | Key::Ctrl('b') => self.caret = self.left(atoms),
            Key::Right | Key::Ctrl('f') => self.caret = self.right(atoms),
            Key::WordLeft => self.caret = self.word_left(atoms),
            Key::WordRight => self.caret = self.word_right(atoms),
            Key::Home | Key::Ctrl('a') => self.caret = self.line_start(),
            Key::End | Key::Ctrl('e') => self.caret = self.line_end(),
            Key::Backspace => self.remove(self.left(atoms)..self.caret),
            Key::Delete => self.remove(self.caret..self.right(atoms)),
            Key::DeleteWordLeft | Key::Ctrl('w') => {
                self.kill(self.word_left(atoms)..self.caret, kills);
            }
            Key::DeleteWordRight => self.kill(self.caret..self.word_right(atoms), kills),
            Key::Ctrl('u') => self.kill(self.line_start()..self.caret, kills),
            Key::Ctrl('k') => {
                let end = self.line_end();
                // At the end of a line, its line break.
                let end = if end == self.caret {
                    self.right(atoms)
                } else {
                    end
                };
                self.kill(self.caret..end, kills);
            }
            Key::Ctrl('y') => {
                let killed = self.killed.clone();
                self.insert(&killed);
            }
            _ => return false,
        }
        true
    }

    fn remove(&mut self, range: Range<usize>) {
        self.caret = range.start;
        self.text.drain(range);
    }

    fn kill(&mut self, range: Range<usize>, adds: bool) {
        let is_before = range.end == self.caret;
        let killed = self.text[range.clone()].to_owned();
        self.killed = match (adds, is_before) {
            (false, _) => killed,
            (true, true) => killed + &self.killed,
            (true, false) => std::mem::take(&mut self.killed) + &killed,
        };
        self.remove(range);
        self.kills = true;
    }

    fn left(&self, atoms: &[Range<usize>]) -> usize {
        if let Some(atom) = atoms.iter().find(|atom| atom.end == self.caret) {
            return atom.start;
        }
        let mut cursor = GraphemeCursor::new(self.caret, self.text.len(), true);
        cursor
            .prev_boundary(&self.text, 0)
            .ok()
            .flatten()
            .unwrap_or(0)
    }

    fn right(&self, atoms: &[Range<usize>]) -> usize {
        if let Some(atom) = atoms.iter().find(|atom| atom.start == self.caret) {
            return atom.end;
        }
        let mut cursor = GraphemeCursor::new(self.caret, self.text.len(), true);
        cursor
            .next_boundary(&self.text, 0)
            .ok()
            .flatten()
            .unwrap_or(self.text.len())
    }

    fn word_left(&self, atoms: &[Range<usize>]) -> usize {
        let words = self.before().split_word_bound_indices().rev();
        let mut words = words.skip_while(|(_, word)| word.trim().is_empty());
        let start = words.next().map_or(0, |(at, _)| at);
        let within = atoms
            .iter()
            .find(|atom| atom.start < self.caret && start < atom.end);
        within.map_or(start, |atom| atom.start.min(start))
    }

    fn word_right(&self, atoms: &[Range<usize>]) -> usize {
        let words = self.text[self.caret..].split_word_bound_indices();
        let mut words = words.skip_while(|(_, word)| word.trim().is_empty());
        let end = words
            .next()
            .map_or(self.text.len(), |(at, word)| self.caret + at + word.len());
        let within = atoms
            .iter()
            .find(|atom| atom.end > self.caret && end > atom.start);
        within.map_or(end, |atom| atom.end.max(end))
    }

    fn line_start(&self) -> usize {
        self.before().rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        self.text[self.caret..]
            .find('\n')
            .map_or(self.text.len(), |at| self.caret + at)
    }
}
