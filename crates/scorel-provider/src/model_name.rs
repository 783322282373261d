//! Parses what users type to name a model: an id at the provider in use, or `provider:id`.

use crate::builtin::{ColonRule, find_builtin, find_builtin_with_model};
use crate::model_location::unknown_provider;
use crate::{ModelConfig, ModelFacts, ModelSource, SetupError};

impl ModelConfig {
    /// Resolves a model name against this configuration and the `custom` endpoints that the user
    /// described beside it.
    ///
    /// The part before the first colon is a provider: the one in use, a custom or a built-in one.
    /// Model ids that contain colons themselves (`qwen3:8b`, `…:free`, `ft:…`) are taken whole where
    /// the provider in use has such ids, unless they begin with a provider's name.
    ///
    /// # Errors
    /// The provider is unknown, or the model id is empty.
    pub fn named(&self, name: &str, custom: &[&Self]) -> Result<Self, SetupError> {
        let own = name.strip_prefix(self.source.provider());
        if let Some(id) = own.and_then(|rest| rest.strip_prefix(':')) {
            return Ok(self.with_id(require_id(self.source.provider(), id)?));
        }
        let Some((provider, id)) = name.split_once(':') else {
            return self.own_model(name);
        };
        if let Some(endpoint) = custom.iter().find(|it| it.source.provider() == provider) {
            return Ok(Self {
                stop_sequences: self.stop_sequences.clone(),
                ..endpoint.with_id(require_id(provider, id)?)
            });
        }
        let config = Self::builtin(provider, id);
        if config.source.is_demo() || find_builtin(provider).is_some() {
            require_id(provider, id)?;
            return Ok(Self {
                stop_sequences: self.stop_sequences.clone(),
                ..config
            });
        }
        if self.allows_colon_after(provider) {
            Ok(self.with_id(name))
        } else {
            let custom = custom.iter().map(|it| it.source.provider());
            Err(unknown_provider(provider, &custom.collect::<Vec<_>>()))
        }
    }

    /// A model of the provider in use. The demo has one model only, so naming another is a mistake:
    /// the user wants a real provider and must not get the demo's replies instead.
    fn own_model(&self, id: &str) -> Result<Self, SetupError> {
        if self.source.is_demo() && id != self.id {
            return Err(SetupError::NotTheDemo {
                name: id.to_owned(),
                suggestion: qualified_name(id),
            });
        }
        Ok(self.with_id(id))
    }

    /// Another model of the same provider. Configured facts are about the configured model and do
    /// not carry over. On custom endpoints, which often serve alike models, all but the price do; that
    /// of a table of endpoints, which names no model, is the price of all of them.
    pub fn with_id(&self, id: &str) -> Self {
        let mut other = self.clone();
        if self.id == id {
            return other;
        }
        other.id = id.to_owned();
        other.listed = None;
        if matches!(self.source, ModelSource::Builtin { .. }) {
            other.stated = ModelFacts::default();
        }
        other.stated.price = self.stated.price.filter(|_| self.id.is_empty());
        other
    }

    fn allows_colon_after(&self, prefix: &str) -> bool {
        let ModelSource::Builtin { provider, .. } = &self.source else {
            return true;
        };
        match find_builtin(provider).map(|builtin| builtin.colons) {
            Some(ColonRule::Anywhere) => true,
            Some(ColonRule::After(known)) => known == prefix,
            Some(ColonRule::Never) | None => false,
        }
    }
}

/// The name as `provider:id`, where the provider can be guessed: from OpenRouter's `provider/id`
/// or because a built-in provider has the model.
fn qualified_name(name: &str) -> Option<String> {
    if let Some((provider, id)) = name.split_once('/')
        && let Some(builtin) = find_builtin(provider)
    {
        return Some(format!("{}:{id}", builtin.name));
    }
    let builtin = find_builtin_with_model(name)?;
    Some(format!("{}:{name}", builtin.name))
}

fn require_id<'a>(provider: &str, id: &'a str) -> Result<&'a str, SetupError> {
    if id.trim().is_empty() {
        return Err(SetupError::MissingModel {
            provider: provider.to_owned(),
        });
    }
    Ok(id)
}

#[cfg(test)]
mod tests {
    use crate::{ModelConfig, ModelFacts, SetupError};

    fn named(config: &ModelConfig, name: &str) -> (String, String) {
        let model = config.named(name, &[]).unwrap();
        (model.source.provider().to_owned(), model.id)
    }

    fn stated_window() -> ModelFacts {
        ModelFacts {
            context_window: Some(1_000),
            ..ModelFacts::default()
        }
    }

