//! Redacting secrets in a runner's output.

use aho_corasick::{AhoCorasick, MatchKind};
use serde_json::json;

const REPLACEMENT: &[u8] = b"[secret]";

/// A shorter one would be part of many a word.
const MIN_LENGTH: usize = 8;

/// The values of secrets, as they are and as JSON writes them. Does not print them.
#[derive(Clone, Default)]
pub struct Secrets {
    values: Vec<String>,
    /// Finds all of them in one pass: a program may write nothing else. `None` without any.
    search: Option<AhoCorasick>,
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({})", self.values.len())
    }
}

impl Secrets {
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let both = values.into_iter().flat_map(|value| {
            let escaped = json!(value).to_string();
            let escaped = escaped.trim_matches('"').to_owned();
            [value, escaped]
        });
        let mut values: Vec<String> = both.collect();
        values.retain(|value| value.len() >= MIN_LENGTH);
        // One may be the beginning of another.
        values.sort_by(|one, other| (other.len(), other).cmp(&(one.len(), one)));
        values.dedup();
        let mut search = AhoCorasick::builder();
        let search = search.match_kind(MatchKind::LeftmostLongest).build(&values);
        let search = search.expect("secrets are far fewer bytes than an automaton can have states");
        Self {
            search: Some(search).filter(|_| !values.is_empty()),
            values,
        }
    }

    /// These and another one.
    #[must_use]
    pub fn and(self, value: String) -> Self {
        Self::new(self.values.into_iter().chain([value]))
    }

    /// A text without them.
    pub(crate) fn cut(&self, text: &str) -> String {
        let mut redactor = SecretRedactor::new(self.clone());
        let mut left = redactor.push(text.as_bytes());
        left.extend(redactor.end());
        String::from_utf8_lossy(&left).into_owned()
    }

    /// The first that is in the bytes as a whole, and its length; of several there, the longest.
    fn find(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        let found = self.search.as_ref()?.find(bytes)?;
        Some((found.start(), found.len()))
    }

    /// The offset at which a prefix of a secret may start at the end of the bytes; their length if none
    /// does.
    fn begins_at(&self, bytes: &[u8]) -> usize {
        let longest = self.values.first().map_or(0, String::len);
        let mut places = bytes.len().saturating_sub(longest)..bytes.len();
        let begins = |at: &usize| {
            let end = &bytes[*at..];
            let is_part = |secret: &String| end.len() < secret.len();
            let mut longer = self.values.iter().filter(|secret| is_part(secret));
            longer.any(|secret| secret.as_bytes().starts_with(end))
        };
        places.find(begins).unwrap_or(bytes.len())
    }
}

/// Cuts secrets out of a stream that comes in pieces.
#[derive(Debug)]
pub(crate) struct SecretRedactor {
    secrets: Secrets,
    /// Held back, since it may be a prefix of a secret.
    held: Vec<u8>,
}

impl SecretRedactor {
    pub(crate) const fn new(secrets: Secrets) -> Self {
        Self {
            secrets,
            held: Vec::new(),
        }
    }

    /// Adds a piece and returns the part of the stream that can be passed on.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.held);
        bytes.extend_from_slice(piece);
        let mut told = Vec::with_capacity(bytes.len());
        let mut from = 0;
        let mut held_from = self.secrets.begins_at(&bytes);
        while let Some((at, length)) = self.secrets.find(&bytes[from..])
            // A longer one may begin there, or before.
            && from + at < held_from
        {
            told.extend_from_slice(&bytes[from..from + at]);
            told.extend_from_slice(REPLACEMENT);
            from += at + length;
            if from > held_from {
                held_from = from + self.secrets.begins_at(&bytes[from..]);
            }
        }
        told.extend_from_slice(&bytes[from..held_from]);
        self.held = bytes[held_from..].to_vec();
        told
    }

    /// The rest at the end of the stream.
    pub(crate) fn end(&mut self) -> Vec<u8> {
        let bytes = std::mem::take(&mut self.held);
        let mut told = Vec::new();
        let mut rest = bytes.as_slice();
        while let Some((at, length)) = self.secrets.find(rest) {
            told.extend_from_slice(&rest[..at]);
            told.extend_from_slice(REPLACEMENT);
            rest = &rest[at + length..];
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
