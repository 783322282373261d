use std::collections::HashSet;

use super::table::BUILTINS;
use super::{BuiltinProvider, dialect_of_host, find_builtin};

#[test]
fn every_provider_is_listed_once_with_a_valid_address() {
    let names: HashSet<_> = BUILTINS.iter().map(|builtin| builtin.name).collect();
    assert_eq!(names.len(), BUILTINS.len());
    for builtin in BUILTINS {
        let url = reqwest::Url::parse(builtin.base_url).unwrap();
        let local = BuiltinProvider::from(builtin).is_local();
        assert_eq!(url.scheme(), if local { "http" } else { "https" });
        assert_eq!(url.host_str(), builtin.host());
        assert!(!builtin.base_url.ends_with('/'));
    }
}

#[test]
fn every_model_is_listed_once_and_consistent() {
    for builtin in BUILTINS {
        let ids: HashSet<_> = builtin.models.iter().map(|model| model.id).collect();
        assert_eq!(ids.len(), builtin.models.len(), "{}", builtin.name);
        for model in builtin.models {
            let id = model.id;
            assert!(model.max_output_tokens <= model.context_window, "{id}");
            assert!(model.max_output_tokens >= 4_096, "{id}");
            assert!(model.levels.is_none() || model.reasoning, "{id}");
            let Some(price) = model.price else { continue };
            assert!(0 < price.input && price.input < price.output, "{id}");
            assert!(
                price.cache_read.is_none_or(|read| read < price.input),
                "{id}"
            );
            let day = price.noted_on.unwrap();
            assert!(day.len() == 10 && day.starts_with("20"), "{id}: {day}");
        }
    }
}

#[test]
fn the_providers_that_people_expect_are_there() {
    for name in [
        "openai",
        "anthropic",
        "google",
        "deepseek",
        "openrouter",
        "xai",
        "mistral",
        "groq",
        "moonshot",
        "zhipu",
        "qwen",
        "ollama",
        "llama.cpp",
        "vllm",
        "lmstudio",
    ] {
        assert!(find_builtin(name).is_some(), "{name}");
    }
}

#[test]
fn hosts_are_known_by_their_whole_name_or_domain() {
    assert!(dialect_of_host("lab.openai.azure.com").is_some());
    assert!(dialect_of_host("api.business.githubcopilot.com").is_some());
    assert!(dialect_of_host("openai.azure.com.example").is_none());
    assert!(dialect_of_host("notapi.cerebras.ai").is_none());
    assert!(dialect_of_host("api.cerebras.ai").is_some());
}

#[test]
fn a_version_of_a_model_is_known_as_the_model() {
    let model = |provider: &str, id: &str| Some(find_builtin(provider)?.model(id)?.id);
    assert_eq!(
        model("anthropic", "claude-haiku-4-5-20251001"),
        Some("claude-haiku-4-5")
    );
    assert_eq!(model("openai", "gpt-4o-2024-08-06"), Some("gpt-4o"));
    assert_eq!(model("openai", "gpt-4o-2024"), None);
    assert_eq!(model("openai", "é-20240806"), None);
    assert_eq!(model("openai", "-20240806"), None);
}

#[test]
fn the_page_about_the_configuration_has_every_provider() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
    let page = std::fs::read_to_string(path).unwrap();
    for builtin in BUILTINS {
        let (name, url, api) = (builtin.name, builtin.base_url, builtin.wire.api());
        let row = format!("| `{name}` | `{url}` | `{api}` | ");
        let variables = BuiltinProvider::from(builtin).key_variables;
        let names: Vec<_> = variables.iter().map(|name| format!("`{name}`")).collect();
        let key = match names.is_empty() {
            true => "none needed".to_owned(),
            false => names.join(", else "),
        };
        assert!(page.contains(&format!("{row}{key} |")), "{name}");
    }
}
