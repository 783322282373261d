use std::ops::Range;

use toml::de::DeTable;

use super::DocumentOrigin;
use crate::ConfigError;
use crate::key::ConfigKey;
use crate::text_place::{Parsed, TextPlace, line_end, line_start};

/// Where and how a table stands in the text of a configuration.
#[derive(Debug)]
pub(super) struct TextTable {
    /// As it is written between brackets.
    name: String,
    form: Form,
    /// The keys that it has, in the order of the text. Those of headers of their own are not among them.
    entries: Vec<Entry>,
    /// The keys whose values are tables with headers of their own.
    tables: Vec<String>,
}

/// How the table is written.
#[derive(Debug)]
enum Form {
    /// Not at all, or only as a part of the names of others.
    Absent,
    /// In lines of its own: below `[NAME]`, which ends here, or as `NAME.key = …`.
    Lines { end: usize },
    /// `NAME = { … }`; the content begins here.
    Inline { begin: usize },
}

#[derive(Debug)]
struct Entry {
    key: String,
    key_begin: usize,
    value: Range<usize>,
    /// Whether it is a table that is written with dots, and the value is where that begins and ends.
    is_dotted: bool,
}

impl TextTable {
    /// Finds a table in a text that was parsed before. Without segments it is the whole document.
    pub(super) fn find(origin: &DocumentOrigin, path: &[String]) -> Result<Self, ConfigError> {
        let text = origin.text();
        let document = DeTable::parse(text)
            .map_err(|error| origin.error(error.span(), None, error.message(), None))?;
        let name = ConfigKey::of(path).to_string();
        let absent = Self {
            name,
            form: Form::Absent,
            entries: Vec::new(),
            tables: Vec::new(),
        };
        let mut found: Option<&Parsed<'_>> = None;
        for (depth, segment) in path.iter().enumerate() {
            let within =
                found.map_or_else(|| Some(document.get_ref()), |it| it.get_ref().as_table());
            let child = within.and_then(|table| table.get(segment.as_str()));
            let parent_is_inline =
                found.filter(|parent| TextPlace::of(text, parent) == TextPlace::Inline);
            match (child, parent_is_inline) {
                (Some(child), Some(parent)) if TextPlace::of(text, child) != TextPlace::Inline => {
                    return Err(inline_parent(origin, parent, path, depth));
                }
                (None, Some(parent)) => return Err(inline_parent(origin, parent, path, depth)),
                (Some(child), _) if child.get_ref().as_table().is_none() => {
                    return Err(not_a_table(origin, child, &path[..=depth]));
                }
                (Some(child), _) => found = Some(child),
                (None, None) => return Ok(absent),
            }
        }
        Ok(match found {
            None => Self {
                form: Form::Lines { end: 0 },
                ..absent.with_entries(text, document.get_ref())
            },
            Some(table) => absent.found(text, table),
        })
    }

    fn found(self, text: &str, table: &Parsed<'_>) -> Self {
        let form = match TextPlace::of(text, table) {
            TextPlace::Inline => Form::Inline {
                begin: table.span().start + 1,
            },
            TextPlace::Header | TextPlace::Line => Form::Lines {
                end: table.span().end,
            },
            TextPlace::InHeader => Form::Absent,
        };
        let found = Self { form, ..self };
        match table.get_ref().as_table() {
            Some(table) => found.with_entries(text, table),
            None => found,
        }
    }

    fn with_entries(mut self, text: &str, table: &DeTable<'_>) -> Self {
        for (key, value) in table {
            let name = key.get_ref().to_string();
            match TextPlace::of(text, value) {
                TextPlace::Header | TextPlace::InHeader => self.tables.push(name),
                place => self.entries.push(Entry {
                    key: name,
                    key_begin: key.span().start,
                    value: value.span().start..end(text, value),
                    is_dotted: place == TextPlace::Line && value.get_ref().as_table().is_some(),
                }),
            }
        }
        self.entries.sort_by_key(|entry| entry.key_begin);
        self
    }

    /// Whether the key stands for a table that is not written as one value.
    pub(super) fn is_table(&self, key: &str) -> bool {
        let is_dotted = self.entry(key).is_some_and(|entry| entry.is_dotted);
        is_dotted || self.tables.iter().any(|name| name == key)
    }

    /// Returns whether the table has the key, and not as a table with a header of its own.
    pub(super) fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// The text with these values, as they are written, in the table.
    pub(super) fn with(&self, text: &str, values: &[(&str, String)]) -> String {
        let mut splices: Vec<(Range<usize>, String)> = Vec::new();
        let mut new = Vec::new();
        for (key, value) in values {
            match self.entry(key) {
                Some(entry) => splices.push((entry.value.clone(), value.clone())),
                None => new.push((*key, value.as_str())),
            }
        }
        splices.extend(self.addition(text, &new));
        // From the end, so that the places before stay where they are.
        splices.sort_by_key(|(place, _)| place.start);
        let mut text = text.to_owned();
        for (place, written) in splices.into_iter().rev() {
            text.replace_range(place, &written);
        }
        text
    }

