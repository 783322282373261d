//! Reading a table of a manifest, with all that is wrong in it.

use std::cell::RefCell;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use crate::Problem;

/// The problems of a text, with their places.
#[derive(Debug)]
pub(super) struct Findings<'a> {
    text: &'a str,
    found: RefCell<Vec<Problem>>,
}

impl<'a> Findings<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        let found = RefCell::new(Vec::new());
        Self { text, found }
    }

    pub(super) fn add(&self, problem: Problem, span: Range<usize>) {
        let place = Some(place(self.text, span.start));
        self.found.borrow_mut().push(Problem { place, ..problem });
    }

    /// All of them, by place.
    pub(super) fn into_problems(self) -> Vec<Problem> {
        let mut found = self.found.into_inner();
        found.sort_by_key(|problem| problem.place);
        found
    }
}

/// Line and column, counted from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let begin = before.rfind('\n').map_or(0, |newline| newline + 1);
    (line, before[begin..].chars().count() + 1)
}

/// A table of a manifest. What does not fit is noted, and reads as absent.
#[derive(Debug, Clone, Copy)]
pub(super) struct ManifestTable<'r, 'a> {
    table: &'r DeTable<'a>,
    findings: &'r Findings<'a>,
    /// The place of what is missing.
    at: usize,
}

type Found<'r, 'a> = Option<&'r Spanned<DeValue<'a>>>;

impl<'r, 'a> ManifestTable<'r, 'a> {
    pub(super) const fn new(table: &'r DeTable<'a>, findings: &'r Findings<'a>, at: usize) -> Self {
        Self {
            table,
            findings,
            at,
        }
    }

    pub(super) const fn findings(&self) -> &'r Findings<'a> {
        self.findings
    }

    /// Notes the keys that are none of these.
    pub(super) fn only(&self, known: &[&str]) {
        for (key, _) in self.table {
            let name: &str = key.get_ref().as_ref();
            if !known.contains(&name) {
                let problem = Problem::of(name, "there is no such key here");
                let known = known.iter().copied();
                self.findings.add(problem.suggest(name, known), key.span());
            }
        }
    }

    fn find(&self, key: &str) -> Found<'r, 'a> {
        let mut entries = self.table.iter();
        entries
            .find(|(name, _)| name.get_ref() == key)
            .map(|(_, value)| value)
    }

    /// The place of a key's value, or of the table.
    pub(super) fn span(&self, key: &str) -> Range<usize> {
        let found = self.find(key).map(Spanned::span);
        found.unwrap_or(self.at..self.at)
    }

    pub(super) fn refuse(&self, key: &str, reason: impl Into<String>) {
        self.findings.add(Problem::of(key, reason), self.span(key));
    }

    pub(super) fn missing(&self, key: &str) {
        self.refuse(key, "it is missing");
    }

    fn read<T>(
        &self,
        key: &str,
        kind: &str,
        read: impl FnOnce(&'r DeValue<'a>) -> Option<T>,
    ) -> Option<T> {
        let value = self.find(key)?;
        let read = read(value.get_ref());
        if read.is_none() {
            self.refuse(key, format!("it is {kind}"));
        }
        read
    }

    /// A text of 1 to `max` characters, without control characters.
    pub(super) fn text(&self, key: &str, max: usize) -> Option<String> {
        let kind = format!("a text of 1 to {max} characters, without control characters");
        self.read(key, &kind, |value| {
            let text = value.as_str()?;
            let is_plain = !text.chars().any(|char| char.is_control() && char != '\n');
            let fits = !text.trim().is_empty() && text.chars().count() <= max;
            (is_plain && fits).then(|| text.to_owned())
        })
    }

    pub(super) fn needed_text(&self, key: &str, max: usize) -> Option<String> {
        if self.find(key).is_none() {
            self.missing(key);
        }
        self.text(key, max)
    }

