//! A list to choose from, at the place of the composer.

use scorel_proto::{AgentTaskId, EventId, QueueItemId, Seq, SessionId, ThinkingLevel};
use scorel_screen::{Line, Span, Style};

use crate::terminal::Key;

/// The thing that a row stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Choice {
    Session(SessionId),
    Runtime(AgentTaskId),
    Model(String),
    Level(ThinkingLevel),
    Queued(QueueItemId),
    /// Go back to before a message.
    Rewind(RewindTarget),
    /// Go back, and give the files their state of then.
    RewindWithFiles(RewindTarget),
}

/// A message that the conversation can go back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RewindTarget {
    /// The end of the turn before; `None`: the empty conversation.
    pub(crate) target: Option<EventId>,
    /// The active leaf when the list was made.
    pub(crate) leaf: Option<EventId>,
    /// The message itself.
    pub(crate) seq: Option<Seq>,
    /// The files that turns from there on have left in another state.
    pub(crate) files: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PickerRow {
    pub(crate) label: String,
    pub(crate) detail: String,
    pub(crate) choice: Choice,
}

/// The kind of thing that is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PickerKind {
    /// Questions, sessions and runtimes, of the project or of all.
    GoTo {
        all: bool,
    },
    Model,
    Level,
    Rewind,
    Queue,
}

#[derive(Debug)]
pub(crate) struct Picker {
    pub(crate) kind: PickerKind,
    title: String,
    rows: Vec<PickerRow>,
    filter: String,
    number: String,
    at: usize,
}

/// The effect of a key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PickerStep {
    Stays,
    Closes,
    Chosen(Choice),
    /// A letter that means something to this list, with the row that it is pressed at.
    Letter(char, Choice),
}

impl Picker {
    pub(crate) fn new(kind: PickerKind, title: impl Into<String>, rows: Vec<PickerRow>) -> Self {
        Self {
            kind,
            title: title.into(),
            rows,
            filter: String::new(),
            number: String::new(),
            at: 0,
        }
    }

    /// Puts other rows into the list, and stays at the same one if it is still there.
    pub(crate) fn refill(&mut self, rows: Vec<PickerRow>) {
        let chosen = self.chosen();
        self.rows = rows;
        let place = self
            .shown()
            .position(|(_, row)| Some(&row.choice) == chosen.as_ref());
        self.at = place
            .unwrap_or(self.at)
            .min(self.shown().count().saturating_sub(1));
    }

    fn shown(&self) -> impl Iterator<Item = (usize, &PickerRow)> {
        let filter = self.filter.to_lowercase();
        self.rows.iter().enumerate().filter(move |(_, row)| {
            filter.is_empty()
                || row.label.to_lowercase().contains(&filter)
                || row.detail.to_lowercase().contains(&filter)
        })
    }

    fn chosen(&self) -> Option<Choice> {
        self.shown().nth(self.at).map(|(_, row)| row.choice.clone())
    }

    /// The row with a number, counted from 1.
    pub(crate) fn numbered(&self, number: usize) -> Option<Choice> {
        let row = self.rows.get(number.checked_sub(1)?)?;
        Some(row.choice.clone())
    }

    pub(crate) fn key(&mut self, key: Key) -> PickerStep {
        let count = self.shown().count();
        match key {
            Key::Esc | Key::Ctrl('c') => return PickerStep::Closes,
            Key::Enter => return self.chosen().map_or(PickerStep::Closes, PickerStep::Chosen),
            Key::Up | Key::Ctrl('p') => self.go(self.at.saturating_sub(1)),
            Key::Down | Key::Ctrl('n') => self.go((self.at + 1).min(count.saturating_sub(1))),
            Key::Home => self.go(0),
            Key::End => self.go(count.saturating_sub(1)),
            Key::Char(digit @ '0'..='9') if self.filter.is_empty() => self.digit(digit),
            Key::Char(letter) if self.kind == PickerKind::Queue => {
                if let Some(choice) = self.chosen() {
                    return PickerStep::Letter(letter, choice);
                }
            }
            Key::Char(char) => self.filter_by(|filter| filter.push(char)),
            Key::Backspace if !self.number.is_empty() => drop(self.number.pop()),
            Key::Backspace => self.filter_by(|filter| {
                filter.pop();
            }),
            _ => {}
        }
        PickerStep::Stays
    }

    fn go(&mut self, at: usize) {
        self.at = at;
        self.number.clear();
    }

    /// A number goes to its row.
    fn digit(&mut self, digit: char) {
        self.number.push(digit);
        let row = |number: &str| {
            let number: usize = number.parse().ok()?;
            number.checked_sub(1).filter(|at| *at < self.rows.len())
        };
        match row(&self.number) {
            Some(at) => self.at = at,
            None => {
                self.number = digit.to_string();
                if let Some(at) = row(&self.number) {
                    self.at = at;
                }
            }
        }
    }

