use scorel_extension::nearest;
use toml::{Table, Value};

use super::text_change::{TextChange, WrittenValue};
use super::text_table::TextTable;
use crate::EditConfigError;
use crate::key::ConfigKey;
use crate::origin::DocumentOrigin;
use crate::text_keys::TextKeys;

/// One key of a file gets another value, or goes.
#[derive(Debug)]
pub(super) struct KeyChange<'a> {
    key: &'a ConfigKey,
    pub(super) change: TextChange,
}

impl<'a> KeyChange<'a> {
    pub(super) fn unset(key: &'a ConfigKey) -> Self {
        Self::new(key, None)
    }

    /// `None` removes the key.
    fn new(key: &'a ConfigKey, value: Option<WrittenValue>) -> Self {
        let (section, name) = key.split();
        let change = TextChange {
            table: section.to_vec(),
            values: vec![(name.to_owned(), value)],
            keeps_table: false,
        };
        Self { key, change }
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
        let set = readings.into_iter().map(Some);
        set.map(|value| Self::new(key, value)).collect()
    }

    /// The text with the change. It is the same if it says so already.
    pub(super) fn applied(&self, origin: &DocumentOrigin) -> Result<String, EditConfigError> {
        let (section, name) = self.key.split();
        let table = TextTable::find(origin, section)?;
        if table.is_table(name) {
            let reason = format!("`{}` is a table; name one of its keys", self.key);
            return Err(EditConfigError::refused(None, reason, None));
        }
        let takes_out = self.change.values.iter().any(|(_, value)| value.is_none());
        if takes_out && !table.has(name) {
            return Err(self.not_set(origin));
        }
        Ok(self.change.applied(origin)?)
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