    /// The text without a key; `None` if the table does not have it.
    pub(super) fn without(&self, text: &str, key: &str) -> Option<String> {
        let at = self.entries.iter().position(|entry| entry.key == key)?;
        let entry = self.entries.get(at)?;
        let (before, after) = (at.checked_sub(1), self.entries.get(at + 1));
        let before = before.and_then(|before| self.entries.get(before));
        let place = match (&self.form, before, after) {
            (Form::Inline { .. }, Some(before), _) => before.value.end..entry.value.end,
            (Form::Inline { .. }, None, Some(after)) => entry.key_begin..after.key_begin,
            (Form::Inline { .. }, None, None) => entry.key_begin..entry.value.end,
            _ => {
                let lines = line_start(text, entry.key_begin)..line_end(text, entry.value.end);
                self.header_begin(text, &lines).unwrap_or(lines.start)..lines.end
            }
        };
        let mut text = text.to_owned();
        text.replace_range(place, "");
        Some(text)
    }

    /// Where the header begins, with the empty line before it, if nothing but `lines` is below it.
    fn header_begin(&self, text: &str, lines: &Range<usize>) -> Option<usize> {
        let Form::Lines { end } = self.form else {
            return None;
        };
        let begin = line_start(text, end);
        let rest = text[lines.end..].trim_start();
        let is_alone = self.entries.len() == 1
            && self.tables.is_empty()
            && text[begin..].starts_with('[')
            && text.get(end..lines.start)?.trim().is_empty()
            && (rest.is_empty() || rest.starts_with('['));
        // A comment right above may be about the table.
        let before = text[..begin].strip_suffix('\n');
        let is_apart = before.is_none_or(|before| before.ends_with('\n'));
        (is_alone && is_apart).then_some(before.map_or(begin, str::len))
    }

    fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The text to insert for keys that the table does not have, and its place.
    fn addition(&self, text: &str, values: &[(&str, &str)]) -> Option<(Range<usize>, String)> {
        let (at, written) = match self.form {
            Form::Absent => (text.len(), self.whole_table(text, values)),
            _ if values.is_empty() => return None,
            Form::Lines { end } => self.lines(text, end, values),
            Form::Inline { begin } => self.inline(begin, values),
        };
        Some((at..at, written))
    }

    /// The table at the end of the text.
    fn whole_table(&self, text: &str, values: &[(&str, &str)]) -> String {
        let newline = newline(text);
        let mut written = String::new();
        if !text.is_empty() {
            if !text.ends_with('\n') {
                written.push_str(newline);
            }
            written.push_str(newline);
        }
        written.push_str(&format!("[{}]{newline}", self.name));
        for (key, value) in values {
            written.push_str(&format!("{} = {value}{newline}", ConfigKey::quoted(key)));
        }
        written
    }

    /// Lines after the last one of the table, which begin as that one does: with its indentation, or
    /// with `NAME.`
    fn lines(&self, text: &str, end: usize, values: &[(&str, &str)]) -> (usize, String) {
        let newline = newline(text);
        let last = self.entries.iter().max_by_key(|entry| entry.value.end);
        let end = last.map_or(end, |last| last.value.end);
        let prefix = last.map_or("", |last| {
            &text[line_start(text, last.key_begin)..last.key_begin]
        });
        let lines = values
            .iter()
            .map(|(key, value)| format!("{prefix}{} = {value}", ConfigKey::quoted(key)));
        let lines = lines.collect::<Vec<_>>().join(newline);
        // Keys without a section stand before the first section.
        if end == 0 {
            return (0, format!("{lines}{newline}"));
        }
        match text[end..].find('\n') {
            Some(at) => (end + at + 1, format!("{lines}{newline}")),
            None => (text.len(), format!("{newline}{lines}")),
        }
    }

    fn inline(&self, begin: usize, values: &[(&str, &str)]) -> (usize, String) {
        let pairs = values
            .iter()
            .map(|(key, value)| format!("{} = {value}", ConfigKey::quoted(key)));
        let pairs = pairs.collect::<Vec<_>>().join(", ");
        match self.entries.last() {
            Some(last) => (last.value.end, format!(", {pairs}")),
            None => (begin, format!(" {pairs} ")),
        }
    }
}

/// Where a value ends: for a table that is written with dots, its last line.
fn end(text: &str, value: &Parsed<'_>) -> usize {
    let own = value.span().end;
    match (TextPlace::of(text, value), value.get_ref().as_table()) {
        (TextPlace::Line, Some(table)) => {
            let ends = table
                .iter()
                .map(|(_, value)| match TextPlace::of(text, value) {
                    TextPlace::Header | TextPlace::InHeader => own,
                    _ => end(text, value),
                });
            ends.max().unwrap_or(own)
        }
        _ => own,
    }
}

fn inline_parent(
    origin: &DocumentOrigin,
    parent: &Parsed<'_>,
    path: &[String],
    depth: usize,
) -> ConfigError {
    let (above, name) = (ConfigKey::of(&path[..depth]), ConfigKey::of(path));
    let reason = format!(
        "`{above}` is an inline table, to which nothing can be added; write [{name}] instead"
    );
    origin.error(Some(parent.span()), Some(above.to_string()), reason, None)
}

fn not_a_table(origin: &DocumentOrigin, value: &Parsed<'_>, path: &[String]) -> ConfigError {
    let key = ConfigKey::of(path).to_string();
    let reason = format!("`{key}` is a value, not a table of keys");
    origin.error(Some(value.span()), Some(key), reason, None)
}

/// How the text ends its lines.
fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
