use toml::{Table, Value};

use super::DocumentOrigin;
use super::text_table::TextTable;
use crate::ConfigError;

/// A value, and how it is written.
pub(super) type WrittenValue = (String, Value);

/// Keys of one table of a text that get other values, or go.
#[derive(Debug)]
pub(super) struct TextChange {
    /// The names of the tables that lead to it; none for the whole document.
    pub(super) table: Vec<String>,
    /// In the order of the documentation; `None` takes a key out.
    pub(super) values: Vec<(String, Option<WrittenValue>)>,
    /// Set if the table is there afterwards even without a key.
    pub(super) keeps_table: bool,
}

impl TextChange {
    /// The text with the change. It is the same if it says so already.
    pub(super) fn applied(&self, origin: &DocumentOrigin) -> Result<String, ConfigError> {
        // Each key that goes moves the places of the others.
        let mut left = origin.clone();
        for (key, _) in self.values.iter().filter(|(_, value)| value.is_none()) {
            let table = TextTable::find(&left, &self.table)?;
            if let Some(text) = table.without(left.text(), key) {
                left = DocumentOrigin::new(origin.path().to_owned(), text);
            }
        }
        let before = table_of(origin.text());
        let before = self.table_in(&before);
        // An unchanged value keeps its spelling in the file.
        let differs = |key: &str, value: &Value| before.and_then(|it| it.get(key)) != Some(value);
        let mut values = Vec::new();
        for (key, value) in &self.values {
            if let Some((written, value)) = value
                && differs(key, value)
            {
                values.push((key.as_str(), written.clone()));
            }
        }
        if values.is_empty() && !self.keeps_table {
            return Ok(left.text().to_owned());
        }
        let table = TextTable::find(&left, &self.table)?;
        Ok(table.with(left.text(), &values))
    }

    /// Returns whether the second text says what the first one says, and this change, and nothing else.
    pub(super) fn is_all_between(&self, before: &str, after: &str) -> bool {
        let (mut expected, mut found) = (table_of(before), table_of(after));
        let mut table = &mut expected;
        for segment in &self.table {
            let inner = table
                .entry(segment)
                .or_insert_with(|| Value::Table(Table::new()));
            match inner {
                Value::Table(inner) => table = inner,
                _ => return false,
            }
        }
        for (key, value) in &self.values {
            match value {
                Some((_, value)) => drop(table.insert(key.clone(), value.clone())),
                None => drop(table.remove(key)),
            }
        }
        if !self.keeps_table {
            // A table without keys says nothing, and goes with its last one if it has no header.
            prune(&mut expected);
            prune(&mut found);
        }
        expected == found
    }

    fn table_in<'t>(&self, document: &'t Table) -> Option<&'t Table> {
        let mut names = self.table.iter();
        names.try_fold(document, |table, name| table.get(name)?.as_table())
    }
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
