//! The user's `[model]` section, checked as a whole: which keys it needs depends on its `type`.

use std::ops::Range;

use scorel_provider::{ModelConfig, ModelSource, Price, builtin_providers};

use super::ConfigError;
use super::dollars::Dollars;
use super::model::{KeyName, Layer, ModelSettings};
use super::origin::DocumentOrigin;
use super::parse::nearest;
use super::schema::{ModelSection, ModelType, PriceSection};

/// The provider that answers without a model, for a daemon without a configuration.
const DEMO: &str = "demo";

/// The section and its position in the file, for errors.
struct SectionCheck<'a> {
    section: &'a ModelSection,
    span: Range<usize>,
    origin: &'a DocumentOrigin,
}

/// The settings that the user's `[model]` section stands for.
pub(super) fn model_settings(
    section: &toml::Spanned<ModelSection>,
    origin: &DocumentOrigin,
) -> Result<ModelSettings, ConfigError> {
    let check = SectionCheck {
        section: section.get_ref(),
        span: section.span(),
        origin,
    };
    check.settings()
}

impl SectionCheck<'_> {
    fn settings(&self) -> Result<ModelSettings, ConfigError> {
        let section = self.section;
        let provider = filled(section.provider.as_deref()).ok_or_else(|| self.missing("provider"));
        let provider = provider?;
        let id = filled(section.id.as_deref());
        if id.is_none() && provider != DEMO {
            return Err(self.missing("id"));
        }
        let source = match section.r#type {
            ModelType::Builtin => self.builtin_source(provider)?,
            ModelType::Custom => self.custom_source(provider)?,
        };
        Ok(ModelSettings {
            key: self.key(&source),
            model: ModelConfig {
                source,
                id: id.unwrap_or(DEMO).to_owned(),
                context_window: section.context_window.map(|tokens| tokens.get()),
                max_output_tokens: section.max_tokens.map(|tokens| tokens.get()),
                reasoning: section.reasoning,
                thinking_levels: section.thinking_levels,
                images: section.images,
                stop_sequences: section.stop_sequences.clone(),
                price: section.price.map(price),
                dialect: self.dialect()?.map(str::to_owned),
                key_header: filled(section.key_header.as_deref()).map(str::to_owned),
                headers: section.headers.clone().into_iter().collect(),
                listed: None,
            },
            thinking: section.thinking_level.unwrap_or_default(),
        })
    }

    fn builtin_source(&self, provider: &str) -> Result<ModelSource, ConfigError> {
        if self.section.api.is_some() {
            return Err(self.custom_only("api"));
        }
        if !builtin_providers().contains(&provider) {
            let suggestion = nearest(provider, builtin_providers().into_iter());
            let mut reason = format!("`model.provider`: no builtin provider `{provider}`");
            if suggestion.is_none() {
                reason.push_str("; describe an endpoint of your own with `type = \"custom\"`");
            }
            return Err(self.error("provider", reason, suggestion));
        }
        if self.section.dialect.is_some() {
            return Err(self.custom_only("dialect"));
        }
        Ok(ModelSource::Builtin {
            provider: provider.to_owned(),
            base_url: filled(self.section.base_url.as_deref()).map(str::to_owned),
        })
    }

    fn custom_source(&self, provider: &str) -> Result<ModelSource, ConfigError> {
        let api = self.section.api.ok_or_else(|| self.missing("api"))?;
        let base_url = filled(self.section.base_url.as_deref());
        let base_url = base_url.ok_or_else(|| self.missing("baseUrl"))?;
        Ok(ModelSource::Custom {
            provider: provider.to_owned(),
            api: api.name().to_owned(),
            base_url: base_url.to_owned(),
        })
    }

    /// The builtin provider whose dialect a custom endpoint speaks.
    fn dialect(&self) -> Result<Option<&str>, ConfigError> {
        let Some(name) = filled(self.section.dialect.as_deref()) else {
            return Ok(None);
        };
        if has_dialect(name) {
            return Ok(Some(name));
        }
        let known = builtin_providers().into_iter();
        let suggestion = nearest(name, known.filter(|known| has_dialect(known)));
        let reason = format!("`model.dialect`: no builtin provider `{name}`");
        Err(self.error("dialect", reason, suggestion))
    }

    /// The key that the user named; otherwise the usual one, but only for a builtin provider at its
    /// own address: a provider's key must not go to another address.
    fn key(&self, source: &ModelSource) -> Option<KeyName> {
        if let Some(name) = &self.section.api_key_env {
            return Some(KeyName {
                names: vec![name.as_str().to_owned()],
                layer: Layer::User,
            });
        }
        match source {
            ModelSource::Builtin {
                provider,
                base_url: None,
            } => KeyName::usual(provider),
            _ => None,
        }
    }

    fn missing(&self, key: &str) -> ConfigError {
        self.error(key, format!("`model.{key}` is missing"), None)
    }

    fn custom_only(&self, key: &str) -> ConfigError {
        let reason = format!("`model.{key}` is for `type = \"custom\"`");
        self.error(key, reason, None)
    }

    fn error(&self, key: &str, reason: String, suggestion: Option<&str>) -> ConfigError {
        self.origin.error(
            Some(self.span.clone()),
            Some(format!("model.{key}")),
            reason,
            suggestion.map(str::to_owned),
        )
    }
}

/// Whether the provider has an endpoint whose dialect another one can speak.
fn has_dialect(provider: &str) -> bool {
    provider != DEMO && builtin_providers().contains(&provider)
}

fn price(section: PriceSection) -> Price {
    Price {
        input: section.input.get(),
        output: section.output.get(),
        cache_read: section.cache_read.map(Dollars::get),
        cache_write: section.cache_write.map(Dollars::get),
        noted_on: None,
    }
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}
