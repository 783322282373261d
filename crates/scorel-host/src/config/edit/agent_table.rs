use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::DocumentOrigin;
use crate::config::ConfigError;

/// A table of the text, with the places of its keys and values.
type Parsed<'a> = Spanned<DeValue<'a>>;

/// Where and how an agent stands in the text of the configuration.
#[derive(Debug)]
pub(super) struct AgentTable {
    name: String,
    form: Form,
    /// The keys that it has, in the order of the text.
    entries: Vec<Entry>,
}

/// How the table is written.
#[derive(Debug)]
enum Form {
    /// Not at all.
    Absent,
    /// In lines of its own: below `[agents.NAME]`, which ends here, or as `NAME.key = …`.
    Lines { end: usize },
    /// `NAME = { … }`; the content begins here.
    Inline { begin: usize },
}

#[derive(Debug)]
struct Entry {
    key: String,
    key_begin: usize,
    value: Range<usize>,
}

impl AgentTable {
    /// Finds the agent in a text that was parsed before.
    pub(super) fn find(origin: &DocumentOrigin, name: &str) -> Result<Self, ConfigError> {
        let text = origin.text();
        let document = DeTable::parse(text)
            .map_err(|error| origin.error(error.span(), None, error.message(), None))?;
        let agents = document.get_ref().get("agents");
        let agent = agents.and_then(|agents| child(agents, name));
        let agents_inline = agents.filter(|agents| is_inline(text, agents));
        let (form, entries) = match (agent, agents_inline) {
            (Some(agent), _) if is_inline(text, agent) => {
                let begin = agent.span().start + 1;
                (Form::Inline { begin }, entries(agent))
            }
            (_, Some(agents)) => return Err(inline_agents(origin, agents.span(), name)),
            (Some(agent), None) => {
                let end = agent.span().end;
                (Form::Lines { end }, entries(agent))
            }
            (None, None) => (Form::Absent, Vec::new()),
        };
        Ok(Self {
            name: name.to_owned(),
            form,
            entries,
        })
    }

    /// The text with these values, as they are written, in the agent's table.
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

    fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// What is inserted for keys that the table does not have, and where.
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
        written.push_str(&format!("[agents.{}]{newline}", self.name));
        for (key, value) in values {
            written.push_str(&format!("{key} = {value}{newline}"));
        }
        written
    }

    /// Lines after the last one of the table, which begin as that one does: with its indentation, or
    /// with `NAME.`
    fn lines(&self, text: &str, end: usize, values: &[(&str, &str)]) -> (usize, String) {
        let newline = newline(text);
        let last = self.entries.last();
        let end = last.map_or(end, |last| last.value.end);
        let prefix = last.map_or("", |last| {
            let before = &text[..last.key_begin];
            &before[before.rfind('\n').map_or(0, |at| at + 1)..]
        });
        let lines = values
            .iter()
            .map(|(key, value)| format!("{prefix}{key} = {value}"));
        let lines = lines.collect::<Vec<_>>().join(newline);
        match text[end..].find('\n') {
            Some(at) => (end + at + 1, format!("{lines}{newline}")),
            None => (text.len(), format!("{newline}{lines}")),
        }
    }

    fn inline(&self, begin: usize, values: &[(&str, &str)]) -> (usize, String) {
        let pairs = values.iter().map(|(key, value)| format!("{key} = {value}"));
        let pairs = pairs.collect::<Vec<_>>().join(", ");
        match self.entries.last() {
            Some(last) => (last.value.end, format!(", {pairs}")),
            None => (begin, format!(" {pairs} ")),
        }
    }
}

fn child<'t, 'i>(table: &'t Parsed<'i>, name: &str) -> Option<&'t Parsed<'i>> {
    match table.get_ref() {
        DeValue::Table(table) => table.get(name),
        _ => None,
    }
}

fn entries(table: &Parsed<'_>) -> Vec<Entry> {
    let DeValue::Table(table) = table.get_ref() else {
        return Vec::new();
    };
    let entries = table.iter().map(|(key, value)| Entry {
        key: key.get_ref().to_string(),
        key_begin: key.span().start,
        value: value.span(),
    });
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(|entry| entry.key_begin);
    entries
}

/// The place of an inline table is its braces. That of any other one is its header, or its name.
fn is_inline(text: &str, table: &Parsed<'_>) -> bool {
    text[table.span()].starts_with('{')
}

fn inline_agents(origin: &DocumentOrigin, place: Range<usize>, name: &str) -> ConfigError {
    let reason = format!(
        "`agents` is an inline table, to which nothing can be added; write [agents.{name}] instead"
    );
    origin.error(Some(place), Some("agents".to_owned()), reason, None)
}

/// How the text ends its lines.
fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
