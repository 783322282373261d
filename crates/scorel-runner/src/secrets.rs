//! Secrets that are cut out of what a runner writes.

use std::borrow::Cow;

use memchr::memmem;

const REPLACEMENT: &[u8] = b"[secret]";

/// A shorter one would be part of many a word.
const MIN_LENGTH: usize = 8;

/// The values of secrets. Does not print them.
#[derive(Clone, Default)]
pub struct Secrets(Vec<String>);

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

impl Secrets {
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let mut values: Vec<String> = values.into_iter().collect();
        values.retain(|value| value.len() >= MIN_LENGTH);
        // One may be the beginning of another.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self(values)
    }

    /// These and another one.
    #[must_use]
    pub fn and(self, value: String) -> Self {
        Self::new(self.0.into_iter().chain([value]))
    }

    pub(crate) fn cut<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let mut text = Cow::Borrowed(bytes);
        for secret in &self.0 {
            if memmem::find(&text, secret.as_bytes()).is_some() {
                text = Cow::Owned(replace(&text, secret.as_bytes()));
            }
        }
        text
    }
}

fn replace(text: &[u8], secret: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memmem::find(rest, secret) {
        replaced.extend_from_slice(&rest[..at]);
        replaced.extend_from_slice(REPLACEMENT);
        rest = &rest[at + secret.len()..];
    }
    replaced.extend_from_slice(rest);
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_cut_out_the_longer_first() {
        let secrets = Secrets::new(["sk-12345", "sk-12345-67", "ab"].map(str::to_owned));
        let cut = secrets.cut(b"sk-12345-67 sk-12345, ab sk-1234");
        assert_eq!(cut.as_ref(), b"[secret] [secret], ab sk-1234");
        assert_eq!(format!("{secrets:?}"), "Secrets(2)");
    }
}
