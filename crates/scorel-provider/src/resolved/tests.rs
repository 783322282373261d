use jiff::civil::date;
use scorel_proto::ThinkingLevel::{self, High, Low, Max, Medium, Minimal, None as Off, Xhigh};

use crate::{ModelConfig, ModelFacts, ModelSource, SetupError, ThinkingLevels};

fn levels(config: &ModelConfig) -> Vec<ThinkingLevel> {
    let levels = config.facts().unwrap().levels;
    levels.unwrap_or_default().iter().collect()
}

fn gateway(id: &str) -> ModelConfig {
    ModelConfig::custom("lab", "openai-completions", "http://lab.example/v1", id)
}

#[test]
fn a_model_outside_the_table_has_the_levels_of_its_family_and_no_others() {
    for (provider, id, expected) in [
        (
            "openai",
            "gpt-5.6-nova",
            vec![Off, Low, Medium, High, Xhigh, Max],
        ),
        (
            "openai",
            "gpt-5.7",
            vec![Off, Low, Medium, High, Xhigh, Max],
        ),
        ("openai", "gpt-6.3-sol", vec![Low, Medium, High, Xhigh, Max]),
        ("openai", "gpt-7", vec![Low, Medium, High, Xhigh, Max]),
        ("openai", "o5", vec![]),
        (
            "anthropic",
            "claude-opus-4-6-20260205",
            vec![Off, Low, Medium, High, Max],
        ),
        (
            "anthropic",
            "claude-sonnet-6",
            vec![Low, Medium, High, Xhigh, Max],
        ),
        ("google", "gemini-3.9-pro", vec![Low, Medium, High]),
        (
            "google",
            "models/gemini-2.5-flash-lite",
            vec![Off, Minimal, Low, Medium, High],
        ),
        ("xai", "grok-4.5-mini", vec![Low, Medium, High]),
        ("xai", "grok-4.7", vec![Low, Medium, High, Xhigh]),
        ("moonshot", "kimi-k3.2", vec![Low, High, Max]),
        ("zhipu", "glm-5.4", vec![Low, High, Max]),
        ("zhipu", "glm-5.2-air", vec![Off, High, Max]),
        (
            "openrouter",
            "anthropic/claude-opus-4.7",
            vec![Off, Low, Medium, High, Xhigh, Max],
        ),
        ("openrouter", "someone/new", vec![]),
        ("ollama", "gpt-oss:20b", vec![]),
    ] {
        let config = ModelConfig::builtin(provider, id);
        assert_eq!(levels(&config), expected, "{provider}:{id}");
    }
    assert_eq!(
        levels(&gateway("eu.anthropic.claude-opus-4-8-v1:0")).len(),
        6
    );
    assert_eq!(
        levels(&gateway("x-ai/grok-4.6")),
        [Low, Medium, High, Xhigh]
    );
    assert_eq!(gateway("gpt-4.1").facts().unwrap().reasoning, Some(false));
}

#[test]
fn the_user_knows_better_than_the_list_and_the_list_than_the_table() {
    let mut config = ModelConfig::builtin("anthropic", "claude-opus-4-8");
    let table = config.facts().unwrap();
    assert_eq!(table.max_output_tokens, Some(128_000));
    config.listed = Some(ModelFacts {
        context_window: Some(2_000_000),
        max_output_tokens: Some(256_000),
        levels: Some(ThinkingLevels::of(&[Low, Max])),
        ..ModelFacts::default()
    });
    let listed = config.facts().unwrap();
    assert_eq!(
        (listed.context_window, listed.max_output_tokens),
        (Some(2_000_000), Some(256_000))
    );
    assert_eq!(listed.price, table.price, "the list has none");
    assert_eq!(
        levels(&config),
        [Off, Low, Max],
        "thinking can still be disabled"
    );
    config.stated.max_output_tokens = Some(9_000);
    config.stated.levels = Some(ThinkingLevels::of(&[High]));
    assert_eq!(config.facts().unwrap().max_output_tokens, Some(9_000));
    assert_eq!(levels(&config), [High]);
}

