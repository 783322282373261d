use std::fmt::Write as _;
use std::ops::Range;

use serde_json::Value;

use super::entry::{Entry, EntryValue};
use super::scalar::plain_value;

/// Blanks before the items of a new list.
const INDENT: usize = 2;

/// A text that takes the place of a range of the head.
#[derive(Debug)]
pub(super) struct Edited {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// The ends and depths of lines in this head.
#[derive(Debug, Clone, Copy)]
struct Lines<'a> {
    head: &'a str,
    end: &'static str,
    /// Blanks before the keys.
    indent: usize,
}

impl Edited {
    /// Adds a field below the others.
    pub(super) fn add(head: &str, text: &str, entries: &[Entry], key: &str, value: &Value) -> Self {
        let first = entries.first().map_or(0, |entry| entry.written.start);
        let lines = Lines::at(head, text, first);
        let blanks = " ".repeat(lines.indent);
        let written = match value {
            Value::Array(items) if !items.is_empty() => {
                let items = lines.items(items, lines.indent + INDENT);
                format!("{blanks}{}:{}{items}", written_key(key), lines.end)
            }
            value => format!("{blanks}{}: {}{}", written_key(key), json(value), lines.end),
        };
        Self {
            range: head.len()..head.len(),
            text: written,
        }
    }

    /// Gives a field another value.
    pub(super) fn change(head: &str, entry: &Entry, old: &Value, new: &Value) -> Self {
        let lines = Lines::at(head, head, entry.written.start);
        let colon = lines.after_colon(entry);
        let start = lines.first_content(colon);
        match (&entry.value, new) {
            (EntryValue::Block, Value::Array(items)) if !items.is_empty() => {
                let list = old.as_array();
                let indent = match list {
                    Some(_) => start - lines.line_start(start),
                    None => lines.indent + INDENT,
                };
                let end = lines.block_end(start);
                match list.and_then(|old| items.strip_prefix(old.as_slice())) {
                    Some(more) => Self {
                        range: end..end,
                        text: lines.items(more, indent),
                    },
                    None => Self {
                        range: lines.line_start(start)..end,
                        text: lines.items(items, indent),
                    },
                }
            }
            (EntryValue::Block, value) => {
                let between = &head[colon..lines.line_start(start)];
                Self {
                    range: colon..lines.block_end(start),
                    text: format!(" {}{between}", json(value)),
                }
            }
            (written, Value::Array(items)) if !items.is_empty() => {
                let value = lines.range(written, colon);
                let line_end = lines.line_end(value.end);
                let before = head[colon..value.start].trim_end_matches([' ', '\t']);
                let rest = &head[value.end..line_end];
                let items = lines.items(items, lines.indent + INDENT);
                Self {
                    range: colon..line_end,
                    text: format!("{before}{rest}{items}"),
                }
            }
            (EntryValue::Absent, value) => Self {
                range: colon..colon,
                text: format!(" {}", json(value)),
            },
            (written, value) => Self {
                range: lines.range(written, colon),
                text: json(value),
            },
        }
    }
}

impl<'a> Lines<'a> {
    /// Like the line of a key; `sample` has at least one line.
    fn at(head: &'a str, sample: &str, key: usize) -> Self {
        let mut lines = Self {
            head,
            end: "\n",
            indent: 0,
        };
        lines.indent = key - lines.line_start(key);
        let first = head[key..].split_inclusive('\n').next();
        let sampled = first.or_else(|| sample.split_inclusive('\n').next());
        if sampled.is_some_and(|line| line.ends_with("\r\n")) {
            lines.end = "\r\n";
        }
        lines
    }

    fn items(self, items: &[Value], indent: usize) -> String {
        let mut text = String::new();
        for item in items {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "{:indent$}- {}{}", "", json(item), self.end);
        }
        text
    }

    fn after_colon(self, entry: &Entry) -> usize {
        let after = &self.head[entry.written.end..];
        let blanks = after.len() - after.trim_start_matches([' ', '\t']).len();
        let colon = entry.written.end + blanks;
        colon + usize::from(self.head[colon..].starts_with(':'))
    }

    /// The first character of a value, behind blanks and comments.
    fn first_content(self, colon: usize) -> usize {
        let mut at = colon;
        loop {
            let rest = &self.head[at..];
            at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            if !self.head[at..].starts_with('#') {
                return at;
            }
            at = self.line_end(at);
        }
    }

    /// A value that begins in the line of its key or is a scalar.
    fn range(self, value: &EntryValue, colon: usize) -> Range<usize> {
        match value {
            EntryValue::Absent => colon..colon,
            EntryValue::Inline(range) => range.clone(),
            EntryValue::Block | EntryValue::BlockText => {
                let start = self.first_content(colon);
                let text = &self.head[start..self.block_end(start)];
                start..start + text.trim_end_matches(['\r', '\n']).len()
            }
        }
    }

    fn line_start(self, at: usize) -> usize {
        self.head[..at].rfind('\n').map_or(0, |end| end + 1)
    }

    /// The first byte of the next line.
    fn line_end(self, at: usize) -> usize {
        let end = self.head[at..].find('\n');
        end.map_or(self.head.len(), |end| at + end + 1)
    }

    /// The end of the last line of a block. Blank lines, and comments that are no deeper than the key, are not of it.
    fn block_end(self, start: usize) -> usize {
        let mut end = self.line_end(start);
        let mut at = end;
        for line in self.head[end..].split_inclusive('\n') {
            let text = line.trim_start_matches([' ', '\t']);
            let depth = line.len() - text.len();
            let is_item = depth == self.indent && is_item(text) && is_item(&self.head[start..]);
            at += line.len();
            match text.trim_end().is_empty() {
                true => {}
                false if depth > self.indent || is_item => end = at,
                // It may stand between two items.
                false if text.starts_with('#') => {}
                false => break,
            }
        }
        end
    }
}

/// True for an item of a block list.
fn is_item(text: &str) -> bool {
    text.strip_prefix('-')
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
}

/// JSON that is YAML as well, also for readers of YAML 1.1.
fn json(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(json).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(key, value)| format!("{}:{}", json_text(key), json(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        Value::String(text) => json_text(text),
        Value::Number(number) if number.is_f64() => json_float(&number.to_string()),
        value => value.to_string(),
    }
}

fn json_text(text: &str) -> String {
    let mut written = String::new();
    for char in Value::from(text).to_string().chars() {
        match char {
            '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                // Writing to a `String` cannot fail.
                let _ = write!(written, "\\u{:04x}", u32::from(char));
            }
            char => written.push(char),
        }
    }
    written
}

/// With a point and a sign: without them a number with an exponent is a text in YAML 1.1.
fn json_float(text: &str) -> String {
    let Some((digits, exponent)) = text.split_once('e') else {
        return text.to_owned();
    };
    let point = if digits.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with('-') { "" } else { "+" };
    format!("{digits}{point}e{sign}{}", exponent.trim_start_matches('+'))
}

fn written_key(key: &str) -> String {
    let is_word = key.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
        && key
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || "_-".contains(it))
        && matches!(plain_value(key), Some(Value::String(_)))
        && !["y", "n", "yes", "no", "on", "off"].contains(&key.to_ascii_lowercase().as_str());
    match is_word {
        true => key.to_owned(),
        false => json_text(key),
    }
}