    fn pair(provider: &str, id: &str) -> (String, String) {
        (provider.to_owned(), id.to_owned())
    }

    #[test]
    fn a_bare_id_is_one_of_the_provider_in_use() {
        let openai = ModelConfig::builtin("openai", "gpt-5");
        assert_eq!(named(&openai, "o3"), pair("openai", "o3"));
        assert_eq!(named(&openai, "openai:o3"), pair("openai", "o3"));
    }

    #[test]
    fn a_provider_before_a_colon_replaces_the_whole_configuration() {
        let config = ModelConfig {
            key_header: Some("api-key".to_owned()),
            headers: vec![("x-team".to_owned(), "blue".to_owned())],
            stated: stated_window(),
            ..ModelConfig::custom("lab", "openai-completions", "http://lab.example/v1", "m")
        };
        let model = config.named("anthropic:claude-haiku-4-5", &[]).unwrap();
        assert_eq!(model, ModelConfig::builtin("anthropic", "claude-haiku-4-5"));
        assert_eq!(named(&config, "demo:demo"), pair("demo", "demo"));
        let own = config.named("lab:big", &[]).unwrap();
        assert_eq!((own.source, own.headers), (config.source, config.headers));
    }

    #[test]
    fn custom_endpoints_are_named_as_builtin_providers_are() {
        let lab = ModelConfig {
            headers: vec![("x-team".to_owned(), "blue".to_owned())],
            stated: stated_window(),
            ..ModelConfig::custom("lab", "openai-completions", "http://lab.example/v1", "")
        };
        let openai = ModelConfig {
            stop_sequences: vec!["END".to_owned()],
            ..ModelConfig::builtin("openai", "x")
        };
        let model = openai.named("lab:qwen3:8b", &[&lab]).unwrap();
        let expected = ModelConfig {
            id: "qwen3:8b".to_owned(),
            stop_sequences: openai.stop_sequences.clone(),
            ..lab.clone()
        };
        assert_eq!(model, expected);
        let none = openai.named("lab:", &[&lab]);
        assert!(
            matches!(none, Err(SetupError::MissingModel { .. })),
            "{none:?}"
        );
        let Err(error) = openai.named("lav:x", &[&lab]) else {
            panic!("an unknown provider is used");
        };
        let text = error.to_string();
        assert!(text.contains("is \"lab\" meant?"), "{text}");
        assert!(text.ends_with("; your own are lab"), "{text}");
    }

    #[test]
    fn ids_with_colons_stay_whole_for_providers_that_have_them() {
        let ollama = ModelConfig::builtin("ollama", "x");
        assert_eq!(named(&ollama, "qwen3:8b"), pair("ollama", "qwen3:8b"));
        let with_provider = named(&ollama, "ollama:mistral:7b");
        assert_eq!(with_provider, pair("ollama", "mistral:7b"));
        let free = "deepseek/deepseek-r1:free";
        let openrouter = ModelConfig::builtin("openrouter", "x");
        assert_eq!(named(&openrouter, free), pair("openrouter", free));
        let tuned = "ft:gpt-4o:acme::1";
        let openai = ModelConfig::builtin("openai", "x");
        assert_eq!(named(&openai, tuned), pair("openai", tuned));
    }

    #[test]
    fn an_unknown_provider_is_refused_with_a_suggestion() {
        let refused = ModelConfig::demo().named("antropic:claude-haiku-4-5", &[]);
        let Err(SetupError::UnknownProvider { suggestion, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(suggestion.as_deref(), Some("anthropic"));
    }

    #[test]
    fn the_demo_does_not_stand_in_for_a_named_model() {
        let demo = ModelConfig::demo();
        for (name, meant) in [
            ("gpt-5-mini", Some("openai:gpt-5-mini")),
            (
                "anthropic/claude-haiku-4-5",
                Some("anthropic:claude-haiku-4-5"),
            ),
            ("unknown-model", None),
        ] {
            let Err(SetupError::NotTheDemo { suggestion, .. }) = demo.named(name, &[]) else {
                panic!("the demo answers for {name}");
            };
            assert_eq!(suggestion.as_deref(), meant);
        }
        assert_eq!(named(&demo, "demo"), pair("demo", "demo"));
    }

    #[test]
    fn a_provider_alone_names_no_model() {
        for name in ["anthropic:", "demo: "] {
            let refused = ModelConfig::demo().named(name, &[]);
            assert!(
                matches!(refused, Err(SetupError::MissingModel { .. })),
                "{name}: {refused:?}"
            );
        }
    }
}