#[test]
fn a_rare_level_that_a_model_lacks_is_refused_with_those_that_it_has() {
    let check = |provider, id, level| ModelConfig::builtin(provider, id).check_level(level);
    for (provider, id, level) in [
        ("openai", "gpt-6.1-sol", Max),
        ("openai", "gpt-5.5", Xhigh),
        ("anthropic", "claude-opus-4-6", Max),
        ("anthropic", "claude-haiku-5-5", Xhigh),
        ("xai", "grok-4.6", Xhigh),
        ("zhipu", "glm-5.3", Max),
        ("deepseek", "deepseek-flash", Max),
        ("openrouter", "someone/new", Xhigh),
        ("demo", "demo", Max),
    ] {
        assert_eq!(check(provider, id, level), Ok(()), "{provider}:{id}");
    }
    for (provider, id, level, expected) in [
        (
            "anthropic",
            "claude-opus-4-6",
            Xhigh,
            "claude-opus-4-6 has no thinking level \"xhigh\"; it has none, low, medium, high, max",
        ),
        (
            "openai",
            "gpt-5.5",
            Max,
            "gpt-5.5 has no thinking level \"max\"; it has none, low, medium, high, xhigh",
        ),
        (
            "google",
            "gemini-3.8-flash",
            Max,
            "gemini-3.8-flash has no thinking level \"max\"; it has low, medium, high",
        ),
        (
            "openai",
            "gpt-4o",
            Xhigh,
            "gpt-4o has no thinking level \"xhigh\": it takes no thinking level",
        ),
        (
            "ollama",
            "qwen3",
            Max,
            "qwen3 has no thinking level \"max\"; it has none, low, medium, high",
        ),
    ] {
        let refused = check(provider, id, level).unwrap_err();
        assert_eq!(refused.to_string(), expected);
        assert_eq!(check(provider, id, High), Ok(()), "lower ones are rounded");
    }
    let mut configured = gateway("home-made");
    assert!(configured.check_level(Xhigh).is_err());
    configured.stated.levels = Some(ThinkingLevels::of(&[Low, Xhigh]));
    assert_eq!(configured.check_level(Xhigh), Ok(()));
}

#[test]
fn a_retired_model_is_refused_with_its_successor_from_its_day_on() {
    let model = ModelConfig::builtin("xai", "grok-code-fast-1");
    assert_eq!(model.check_offered(date(2026, 5, 14)), Ok(()));
    let refused = model.check_offered(date(2026, 5, 15)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "xai retired grok-code-fast-1 on 2026-05-15; use grok-4.3 instead"
    );
    assert!(matches!(refused, SetupError::Retired { .. }));
    let dated = ModelConfig::builtin("anthropic", "claude-opus-4-20250514");
    assert!(dated.check_offered(date(2026, 11, 22)).is_err());

    let listed = ModelConfig {
        listed: Some(ModelFacts::default()),
        ..model.clone()
    };
    let elsewhere = ModelConfig {
        source: ModelSource::Builtin {
            provider: "xai".to_owned(),
            base_url: Some("http://proxy.example/v1".to_owned()),
        },
        ..model
    };
    for served in [listed, elsewhere, ModelConfig::demo()] {
        assert_eq!(served.check_offered(date(2026, 11, 22)), Ok(()));
    }
}

#[test]
fn a_limit_is_assumed_only_where_one_is_required_and_unknown() {
    let anthropic =
        |id: &str| ModelConfig::custom("lab", "anthropic-messages", "http://lab.example", id);
    assert!(anthropic("claude-x").assumes_output_limit());
    let mut told = anthropic("claude-x");
    told.stated.max_output_tokens = Some(1);
    assert!(!told.assumes_output_limit());
    let mut listed = anthropic("claude-x");
    listed.listed = Some(ModelFacts {
        max_output_tokens: Some(128_000),
        ..ModelFacts::default()
    });
    assert!(!listed.assumes_output_limit());
    assert!(!ModelConfig::builtin("anthropic", "claude-opus-4-8").assumes_output_limit());
    assert!(!gateway("x").assumes_output_limit());
    assert!(!ModelConfig::demo().assumes_output_limit());
}

#[test]
fn an_endpoint_is_named_without_its_address() {
    let url = "https://gateway.example/v1/acct-s3cret?token=s3cret";
    let config = ModelConfig::custom("lab", "openai-completions", url, "m");
    let name = config.endpoint().unwrap().unwrap();
    assert!(
        name.as_str()
            .starts_with("openai-completions gateway.example ")
    );
    assert!(!name.as_str().contains("s3cret"));
    let other = ModelConfig::custom(
        "lab",
        "openai-completions",
        "https://gateway.example/v1",
        "m",
    );
    assert_ne!(other.endpoint().unwrap().unwrap(), name);
    assert_eq!(ModelConfig::demo().endpoint(), Ok(None));
}
