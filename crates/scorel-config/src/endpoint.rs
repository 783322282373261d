//! What `[model]` and `[providers.NAME]` have in common.

use scorel_home::SecretName;
use scorel_provider::{Price, SetupError, builtin_providers};

use super::dollars::Dollars;
use super::model::{KeyName, Layer};
use super::parse::nearest;
use super::schema::PriceSection;

/// The provider that answers without a model, for a daemon without a configuration.
pub(super) const DEMO: &str = "demo";

/// The builtin provider whose dialect a custom endpoint speaks; `Err` is the nearest name.
pub(super) fn dialect_named(name: &str) -> Result<&str, Option<&'static str>> {
    if has_dialect(name) {
        return Ok(name);
    }
    let known = builtin_providers().into_iter();
    Err(nearest(name, known.filter(|known| has_dialect(known))))
}

/// Whether the provider has an endpoint whose dialect another one can speak.
fn has_dialect(provider: &str) -> bool {
    provider != DEMO && builtin_providers().contains(&provider)
}

/// The key of an endpoint's table that the error is about.
pub(super) fn endpoint_key(error: &SetupError, key_header: Option<&str>) -> String {
    match error {
        SetupError::InvalidHeader { name, .. } if filled(key_header) == Some(name.as_str()) => {
            "keyHeader".to_owned()
        }
        SetupError::InvalidHeader { name, .. } => format!("headers.{name:?}"),
        _ => "baseUrl".to_owned(),
    }
}

/// The key that the user named.
pub(super) fn named_key(name: &SecretName) -> KeyName {
    KeyName {
        names: vec![name.as_str().to_owned()],
        layer: Layer::User,
    }
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
