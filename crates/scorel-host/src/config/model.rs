use scorel_proto::ThinkingLevel;
use scorel_provider::{
    ModelConfig, ModelSource, Price, SetupError, builtin_providers, key_variables,
};

use super::ConfigError;
use super::dollars::Dollars;
use super::origin::Origin;
use super::parse::nearest;
use super::schema::{ModelSection, ModelType, PriceSection};

/// The model of a daemon without a configuration.
const DEMO: &str = "demo";

/// Which model turns use, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSettings {
    /// The model and its endpoint.
    pub model: ModelConfig,
    /// The key for exactly this endpoint; `None` if nobody named one.
    pub key: Option<KeyName>,
    /// How much the model should think.
    pub thinking: ThinkingLevel,
}

/// The name of the variable that holds a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyName {
    /// The variable, and those that count if it is not set.
    pub names: Vec<String>,
    /// Who named it. The key is for the endpoint that the same layer named and for no other.
    pub layer: Layer,
}

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// The program's own table of providers.
    Builtin,
    /// The user's file.
    User,
}

impl ModelSettings {
    /// The model that needs no configuration.
    #[must_use]
    pub fn demo() -> Self {
        Self {
            model: ModelConfig::demo(),
            key: None,
            thinking: ThinkingLevel::Default,
        }
    }

    /// Whether the model is the built-in demonstration.
    #[must_use]
    pub fn is_demo(&self) -> bool {
        self.model.source.is_demo()
    }

    /// The provider's name.
    #[must_use]
    pub fn provider(&self) -> &str {
        self.model.source.provider()
    }

    /// Uses another model of the same provider, whatever its id looks like.
    #[must_use]
    pub fn with_id(self, id: &str) -> Self {
        let model = self.model.with_id(id);
        Self { model, ..self }
    }

    /// Uses the model that a person named: by its id at the configured provider, or with a
    /// provider of the program's own table in front, whose usual key is used then.
    ///
    /// # Errors
    /// The provider is unknown, or no model of it is named.
    pub fn named(self, name: &str) -> Result<Self, SetupError> {
        let model = self.model.named(name)?;
        let key = if model.source == self.model.source {
            self.key
        } else {
            KeyName::usual(model.source.provider())
        };
        Ok(Self { model, key, ..self })
    }

    /// What the user's `[model]` means.
    pub(super) fn from_section(
        section: &toml::Spanned<ModelSection>,
        origin: &Origin,
    ) -> Result<Self, ConfigError> {
        let span = section.span();
        let fail = |key: &str, reason: String, suggestion| {
            Err(origin.error(
                Some(span.clone()),
                Some(format!("model.{key}")),
                reason,
                suggestion,
            ))
        };
        let section = section.get_ref();
        let missing = |key| fail(key, format!("`model.{key}` is missing"), None);
        let Some(provider) = filled(section.provider.as_deref()) else {
            return missing("provider");
        };
        let id = filled(section.id.as_deref());
        if id.is_none() && provider != DEMO {
            return missing("id");
        }
        let source = match section.r#type {
            ModelType::Builtin if section.api.is_some() => {
                let reason = "`model.api` is for `type = \"custom\"`".to_owned();
                return fail("api", reason, None);
            }
            ModelType::Builtin if !builtin_providers().contains(&provider) => {
                let meant = nearest(provider, builtin_providers().into_iter());
                let hint = "describe an endpoint of your own with `type = \"custom\"`";
                let reason = match meant {
                    Some(_) => format!("`model.provider`: no builtin provider `{provider}`"),
                    None => format!("`model.provider`: no builtin provider `{provider}`; {hint}"),
                };
                return fail("provider", reason, meant.map(str::to_owned));
            }
            ModelType::Builtin if section.dialect.is_some() => {
                let reason = "`model.dialect` is for `type = \"custom\"`".to_owned();
                return fail("dialect", reason, None);
            }
            ModelType::Builtin => ModelSource::Builtin {
                provider: provider.to_owned(),
                base_url: filled(section.base_url.as_deref()).map(str::to_owned),
            },
            ModelType::Custom => {
                let Some(api) = section.api else {
                    return missing("api");
                };
                let Some(base_url) = filled(section.base_url.as_deref()) else {
                    return missing("baseUrl");
                };
                ModelSource::Custom {
                    provider: provider.to_owned(),
                    api: api.name().to_owned(),
                    base_url: base_url.to_owned(),
                }
            }
        };
        let dialect = filled(section.dialect.as_deref());
        if let Some(name) = dialect.filter(|name| !has_dialect(name)) {
            let known = builtin_providers().into_iter();
            let meant = nearest(name, known.filter(|known| has_dialect(known)));
            let reason = format!("`model.dialect`: no builtin provider `{name}`");
            return fail("dialect", reason, meant.map(str::to_owned));
        }
        Ok(Self {
            key: key(section, &source),
            model: ModelConfig {
                source,
                id: id.unwrap_or(DEMO).to_owned(),
                context_window: section.context_window.map(|tokens| tokens.get()),
                max_output_tokens: section.max_tokens.map(|tokens| tokens.get()),
                reasoning: section.reasoning,
                images: section.images,
                stop_sequences: section.stop_sequences.clone(),
                price: section.price.map(price),
                dialect: dialect.map(str::to_owned),
                key_header: filled(section.key_header.as_deref()).map(str::to_owned),
                headers: section.headers.clone().into_iter().collect(),
            },
            thinking: section.thinking_level.unwrap_or_default(),
        })
    }
}

/// The key that the user named, or the usual one of a provider at its own address.
fn key(section: &ModelSection, source: &ModelSource) -> Option<KeyName> {
    if let Some(name) = &section.api_key_env {
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

impl KeyName {
    /// The variables that people use for the provider, if it wants a key.
    pub(crate) fn usual(provider: &str) -> Option<Self> {
        let names = key_variables(provider).iter();
        let names: Vec<_> = names.map(ToString::to_string).collect();
        (!names.is_empty()).then_some(Self {
            names,
            layer: Layer::Builtin,
        })
    }
}

/// Whether the provider has an endpoint that others can be like.
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
