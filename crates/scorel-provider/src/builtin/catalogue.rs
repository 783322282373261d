//! The table of models, `models.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::KnownModel;
use super::model_family::{ModelFamily, family_id};
use crate::ModelFacts;

/// The catalogue, parsed once.
static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let text = include_str!("models.toml");
    toml::from_str(text).expect("the table is part of the program, and a test parses it")
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Catalogue {
    #[serde(rename = "family")]
    pub(super) families: Vec<ModelFamily>,
    #[serde(rename = "model")]
    pub(super) models: Vec<KnownModel>,
}

/// The rows of a provider, the default suggestion first.
pub(super) fn models_of(provider: &str) -> impl Iterator<Item = &'static KnownModel> {
    let all = CATALOGUE.models.iter();
    all.filter(move |model| model.provider == provider)
}

/// A family's defaults for a model. The family is one of the provider's, or of any provider if
/// `provider` is `None`, as behind a gateway.
pub(crate) fn family_facts(provider: Option<&str>, id: &str) -> ModelFacts {
    let id = family_id(id);
    let all = CATALOGUE.families.iter();
    let own = all.filter(|family| provider.is_none_or(|name| family.provider == name));
    let matching = own.filter_map(|family| Some((family.matched(&id)?, family)));
    let longest = matching.max_by_key(|(length, _)| *length);
    longest.map_or_else(ModelFacts::default, |(_, family)| family.facts())
}

#[cfg(test)]
pub(super) fn catalogue() -> &'static Catalogue {
    &CATALOGUE
}
