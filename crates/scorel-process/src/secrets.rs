//! Redacting secrets in what a program writes.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use serde_json::json;

/// A shorter one would be part of many a word.
const MIN_LENGTH: usize = 8;

/// The values of secrets, as they are and as JSON writes them. Does not print them.
#[derive(Clone, Default)]
pub struct Secrets {
    /// The longest first: one may be the beginning of another.
    values: Vec<SecretValue>,
    /// Finds all of them in one pass: a program may write nothing else. `None` without any.
    search: Option<AhoCorasick>,
}

#[derive(Clone, PartialEq, Eq)]
struct SecretValue {
    text: String,
    /// The text in its place.
    replacement: String,
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({})", self.values.len())
    }
}

impl Secrets {
    /// Values that become `[secret]`.
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let unnamed = |text| SecretValue {
            text,
            replacement: "[secret]".to_owned(),
        };
        Self::of(values.into_iter().map(unnamed))
    }

    /// Names and values; a value becomes `[secret NAME]`.
    pub fn named(values: impl IntoIterator<Item = (String, String)>) -> Self {
        Self::of(values.into_iter().map(|(name, text)| SecretValue {
            text,
            replacement: format!("[secret {name}]"),
        }))
    }

    fn of(values: impl IntoIterator<Item = SecretValue>) -> Self {
        let both = values.into_iter().flat_map(|value| {
            let escaped = json!(value.text).to_string();
            let text = escaped.trim_matches('"').to_owned();
            let replacement = value.replacement.clone();
            [value, SecretValue { text, replacement }]
        });
        let mut values: Vec<_> = both.collect();
        values.retain(|value| value.text.len() >= MIN_LENGTH);
        values.sort_by(|one, other| {
            (other.text.len(), &other.text).cmp(&(one.text.len(), &one.text))
        });
        values.dedup_by(|one, other| one.text == other.text);
        let mut search = AhoCorasick::builder();
        let search = search.match_kind(MatchKind::LeftmostLongest);
        let search = search.build(values.iter().map(|value| &value.text));
        let search = search.expect("secrets are far fewer bytes than an automaton can have states");
        Self {
            search: Some(search).filter(|_| !values.is_empty()),
            values,
        }
    }

    /// These and another one.
    #[must_use]
    pub fn and(self, value: String) -> Self {
        let more = Self::new([value]);
        Self::of(self.values.into_iter().chain(more.values))
    }

    /// Returns whether there is nothing to be cut out.
    pub const fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// A text without them.
    pub fn cut(&self, text: &str) -> String {
        let mut redactor = SecretRedactor::new(self.clone());
        let mut left = redactor.push(text.as_bytes());
        left.extend(redactor.end());
        String::from_utf8_lossy(&left).into_owned()
    }

    /// The places of those in a text, with what stands there instead.
    pub(crate) fn places(&self, text: &str) -> Vec<(Range<usize>, &str)> {
        let found = self.search.iter().flat_map(|it| it.find_iter(text));
        let place = |it: aho_corasick::Match| {
            (
                it.range(),
                &*self.values[it.pattern().as_usize()].replacement,
            )
        };
        found.map(place).collect()
    }

    /// The first that is in the bytes as a whole; of several there, the longest.
    fn find(&self, bytes: &[u8]) -> Option<FoundSecret<'_>> {
        let found = self.search.as_ref()?.find(bytes)?;
        Some(FoundSecret {
            start: found.start(),
            end: found.end(),
            replacement: self.values[found.pattern().as_usize()]
                .replacement
                .as_bytes(),
        })
    }

    /// The offset at which a prefix of a secret may start at the end of the bytes; their length if none
    /// does.
    fn begins_at(&self, bytes: &[u8]) -> usize {
        let longest = self.values.first().map_or(0, |value| value.text.len());
        let mut places = bytes.len().saturating_sub(longest)..bytes.len();
        let begins = |at: &usize| {
            let end = &bytes[*at..];
            let texts = self.values.iter().map(|value| value.text.as_bytes());
            let mut longer = texts.filter(|secret| end.len() < secret.len());
            longer.any(|secret| secret.starts_with(end))
        };
        places.find(begins).unwrap_or(bytes.len())
    }
}

