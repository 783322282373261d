use std::fmt;

use toml::de::{DeTable, DeValue};

/// The beginnings of the keys that are read when the daemon starts.
const AT_START: [&str; 3] = ["rpc.", "sessions.", "runtime.onRestart"];

/// A key with the names of its sections, such as `providers."my.lab".api`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConfigKey(Vec<String>);

/// A text that names no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a key: names with dots between them, such as `runtime.maxSteps`")]
pub struct InvalidConfigKey(String);

impl ConfigKey {
    /// Parses a key as TOML writes it.
    ///
    /// # Errors
    /// The text is no key.
    pub fn parse(text: &str) -> Result<Self, InvalidConfigKey> {
        let invalid = || InvalidConfigKey(text.to_owned());
        // The TOML parser knows how names are quoted. A value at the very end says that the text was
        // taken for a key as a whole.
        let line = format!("{text}=0");
        let document = DeTable::parse(&line).map_err(|_| invalid())?;
        let mut segments = Vec::new();
        let mut table = document.get_ref();
        loop {
            let (key, value) = table.iter().next().ok_or_else(invalid)?;
            segments.push(key.get_ref().to_string());
            match value.get_ref() {
                DeValue::Table(inner) => table = inner,
                _ if value.span().end == line.len() && !text.contains('\n') => break,
                _ => return Err(invalid()),
            }
        }
        Ok(Self(segments))
    }

    /// Whether a change has an effect from the next start of the daemon on only.
    pub fn is_read_at_start(&self) -> bool {
        is_read_at_start(&self.plain())
    }

    pub fn of(segments: &[String]) -> Self {
        Self(segments.to_vec())
    }

    #[cfg(test)]
    pub(super) fn segments(&self) -> &[String] {
        &self.0
    }

    /// The section that the key is in, and its name there.
    pub fn split(&self) -> (&[String], &str) {
        match self.0.split_last() {
            Some((name, section)) => (section, name),
            None => (&[], ""),
        }
    }

    /// The names with dots between them, none of them quoted, as messages of the loader have it.
    pub fn plain(&self) -> String {
        self.0.join(".")
    }

    /// A name as it is written in a file.
    pub fn quoted(name: &str) -> String {
        let is_bare = |char: char| char.is_ascii_alphanumeric() || "-_".contains(char);
        if !name.is_empty() && name.chars().all(is_bare) {
            name.to_owned()
        } else {
            toml::Value::from(name).to_string()
        }
    }
}

/// Whether a key is read when the daemon starts, and not at each use.
pub(crate) fn is_read_at_start(key: &str) -> bool {
    AT_START.iter().any(|begin| key.starts_with(begin))
}

impl fmt::Display for ConfigKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.0.iter().map(|name| Self::quoted(name)).collect();
        f.write_str(&names.join("."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_parsed_as_toml_writes_it() {
        for (text, segments) in [
            ("runtime.maxSteps", vec!["runtime", "maxSteps"]),
            (
                "providers.\"my.lab\".api",
                vec!["providers", "my.lab", "api"],
            ),
            (" a . 'b c' ", vec!["a", "b c"]),
        ] {
            let key = ConfigKey::parse(text).unwrap();
            assert_eq!(key.segments(), segments);
            assert_eq!(ConfigKey::parse(&key.to_string()), Ok(key));
        }
        for text in [
            "", "a.", "a b", "a=1 #", "a\nb", "a = 1\nb", "[a]\nb", "# a\nb",
        ] {
            assert!(ConfigKey::parse(text).is_err(), "{text:?}");
        }
    }
}
