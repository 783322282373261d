use std::sync::Arc;

use scorel_engine::Provider;

use super::Connector;
use crate::{
    ModelConfig, ModelSource, NoBlobs, Secret, SetupError, builtin_providers, key_variables,
};

fn connect(config: &ModelConfig, key: Option<&str>) -> Result<Arc<dyn Provider>, SetupError> {
    Connector::default().connect(config, key.map(Secret::new), Arc::new(NoBlobs))
}

fn failure(config: &ModelConfig) -> SetupError {
    connect(config, None).unwrap_err()
}

#[test]
fn every_builtin_provider_can_be_set_up() {
    for provider in builtin_providers() {
        let provider = connect(&ModelConfig::builtin(provider, "some-model"), Some("key"));
        assert!(provider.is_ok());
    }
}

#[test]
fn the_table_applies_unless_the_caller_overrides_it() {
    let mut config = ModelConfig::builtin("openai", "gpt-4o");
    let known = connect(&config, Some("key")).unwrap().model().clone();
    assert_eq!(
        (known.context_window, known.max_output_tokens),
        (128_000, 16_384)
    );
    config.stated.context_window = Some(64_000);
    config.stated.max_output_tokens = Some(1_000);
    let told = connect(&config, Some("key")).unwrap().model().clone();
    assert_eq!(
        (told.context_window, told.max_output_tokens),
        (64_000, 1_000)
    );
}

#[test]
fn a_provider_that_needs_a_key_says_which() {
    let error = failure(&ModelConfig::builtin("deepseek", "deepseek-chat"));
    assert!(error.to_string().contains("DEEPSEEK_API_KEY"), "{error}");
    assert_eq!(key_variables("deepseek"), ["DEEPSEEK_API_KEY"]);
    let google = failure(&ModelConfig::builtin("google", "gemini-2.5-pro"));
    let text = google.to_string();
    assert!(text.ends_with("GEMINI_API_KEY or GOOGLE_API_KEY"), "{text}");
    let empty = connect(
        &ModelConfig::builtin("deepseek", "deepseek-chat"),
        Some(" "),
    );
    assert!(matches!(empty, Err(SetupError::MissingKey { .. })));
    assert!(connect(&ModelConfig::builtin("ollama", "llama3"), None).is_ok());
}

#[test]
fn a_misspelt_provider_gets_a_suggestion() {
    let error = failure(&ModelConfig::builtin("opanai", "gpt-5"));
    assert!(
        error.to_string().contains("is \"openai\" meant?"),
        "{error}"
    );
    let error = failure(&ModelConfig::builtin("zzz", "x"));
    assert!(
        error
            .to_string()
            .contains("built-in providers are demo, openai"),
        "{error}"
    );
}

#[test]
fn an_unknown_wire_is_refused() {
    let custom = ModelConfig::custom("x", "telepathy", "http://localhost/v1", "m");
    let error = failure(&custom);
    assert!(matches!(error, SetupError::UnknownApi { .. }), "{error}");
}

#[test]
fn base_urls_are_checked_and_not_repeated() {
    for url in [
        "ftp://host",
        "nonsense",
        "http://user:sk-1@host/v1",
        "https://",
    ] {
        let error = failure(&ModelConfig::custom("x", "openai-completions", url, "m"));
        assert!(matches!(error, SetupError::InvalidBaseUrl { .. }), "{url}");
        assert!(!error.to_string().contains("sk-1"));
    }
}

#[test]
fn a_model_must_be_named() {
    let error = failure(&ModelConfig::builtin("ollama", ""));
    assert!(matches!(error, SetupError::MissingModel { .. }));
}

#[test]
fn the_base_url_of_a_builtin_provider_can_be_replaced() {
    let mut config = ModelConfig::builtin("ollama", "llama3");
    config.source = ModelSource::Builtin {
        provider: "ollama".to_owned(),
        base_url: Some("not a url".to_owned()),
    };
    assert!(matches!(
        failure(&config),
        SetupError::InvalidBaseUrl { .. }
    ));
}

#[test]
fn a_custom_entry_for_a_known_host_is_known() {
    let url = "https://api.openai.com/v1";
    let config = ModelConfig::custom("mine", "openai-completions", url, "gpt-4o");
    let model = connect(&config, None).unwrap().model().clone();
    assert_eq!(
        (model.provider.as_str(), model.max_output_tokens),
        ("mine", 16_384)
    );
}
