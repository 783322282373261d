use std::collections::HashSet;

use super::catalogue::catalogue;
use super::model_family::family_id;
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
    let mut rows = 0;
    for builtin in BUILTINS {
        let ids: HashSet<_> = builtin.models().map(|model| &model.id).collect();
        assert_eq!(ids.len(), builtin.models().count(), "{}", builtin.name);
        rows += ids.len();
        for model in builtin.models() {
            let (id, facts) = (&model.id, builtin.facts(&model.id));
            let limit = facts.max_output_tokens;
            let window = facts.context_window;
            assert!(
                limit
                    .zip(window)
                    .is_none_or(|(limit, window)| limit < window),
                "{id}"
            );
            assert!(limit.is_none_or(|limit| limit >= 4_096), "{id}");
            assert!(
                facts.reasoning != Some(false) || facts.levels.is_none(),
                "{id}"
            );
            assert!(is_page(&model.source), "{id}");
            let Some(price) = facts.price else { continue };
            assert!(0 < price.input && price.input < price.output, "{id}");
            assert!(
                price.cache_read.is_none_or(|read| read < price.input),
                "{id}"
            );
            assert_eq!(price.noted_on, Some(model.date), "{id}");
        }
    }
    assert_eq!(rows, catalogue().models.len(), "a row of no provider");
}

#[test]
fn every_family_is_known_by_its_own_beginnings() {
    let mut beginnings = HashSet::new();
    for family in &catalogue().families {
        let provider = find_builtin(&family.provider).unwrap();
        assert!(family.levels.is_none() == (family.reasoning == Some(false)));
        assert!(family.levels.is_none_or(|levels| !levels.is_empty()));
        assert!(is_page(&family.source) && family.date.year() >= 2025);
        for start in &family.ids {
            assert_eq!(*start, family_id(start), "never matches");
            assert!(beginnings.insert((provider.name, start)), "{start} twice");
        }
    }
}

/// The providers whose pages are sources have hosts of these names.
const VENDORS: [&str; 7] = [
    "developers.openai.com",
    "platform.claude.com",
    "docs.x.ai",
    "ai.google.dev",
    "docs.cloud.google.com",
    "api-docs.deepseek.com",
    "docs.z.ai",
];

#[test]
fn rows_from_other_pages_than_the_providers_are_marked() {
    let models = catalogue().models.iter();
    let models = models.map(|row| (&row.id, &row.source, row.unverified));
    let families = catalogue().families.iter();
    let families = families.map(|row| (&row.ids[0], &row.source, row.unverified));
    for (id, source, unverified) in models.chain(families) {
        let url = reqwest::Url::parse(source).unwrap();
        let of_vendor = VENDORS.contains(&url.host_str().unwrap());
        assert!(of_vendor || unverified, "{id}");
    }
}

#[test]
fn a_retired_model_has_a_successor_that_is_not() {
    for builtin in BUILTINS {
        for model in builtin.models() {
            let Some(retirement) = &model.retires else {
                continue;
            };
            let successor = retirement.successor.as_deref().unwrap();
            let successor = builtin.model(successor).unwrap();
            assert!(successor.retires.is_none(), "{}", model.id);
        }
    }
}

fn is_page(source: &str) -> bool {
    reqwest::Url::parse(source).is_ok_and(|url| url.scheme() == "https")
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
    let model = |provider: &str, id: &str| Some(find_builtin(provider)?.model(id)?.id.as_str());
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
