use std::collections::BTreeMap;
use std::ops::Range;

use toml::de::DeTable;
use toml::{Table, Value};

use super::Position;
use super::key::ConfigKey;
use super::text_place::{TextPlace, line_start};

/// A key of a text, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct TextKey {
    pub key: ConfigKey,
    pub value: Value,
    /// Where its name begins, in bytes.
    at: usize,
    /// The range to blank for the key to be gone: its lines, or the inline table that it is in.
    whole: Range<usize>,
}

/// The keys of a text that was parsed before, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct TextKeys<'a> {
    text: &'a str,
    keys: Vec<TextKey>,
    /// The headers of tables, and their places.
    headers: Vec<(ConfigKey, Range<usize>)>,
}

impl<'a> TextKeys<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let mut found = Self {
            text,
            ..Self::default()
        };
        let values: Table = text.parse().unwrap_or_default();
        if let Ok(document) = DeTable::parse(text) {
            found.collect(document.get_ref(), &values, &[], None);
        }
        found.keys.sort_by_key(|key| key.at);
        found
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &TextKey> {
        self.keys.iter()
    }

    /// The key with these names, which are separated by dots and not quoted.
    pub(crate) fn get(&self, plain: &str) -> Option<&TextKey> {
        self.keys.iter().find(|it| it.key.plain() == plain)
    }

    /// The line of a key, counted from 1.
    pub(crate) fn line(&self, key: &TextKey) -> u32 {
        let position = Position::of(self.text, key.at);
        u32::try_from(position.line).unwrap_or(u32::MAX)
    }

    /// The values by their keys.
    pub(crate) fn values(&self) -> BTreeMap<String, Value> {
        let pairs = self.keys.iter();
        pairs
            .map(|it| (it.key.to_string(), it.value.clone()))
            .collect()
    }

    /// The text with spaces in place of a key, or of all keys of a section, so that nothing else moves.
    /// `None` if there is no such key.
    pub(super) fn blanked(&self, plain: &str) -> Option<String> {
        let within = format!("{plain}.");
        let is_meant = |key: &ConfigKey| {
            let key = key.plain();
            key == plain || key.starts_with(&within)
        };
        let keys = self.keys.iter().filter(|it| is_meant(&it.key));
        let headers = self.headers.iter().filter(|(key, _)| is_meant(key));
        let places: Vec<_> = keys
            .map(|it| it.whole.clone())
            .chain(headers.map(|(_, place)| place.clone()))
            .collect();
        if places.is_empty() {
            return None;
        }
        let mut text = self.text.to_owned();
        for place in places {
            let blank = |char: char| match char {
                '\n' => "\n".to_owned(),
                other => " ".repeat(other.len_utf8()),
            };
            let spaces: String = self.text[place.clone()].chars().map(blank).collect();
            text.replace_range(place, &spaces);
        }
        Some(text)
    }

    fn collect(
        &mut self,
        table: &DeTable<'_>,
        values: &Table,
        section: &[String],
        inline: Option<&Range<usize>>,
    ) {
        for (name, value) in table {
            let mut path = section.to_vec();
            path.push(name.get_ref().to_string());
            let at = name.span().start;
            let own = || line_start(self.text, at)..value.span().end;
            let whole = inline.cloned().unwrap_or_else(own);
            let known = values.get(name.get_ref().as_ref());
            match (value.get_ref().as_table(), known) {
                (Some(table), Some(Value::Table(values))) => {
                    let place = TextPlace::of(self.text, value);
                    if place == TextPlace::Header {
                        self.headers.push((ConfigKey::of(&path), value.span()));
                    }
                    let is_inline = inline.is_some() || place == TextPlace::Inline;
                    self.collect(table, values, &path, is_inline.then_some(&whole));
                }
                (None, Some(known)) => self.keys.push(TextKey {
                    key: ConfigKey::of(&path),
                    value: known.clone(),
                    at,
                    whole,
                }),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_key_is_found_with_its_line() {
        let text = "a.b = 1\n[c]\nd = { e = 2,\n  \"f.g\" = 3 }\n[c.h]\ni = [\n 1]\n";
        let keys = TextKeys::of(text);
        let found: Vec<_> = keys
            .iter()
            .map(|it| (it.key.to_string(), keys.line(it)))
            .collect();
        let expected = [("a.b", 1), ("c.d.e", 3), ("c.d.\"f.g\"", 4), ("c.h.i", 6)];
        let expected: Vec<_> = expected
            .iter()
            .map(|(key, line)| ((*key).to_owned(), *line))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_blanked_moves_nothing() {
        let text = "[a]\nb = 'ü'\nc = [\n 1]\n[d]\ne = { f = 1, g = 2 }\n";
        let blanked = |key| TextKeys::of(text).blanked(key);
        for (key, left) in [
            ("a.b", vec!["a.c", "d.e.f", "d.e.g"]),
            ("a.c", vec!["a.b", "d.e.f", "d.e.g"]),
            ("a", vec!["d.e.f", "d.e.g"]),
            ("d.e.f", vec!["a.b", "a.c"]),
        ] {
            let text_left = blanked(key).unwrap();
            assert_eq!(text_left.len(), text.len(), "{key}");
            let keys: Vec<_> = TextKeys::of(&text_left)
                .iter()
                .map(|it| it.key.plain())
                .collect();
            assert_eq!(keys, left, "{key}");
        }
        assert_eq!(blanked("x"), None);
    }
}
