//! The `[providers.NAME]` tables of the user's file.

use scorel_proto::ThinkingLevel;
use scorel_provider::{ModelConfig, ModelFacts, builtin_providers};

use super::ConfigError;
use super::bounded::number;
use super::endpoint::{check_endpoint, dialect, filled, named_key, price};
use super::model::{CustomProviders, ModelSettings};
use super::origin::DocumentOrigin;
use super::schema::ProviderSection;
use super::table_check::{TableCheck, Tables};

/// The endpoints that the tables describe.
pub(super) fn custom_providers(
    tables: &Tables<ProviderSection>,
    origin: &DocumentOrigin,
) -> Result<CustomProviders, ConfigError> {
    TableCheck::all("providers", tables, origin)
        .map(|check| Ok((check.name.to_owned(), check.settings()?)))
        .collect()
}

impl TableCheck<'_, ProviderSection> {
    fn settings(&self) -> Result<ModelSettings, ConfigError> {
        self.check_name("provider")?;
        self.check_is_new()?;
        let section = self.section;
        let api = section.api.ok_or_else(|| self.missing("api"))?;
        let base_url = filled(section.base_url.as_deref());
        let base_url = base_url.ok_or_else(|| self.missing("baseUrl"))?;
        let stated = ModelFacts {
            context_window: number(section.context_window),
            max_output_tokens: number(section.max_tokens),
            reasoning: section.reasoning,
            levels: None,
            images: section.images,
            price: section.price.map(price),
        };
        let model = ModelConfig {
            stated,
            dialect: dialect(self, section.dialect.as_deref())?,
            key_header: filled(section.key_header.as_deref()).map(str::to_owned),
            headers: section.headers.clone().into_iter().collect(),
            ..ModelConfig::custom(self.name, api.name(), base_url, "")
        };
        check_endpoint(self, &model)?;
        Ok(ModelSettings {
            model,
            key_names: section.api_key_env.iter().map(named_key).collect(),
            thinking: ThinkingLevel::Default,
        })
    }

    /// A name stands before a colon in `NAME:ID`, so that it must not be that of another provider.
    fn check_is_new(&self) -> Result<(), ConfigError> {
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
}