struct FoundSecret<'a> {
    start: usize,
    end: usize,
    replacement: &'a [u8],
}

/// Cuts secrets out of a stream that comes in pieces.
#[derive(Debug)]
pub struct SecretRedactor {
    secrets: Secrets,
    /// Held back, since it may be a prefix of a secret.
    held: Vec<u8>,
}

impl SecretRedactor {
    pub const fn new(secrets: Secrets) -> Self {
        Self {
            secrets,
            held: Vec::new(),
        }
    }

    /// Adds a piece and returns the part of the stream that can be passed on.
    pub fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.held);
        bytes.extend_from_slice(piece);
        let mut told = Vec::with_capacity(bytes.len());
        let mut from = 0;
        let mut held_from = self.secrets.begins_at(&bytes);
        while let Some(found) = self.secrets.find(&bytes[from..])
            // A longer one may begin there, or before.
            && from + found.start < held_from
        {
            told.extend_from_slice(&bytes[from..from + found.start]);
            told.extend_from_slice(found.replacement);
            from += found.end;
            if from > held_from {
                held_from = from + self.secrets.begins_at(&bytes[from..]);
            }
        }
        told.extend_from_slice(&bytes[from..held_from]);
        self.held = bytes[held_from..].to_vec();
        told
    }

    /// The rest at the end of the stream.
    pub fn end(&mut self) -> Vec<u8> {
        let bytes = std::mem::take(&mut self.held);
        let mut told = Vec::new();
        let mut rest = bytes.as_slice();
        while let Some(found) = self.secrets.find(rest) {
            told.extend_from_slice(&rest[..found.start]);
            told.extend_from_slice(found.replacement);
            rest = &rest[found.end..];
        }
        told.extend_from_slice(rest);
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_cut_out_the_longer_first() {
        let secrets = Secrets::new(["sk-12345", "sk-12345-67", "ab"].map(str::to_owned));
        let cut = secrets.cut("sk-12345-67 sk-12345, ab sk-1234");
        assert_eq!(cut, "[secret] [secret], ab sk-1234");
        assert_eq!(format!("{secrets:?}"), "Secrets(2)");
    }

    #[test]
    fn a_secret_with_a_name_leaves_its_name() {
        let named = [("KEY", "sk-12345"), ("LONG", "sk-12345-67")];
        let secrets =
            Secrets::named(named.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let cut = secrets
            .and("token-99".to_owned())
            .cut("sk-12345-67 sk-12345 token-99");
        assert_eq!(cut, "[secret LONG] [secret KEY] [secret]");
    }

    #[test]
    fn secrets_are_cut_out_however_the_bytes_are_cut() {
        let secrets = Secrets::new(["sk-12345", "sk-12345-67", "a\"b\\c-9876"].map(str::to_owned));
        let text = br#"sk-12345-67 sk-12345, sk-sk-12345 a"b\c-9876 a\"b\\c-9876 sk-1234"#;
        let expected = "[secret] [secret], sk-[secret] [secret] [secret] sk-1234";
        for first in 0..text.len() {
            for second in first..text.len() {
                let mut redactor = SecretRedactor::new(secrets.clone());
                let pieces = [&text[..first], &text[first..second], &text[second..]];
                let mut told = pieces.map(|piece| redactor.push(piece)).concat();
                told.extend(redactor.end());
                assert_eq!(
                    String::from_utf8(told).unwrap(),
                    expected,
                    "{first} {second}"
                );
            }
        }
    }

    #[test]
    fn what_cannot_be_a_secret_is_told_at_once() {
        let mut redactor = SecretRedactor::new(Secrets::new(["sk-12345".to_owned()]));
        assert_eq!(redactor.push(b"ask-"), b"a");
        assert_eq!(redactor.push(b"ing\n"), b"sk-ing\n");
        assert_eq!(redactor.end(), b"");
    }
}
