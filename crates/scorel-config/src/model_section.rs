//! The user's `[model]` section, checked as a whole: which keys it needs depends on its `type`.

use scorel_extension::nearest;
use scorel_provider::{ModelConfig, ModelFacts, ModelSource, builtin_providers};

use super::ConfigError;
use super::bounded::number;
use super::endpoint::{DEMO, check_endpoint, dialect, filled, named_key, price};
use super::model::{CustomProviders, ModelSettings, usual_key_names};
use super::origin::DocumentOrigin;
use super::schema::{ModelSection, ModelType};
use super::table_check::TableCheck;

/// The settings that the user's `[model]` section stands for.
pub(super) fn model_settings(
    section: &toml::Spanned<ModelSection>,
    providers: &CustomProviders,
    origin: &DocumentOrigin,
) -> Result<ModelSettings, ConfigError> {
    let check = ModelCheck {
        table: TableCheck::of_section("model", section, origin),
        providers,
    };
    check.settings()
}

/// The section, and the endpoints that it can refer to.
struct ModelCheck<'a> {
    table: TableCheck<'a, ModelSection>,
    providers: &'a CustomProviders,
}

impl ModelCheck<'_> {
    fn settings(&self) -> Result<ModelSettings, ConfigError> {
        let section = self.table.section;
        let provider = filled(section.provider.as_deref()).ok_or_else(|| self.missing("provider"));
        let provider = provider?;
        // Before the id is missed: a mistyped provider is what to mend first.
        let endpoint = match self.providers.get(provider) {
            Some(table) => self.table_endpoint(table)?,
            None => self.own_endpoint(provider)?,
        };
        let id = match filled(section.id.as_deref()) {
            None if provider == DEMO => DEMO,
            None => return Err(self.missing("id")),
            Some(id) => id,
        };
        Ok(ModelSettings {
            model: self.described(endpoint.model, id),
            thinking: section.thinking_level.unwrap_or_default(),
            ..endpoint
        })
    }

    /// The endpoint of the `[providers.NAME]` table that the section refers to. The table is all that
    /// is said of it: its key must not go to an address of this section.
    fn table_endpoint(&self, table: &ModelSettings) -> Result<ModelSettings, ConfigError> {
        let section = self.table.section;
        let name = table.provider();
        if section.r#type == ModelType::Custom {
            let reason = format!(
                "`model.provider`: `{name}` is also the table `[providers.{name}]`; leave out \
                 `model.type` to use that, or choose another name"
            );
            return Err(self.error("provider", reason, None));
        }
        let of_the_table = [
            ("api", section.api.is_some()),
            ("baseUrl", section.base_url.is_some()),
            ("apiKeyEnv", section.api_key_env.is_some()),
            ("keyHeader", section.key_header.is_some()),
            ("headers", !section.headers.is_empty()),
            ("dialect", section.dialect.is_some()),
        ];
        match of_the_table.into_iter().find(|(_, is_set)| *is_set) {
            Some((key, _)) => {
                let reason = format!("`model.{key}` belongs in `[providers.{name}]`");
                Err(self.error(key, reason, None))
            }
            None => Ok(table.clone()),
        }
    }

    /// The endpoint that this section describes.
    fn own_endpoint(&self, provider: &str) -> Result<ModelSettings, ConfigError> {
        let section = self.table.section;
        let source = match section.r#type {
            ModelType::Builtin => self.builtin_source(provider)?,
            ModelType::Custom => self.custom_source(provider)?,
        };
        let key_names = self.key_names(&source);
        let model = ModelConfig {
            source,
            dialect: dialect(&self.table, section.dialect.as_deref())?,
            key_header: filled(section.key_header.as_deref()).map(str::to_owned),
            headers: section.headers.clone().into_iter().collect(),
            ..ModelConfig::demo()
        };
        check_endpoint(&self.table, &model)?;
        Ok(ModelSettings {
            key_names,
            model,
            ..ModelSettings::demo()
        })
    }

    /// The endpoint's model, with what the section says of it.
    fn described(&self, endpoint: ModelConfig, id: &str) -> ModelConfig {
        let section = self.table.section;
        let stated = ModelFacts {
            context_window: number(section.context_window),
            max_output_tokens: number(section.max_tokens),
            reasoning: section.reasoning,
            levels: section.thinking_levels,
            images: section.images,
            price: section.price.map(price),
        };
        ModelConfig {
            id: id.to_owned(),
            stated: stated.or(endpoint.stated),
            stop_sequences: section.stop_sequences.clone(),
            ..endpoint
        }
    }

    fn builtin_source(&self, provider: &str) -> Result<ModelSource, ConfigError> {
        if self.table.section.api.is_some() {
            return Err(self.custom_only("api"));
        }
        if !builtin_providers().contains(&provider) {
            let custom = self.providers.keys().map(String::as_str);
            let suggestion = nearest(provider, builtin_providers().into_iter().chain(custom));
            let mut reason = format!("`model.provider`: no builtin provider `{provider}`");
            if suggestion.is_none() {
                reason.push_str("; describe an endpoint of your own with `type = \"custom\"`");
            }
            return Err(self.error("provider", reason, suggestion));
        }
        if self.table.section.dialect.is_some() {
            return Err(self.custom_only("dialect"));
        }
        Ok(ModelSource::Builtin {
            provider: provider.to_owned(),
            base_url: filled(self.table.section.base_url.as_deref()).map(str::to_owned),
        })
    }

    fn custom_source(&self, provider: &str) -> Result<ModelSource, ConfigError> {
        let api = self.table.section.api.ok_or_else(|| self.missing("api"))?;
        let base_url = filled(self.table.section.base_url.as_deref());
        let base_url = base_url.ok_or_else(|| self.missing("baseUrl"))?;
        Ok(ModelSource::Custom {
            provider: provider.to_owned(),
            api: api.name().to_owned(),
            base_url: base_url.to_owned(),
        })
    }

    /// The key that the user named; otherwise the usual one, but only for a builtin provider at its
    /// own address: a provider's key must not go to another address.
    fn key_names(&self, source: &ModelSource) -> Vec<String> {
        if let Some(name) = &self.table.section.api_key_env {
            return vec![named_key(name)];
        }
        match source {
            ModelSource::Builtin {
                provider,
                base_url: None,
            } => usual_key_names(provider),
            _ => Vec::new(),
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
        self.table
            .error_in_words(format!("model.{key}"), reason, suggestion)
    }
}
