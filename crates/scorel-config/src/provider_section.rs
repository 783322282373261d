//! The `[providers.NAME]` tables of the user's file.

use std::collections::BTreeMap;
use std::ops::Range;

use scorel_proto::ThinkingLevel;
use scorel_provider::{ModelConfig, builtin_providers};
use toml::Spanned;

use super::ConfigError;
use super::endpoint::{dialect_named, endpoint_key, filled, named_key, price};
use super::model::{CustomProviders, ModelSettings};
use super::origin::DocumentOrigin;
use super::schema::ProviderSection;

/// The longest name of a provider.
const MAX_NAME: usize = 64;

/// One table and its position in the file, for errors.
struct TableCheck<'a> {
    name: &'a str,
    section: &'a ProviderSection,
    span: Range<usize>,
    origin: &'a DocumentOrigin,
}

/// The endpoints that the tables describe.
pub(super) fn custom_providers(
    sections: &BTreeMap<String, Spanned<ProviderSection>>,
    origin: &DocumentOrigin,
) -> Result<CustomProviders, ConfigError> {
    // In the order of the file, so that its first error is the one reported.
    let mut sections: Vec<_> = sections.iter().collect();
    sections.sort_by_key(|(_, section)| section.span().start);
    let checked = sections.into_iter().map(|(name, section)| {
        let check = TableCheck {
            name,
            section: section.get_ref(),
            span: section.span(),
            origin,
        };
        Ok((name.clone(), check.settings()?))
    });
    checked.collect()
}

impl TableCheck<'_> {
    fn settings(&self) -> Result<ModelSettings, ConfigError> {
        self.check_name()?;
        let section = self.section;
        let api = section.api.ok_or_else(|| self.missing("api"))?;
        let base_url = filled(section.base_url.as_deref());
        let base_url = base_url.ok_or_else(|| self.missing("baseUrl"))?;
        let model = ModelConfig {
            context_window: section.context_window.map(|tokens| tokens.get()),
            max_output_tokens: section.max_tokens.map(|tokens| tokens.get()),
            reasoning: section.reasoning,
            images: section.images,
            price: section.price.map(price),
            dialect: self.dialect()?.map(str::to_owned),
            key_header: filled(section.key_header.as_deref()).map(str::to_owned),
            headers: section.headers.clone().into_iter().collect(),
            ..ModelConfig::custom(self.name, api.name(), base_url, "")
        };
        // Here rather than at the first call: this error has a line, that one would not.
        model.check_endpoint().map_err(|error| {
            let key = endpoint_key(&error, section.key_header.as_deref());
            self.error(Some(&key), &error.to_string(), None)
        })?;
        Ok(ModelSettings {
            model,
            key: section.api_key_env.as_ref().map(named_key),
            thinking: ThinkingLevel::Default,
        })
    }

    /// A name stands before a colon in `NAME:ID`, and in tables and messages.
    fn check_name(&self) -> Result<(), ConfigError> {
        let usual = |char: char| char.is_ascii_alphanumeric() || "-_.".contains(char);
        let is_name = self
            .name
            .starts_with(|first: char| first.is_ascii_alphanumeric());
        if !is_name || !self.name.chars().all(usual) || self.name.len() > MAX_NAME {
            let rule = format!(
                "the name of a provider has letters, digits, `-`, `_` and `.`, begins with a letter \
                 or digit, and has at most {MAX_NAME} characters"
            );
            return Err(self.error(None, &rule, None));
        }
        let builtins = builtin_providers();
        let mut same = builtins
            .iter()
            .filter(|it| it.eq_ignore_ascii_case(self.name));
        match same.next() {
            Some(builtin) => {
                let clash =
                    format!("`{builtin}` is the name of a builtin provider; choose another");
                Err(self.error(None, &clash, None))
            }
            None => Ok(()),
        }
    }

    fn dialect(&self) -> Result<Option<&str>, ConfigError> {
        let Some(name) = filled(self.section.dialect.as_deref()) else {
            return Ok(None);
        };
        dialect_named(name).map(Some).map_err(|suggestion| {
            let reason = format!("no builtin provider `{name}`");
            self.error(Some("dialect"), &reason, suggestion)
        })
    }

    fn missing(&self, key: &str) -> ConfigError {
        self.error(Some(key), "it is missing", None)
    }

    /// `key` is one of the table; `None` for the table as a whole.
    fn error(&self, key: Option<&str>, reason: &str, suggestion: Option<&str>) -> ConfigError {
        let mut path = format!("providers.{}", self.name);
        if let Some(key) = key {
            path.push('.');
            path.push_str(key);
        }
        let reason = format!("`{path}`: {reason}");
        self.origin.error(
            Some(self.span.clone()),
            Some(path),
            reason,
            suggestion.map(str::to_owned),
        )
    }
}
