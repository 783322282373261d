use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;

use super::ConfigError;
use super::origin::DocumentOrigin;

/// The longest name of a provider or a runner.
const MAX_NAME: usize = 64;

/// The tables of a section whose names are the user's own, by name.
pub(super) type Tables<S> = BTreeMap<String, Spanned<S>>;

/// A table that is checked as a whole, and its position in the file, for errors.
pub(super) struct TableCheck<'a, S> {
    /// Its own name; empty for a section that is one table.
    pub name: &'a str,
    pub section: &'a S,
    /// As messages name it, such as `agents.review`.
    path: String,
    span: Range<usize>,
    origin: &'a DocumentOrigin,
}

impl<'a, S> TableCheck<'a, S> {
    pub(super) fn of_section(
        path: &str,
        section: &'a Spanned<S>,
        origin: &'a DocumentOrigin,
    ) -> Self {
        Self {
            name: "",
            section: section.get_ref(),
            path: path.to_owned(),
            span: section.span(),
            origin,
        }
    }

    /// The tables in the order of the file, so that its first error is the one reported.
    pub(super) fn all(
        kind: &str,
        tables: &'a Tables<S>,
        origin: &'a DocumentOrigin,
    ) -> impl Iterator<Item = Self> {
        let mut tables: Vec<_> = tables.iter().collect();
        tables.sort_by_key(|(_, section)| section.span().start);
        tables.into_iter().map(move |(name, section)| Self {
            name,
            ..Self::of_section(&format!("{kind}.{name}"), section, origin)
        })
    }

    /// Accepts the name of a `kind`, which stands in tables, messages and at the terminal.
    pub(super) fn check_name(&self, kind: &str) -> Result<(), ConfigError> {
        let usual = |char: char| char.is_ascii_alphanumeric() || "-_.".contains(char);
        let begins_well = self
            .name
            .starts_with(|first: char| first.is_ascii_alphanumeric());
        if begins_well && self.name.chars().all(usual) && self.name.len() <= MAX_NAME {
            return Ok(());
        }
        let rule = format!(
            "the name of a {kind} has letters, digits, `-`, `_` and `.`, begins with a letter or digit, and \
             has at most {MAX_NAME} characters"
        );
        Err(self.error(None, &rule, None))
    }

    pub(super) fn missing(&self, key: &str) -> ConfigError {
        self.error(Some(key), "it is missing", None)
    }

    /// `key` is one of the table; `None` for the table as a whole.
    pub(super) fn error(
        &self,
        key: Option<&str>,
        reason: &str,
        suggestion: Option<&str>,
    ) -> ConfigError {
        let path = match key {
            Some(key) => format!("{}.{key}", self.path),
            None => self.path.clone(),
        };
        let reason = format!("`{path}`: {reason}");
        self.error_in_words(path, reason, suggestion)
    }

    /// An error whose reason names the key itself.
    pub(super) fn error_in_words(
        &self,
        key: String,
        reason: String,
        suggestion: Option<&str>,
    ) -> ConfigError {
        let suggestion = suggestion.map(str::to_owned);
        self.origin
            .error(Some(self.span.clone()), Some(key), reason, suggestion)
    }
}
