//! What `[model]` and `[providers.NAME]` have in common.

use scorel_extension::nearest;
use scorel_home::SecretName;
use scorel_provider::{ModelConfig, Price, SetupError, builtin_providers};

use super::ConfigError;
use super::dollars::Dollars;
use super::schema::PriceSection;
use super::table_check::TableCheck;

/// The provider that answers without a model, for a daemon without a configuration.
pub(super) const DEMO: &str = "demo";

/// The builtin provider whose dialect a custom endpoint speaks.
pub(super) fn dialect<S>(
    table: &TableCheck<'_, S>,
    name: Option<&str>,
) -> Result<Option<String>, ConfigError> {
    let Some(name) = filled(name) else {
        return Ok(None);
    };
    if has_dialect(name) {
        return Ok(Some(name.to_owned()));
    }
    let known = builtin_providers().into_iter();
    let suggestion = nearest(name, known.filter(|known| has_dialect(known)));
    let reason = format!("no builtin provider `{name}`");
    Err(table.error(Some("dialect"), &reason, suggestion))
}

/// Whether the provider has an endpoint whose dialect another one can speak.
fn has_dialect(provider: &str) -> bool {
    provider != DEMO && builtin_providers().contains(&provider)
}

/// Accepts an endpoint that can be called. Here rather than at the first call: this error has a line, that one
/// would not.
pub(super) fn check_endpoint<S>(
    table: &TableCheck<'_, S>,
    model: &ModelConfig,
) -> Result<(), ConfigError> {
    model.check_endpoint().map_err(|error| {
        let key = match &error {
            SetupError::InvalidHeader { name, .. } if model.key_header.as_ref() == Some(name) => {
                "keyHeader".to_owned()
            }
            SetupError::InvalidHeader { name, .. } => format!("headers.{name:?}"),
            _ => "baseUrl".to_owned(),
        };
        table.error(Some(&key), &error.to_string(), None)
    })
}

/// The variable of the key that the user named.
pub(super) fn named_key(name: &SecretName) -> String {
    name.as_str().to_owned()
}

pub(crate) fn price(section: PriceSection) -> Price {
    Price {
        input: section.input.get(),
        output: section.output.get(),
        cache_read: section.cache_read.map(Dollars::get),
        cache_write: section.cache_write.map(Dollars::get),
        noted_on: None,
    }
}

/// `None` for a blank text.
pub(super) fn filled(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}