    fn filter_by(&mut self, change: impl FnOnce(&mut String)) {
        change(&mut self.filter);
        self.go(0);
    }

    /// The title, which says what was typed, and the help.
    fn head(&self) -> String {
        let typed = match self.filter.as_str() {
            "" => String::new(),
            filter => format!(" · only “{filter}”"),
        };
        let help = match self.kind {
            PickerKind::GoTo { all: false } => {
                "Enter goes there · Ctrl+X: all projects · typing filters"
            }
            PickerKind::GoTo { all: true } => "Enter goes there · typing filters",
            PickerKind::Queue => "e edit · r remove · c convert · < > move · p pause or resume",
            PickerKind::Model | PickerKind::Level | PickerKind::Rewind => {
                "Enter chooses · Esc closes"
            }
        };
        format!("{}{typed}   {help}", self.title)
    }

    /// At most so many rows: the head and the rows around the chosen one.
    pub(crate) fn lines(&self, width: usize, max: usize) -> Vec<Line> {
        let mut lines = vec![Line::plain(&self.head(), Style::Note).cut(width)];
        let room = max.saturating_sub(1);
        let first = self.at.saturating_sub(room.saturating_sub(1));
        if self.shown().next().is_none() {
            lines.push(Line::plain("nothing here", Style::Dim));
        }
        for (place, (number, row)) in self.shown().enumerate().skip(first).take(room) {
            let is_chosen = place == self.at;
            let (mark, style) = if is_chosen {
                ("▸", Style::Chosen)
            } else {
                (" ", Style::Note)
            };
            let mut line = Line::plain(&format!("{} {}", row.label, ""), style);
            line.spans
                .insert(0, Span::new(format!("{mark} {:>2} ", number + 1), style));
            if !row.detail.is_empty() {
                line.spans
                    .extend(Line::plain(&row.detail, Style::Dim).spans);
            }
            lines.push(line.cut(width));
        }
        lines
    }

    /// The whole list, for a screen reader.
    pub(crate) fn plain_lines(&self) -> Vec<String> {
        let mut lines = vec![format!("{}:", self.title)];
        for (number, row) in self.rows.iter().enumerate() {
            lines.push(
                format!("{}. {} {}", number + 1, row.label, row.detail)
                    .trim_end()
                    .to_owned(),
            );
        }
        lines.push(match self.kind {
            PickerKind::Queue => "Type a number and a letter: e edit, r remove, c convert, < > move, p pause or resume. An empty line closes the list.".to_owned(),
            _ if self.rows.is_empty() => "Nothing here. An empty line closes the list.".to_owned(),
            _ => "Type a number. An empty line closes the list.".to_owned(),
        });
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picker(names: &[&str]) -> Picker {
        let rows = names.iter().map(|name| PickerRow {
            label: (*name).to_owned(),
            detail: String::new(),
            choice: Choice::Model((*name).to_owned()),
        });
        Picker::new(PickerKind::Model, "Model", rows.collect())
    }

    fn chosen(picker: &mut Picker) -> Option<String> {
        match picker.key(Key::Enter) {
            PickerStep::Chosen(Choice::Model(name)) => Some(name),
            _ => None,
        }
    }

    #[test]
    fn numbers_go_to_rows_and_letters_filter() {
        let names: Vec<String> = (1..=12).map(|number| format!("m{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for (keys, found) in [
            ("12", Some("m12")),
            ("3", Some("m3")),
            ("13", Some("m3")),
            ("m11", Some("m11")),
            ("zz", None),
            ("", Some("m1")),
        ] {
            let mut picker = picker(&names);
            for key in keys.chars() {
                assert_eq!(picker.key(Key::Char(key)), PickerStep::Stays);
            }
            assert_eq!(chosen(&mut picker).as_deref(), found, "{keys}");
        }
    }

    #[test]
    fn the_chosen_row_is_always_among_those_that_are_shown() {
        let mut picker = picker(&["a", "b", "c", "d", "e"]);
        for _ in 0..4 {
            picker.key(Key::Down);
        }
        let lines: Vec<String> = picker.lines(80, 3).iter().map(Line::text).collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[2].starts_with("▸  5 e"), "{lines:?}");
        picker.refill(Vec::new());
        assert_eq!(picker.key(Key::Enter), PickerStep::Closes);
    }

    #[test]
    fn names_cannot_write_control_characters() {
        let picker = picker(&["a\x1b[2J\u{202e}"]);
        let lines = picker.lines(80, 9);
        assert!(lines[1].text().contains("⟨1b⟩") && lines[1].text().contains("⟨202e⟩"));
    }
}