    pub(super) fn flag(&self, key: &str) -> bool {
        let read = self.read(key, "`true` or `false`", DeValue::as_bool);
        read.unwrap_or_default()
    }

    pub(super) fn number(&self, key: &str, range: std::ops::RangeInclusive<u64>) -> Option<u64> {
        let (first, last) = (range.start(), range.end());
        let kind = format!("a whole number from {first} to {last}");
        self.read(key, &kind, |value| {
            let integer = value.as_integer()?;
            let number = u64::from_str_radix(integer.as_str(), integer.radix()).ok()?;
            range.contains(&number).then_some(number)
        })
    }

    /// Texts of a list.
    pub(super) fn texts(&self, key: &str, max: usize) -> Option<Vec<String>> {
        let kind = format!("a list of 1 to {max} texts");
        self.read(key, &kind, |value| {
            let texts = value.as_array()?.iter();
            let texts = texts.map(|text| text.get_ref().as_str().map(str::to_owned));
            let texts: Vec<_> = texts.collect::<Option<_>>()?;
            (1..=max).contains(&texts.len()).then_some(texts)
        })
    }

    /// One of these words.
    pub(super) fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Option<T> {
        let written = self.find(key)?.get_ref().as_str().unwrap_or_default();
        let found = words.iter().find(|(word, _)| *word == written);
        if found.is_none() {
            let all: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            let problem = Problem::of(key, format!("it is one of {}", all.join(", ")));
            let known = words.iter().map(|(word, _)| *word);
            self.findings
                .add(problem.suggest(written, known), self.span(key));
        }
        found.map(|(_, value)| *value)
    }

    /// A table below this one.
    pub(super) fn table(&self, key: &str) -> Option<Self> {
        let at = self.span(key).start;
        let table = self.read(key, "a table", DeValue::as_table)?;
        Some(Self::new(table, self.findings, at))
    }

    /// The tables of a list, at most `max`.
    pub(super) fn tables(&self, key: &str, max: usize) -> Vec<Self> {
        let kind = format!("a list of at most {max} tables");
        let read = |value: &'r DeValue<'a>| {
            let list: &DeArray<'a> = value.as_array()?;
            let tables = list.iter().map(|it| {
                let table = it.get_ref().as_table()?;
                Some(Self::new(table, self.findings, it.span().start))
            });
            let tables: Vec<_> = tables.collect::<Option<_>>()?;
            (tables.len() <= max).then_some(tables)
        };
        self.read(key, &kind, read).unwrap_or_default()
    }

    /// The keys with their tables or values.
    pub(super) fn keys(&self) -> impl Iterator<Item = (&'r str, Range<usize>)> {
        let keys = self.table.iter();
        keys.map(|(key, _)| (key.get_ref().as_ref(), key.span()))
    }

    /// The value as JSON; `None` if it has a date.
    pub(super) fn json(&self, key: &str) -> Option<serde_json::Value> {
        self.read(key, "a JSON Schema as a table", |value| {
            value.is_table().then(|| json(value))?
        })
    }
}

fn json(value: &DeValue<'_>) -> Option<serde_json::Value> {
    use serde_json::Value as Json;
    Some(match value {
        DeValue::String(text) => Json::String(text.clone().into_owned()),
        DeValue::Boolean(flag) => Json::Bool(*flag),
        DeValue::Integer(integer) => {
            Json::from(i64::from_str_radix(integer.as_str(), integer.radix()).ok()?)
        }
        DeValue::Float(float) => Json::from(float.as_str().parse::<f64>().ok()?),
        DeValue::Datetime(_) => return None,
        DeValue::Array(list) => {
            let values = list.iter().map(|value| json(value.get_ref()));
            Json::Array(values.collect::<Option<_>>()?)
        }
        DeValue::Table(table) => {
            let entries = table.iter().map(|(key, value)| {
                let value = json(value.get_ref())?;
                Some((key.get_ref().clone().into_owned(), value))
            });
            Json::Object(entries.collect::<Option<_>>()?)
        }
    })
}
