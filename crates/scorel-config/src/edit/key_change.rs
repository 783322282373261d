use toml::{Table, Value};

use super::text_table::TextTable;
use crate::EditConfigError;
use crate::key::ConfigKey;
use crate::origin::DocumentOrigin;
use crate::parse::nearest;
use crate::text_keys::TextKeys;

/// One key of a file gets another value, or goes.
#[derive(Debug)]
pub(super) struct KeyChange<'a> {
    key: &'a ConfigKey,
    /// The value, and how it is written; `None` to remove the key.
    value: Option<(String, Value)>,
}

impl<'a> KeyChange<'a> {
    pub(super) const fn unset(key: &'a ConfigKey) -> Self {
        Self { key, value: None }
    }

    pub(super) const fn key(&self) -> &'a ConfigKey {
        self.key
    }

    /// What a person may mean by a text: a value as TOML writes it, or else the text itself.
    pub(super) fn readings(key: &'a ConfigKey, text: &str) -> Vec<Self> {
        let as_text = Value::from(text);
        let mut readings = vec![(as_text.to_string(), as_text)];
        if let Some(value) = toml_value(text)
            && !value.is_datetime()
        {
            let is_text = value.is_str();
            readings.insert(0, (text.trim().to_owned(), value));
            readings.truncate(if is_text { 1 } else { 2 });
        }
        let set = |value| Self {
            key,
            value: Some(value),
        };
        readings.into_iter().map(set).collect()
    }

    /// The text with the change. It is the same if it says so already.
    pub(super) fn applied(&self, origin: &DocumentOrigin) -> Result<String, EditConfigError> {
        let (section, name) = self.key.split();
        let table = TextTable::find(origin, section)?;
        if table.is_table(name) {
            let reason = format!("`{}` is a table; name one of its keys", self.key);
            return Err(EditConfigError::refused(None, reason, None));
        }
        let text = origin.text();
        match &self.value {
            // An unchanged value keeps its spelling in the file.
            Some((_, value)) if self.current(&table_of(text)) == Some(value) => Ok(text.to_owned()),
            Some((written, _)) => Ok(table.with(text, &[(name, written.clone())])),
            None => table
                .without(text, name)
                .ok_or_else(|| self.not_set(origin)),
        }
    }

    /// Whether the second text says what the first one says, and this change, and nothing else.
    pub(super) fn is_all_between(&self, before: &str, after: &str) -> bool {
        let (mut expected, mut found) = (table_of(before), table_of(after));
        let (section, name) = self.key.split();
        let mut table = &mut expected;
        for segment in section {
            let inner = table
                .entry(segment)
                .or_insert_with(|| Value::Table(Table::new()));
            match inner {
                Value::Table(inner) => table = inner,
                _ => return false,
            }
        }
        match &self.value {
            Some((_, value)) => drop(table.insert(name.to_owned(), value.clone())),
            None => drop(table.remove(name)),
        }
        // A table without keys says nothing, and goes with its last one if it has no header.
        prune(&mut expected);
        prune(&mut found);
        expected == found
    }

    fn current<'t>(&self, table: &'t Table) -> Option<&'t Value> {
        let (section, name) = self.key.split();
        let within = section
            .iter()
            .try_fold(table, |table, segment| table.get(segment)?.as_table())?;
        within.get(name)
    }

    fn not_set(&self, origin: &DocumentOrigin) -> EditConfigError {
        let keys = TextKeys::of(origin.text());
        let known: Vec<String> = keys.iter().map(|it| it.key.to_string()).collect();
        let like = nearest(&self.key.to_string(), known.iter().map(String::as_str));
        let reason = format!("`{}` is not set in {}", self.key, origin.path().display());
        EditConfigError::refused(None, reason, like.map(str::to_owned))
    }
}

/// The value that the text is, as TOML writes it.
fn toml_value(text: &str) -> Option<Value> {
    let mut table: Table = format!("value = {}", text.trim()).parse().ok()?;
    let value = table.remove("value")?;
    // A text of several lines may be more than a value.
    table.is_empty().then_some(value)
}

/// The values of a text that was parsed before.
fn table_of(text: &str) -> Table {
    text.parse().unwrap_or_default()
}

fn prune(table: &mut Table) {
    for (_, value) in table.iter_mut() {
        if let Value::Table(inner) = value {
            prune(inner);
        }
    }
    table.retain(|_, value| value.as_table().is_none_or(|inner| !inner.is_empty()));
}
