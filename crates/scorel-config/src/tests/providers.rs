//! `[providers.NAME]` tables.

use super::*;

const LAB: &str = "
[providers.lab]
api = 'openai-completions'
baseUrl = 'https://lab.example/v1?tenant=a'
apiKeyEnv = 'LAB_KEY'
keyHeader = 'api-key'
headers = { x-team = 'blue' }
dialect = 'vllm'
contextWindow = 200000
maxTokens = 9000
reasoning = false
images = false
price = { input = 1, output = 2 }
[providers.'house.llm_2']
api = 'anthropic-messages'
baseUrl = 'http://127.0.0.1:9000'
";

#[test]
fn every_table_is_a_provider_of_its_own_beside_the_configured_model() {
    let config = user(&format!(
        "[model]\nprovider = 'openai'\nid = 'gpt-5'\nthinkingLevel = 'low'\nstopSequences = ['END']\n{LAB}"
    ))
    .unwrap();
    assert_eq!(config.model.provider(), "openai");
    let named = |name: &str| {
        let settings = config.model.clone().named(name, &config.providers);
        settings.unwrap()
    };
    let big = named("lab:big:8b");
    let expected = ModelSource::Custom {
        provider: "lab".to_owned(),
        api: "openai-completions".to_owned(),
        base_url: "https://lab.example/v1?tenant=a".to_owned(),
    };
    assert_eq!(
        (big.model.source, big.model.id.as_str()),
        (expected, "big:8b")
    );
    assert_eq!(big.model.key_header.as_deref(), Some("api-key"));
    assert_eq!(big.model.dialect.as_deref(), Some("vllm"));
    let headers = [("x-team".to_owned(), "blue".to_owned())];
    assert_eq!(big.model.headers, headers);
    let facts = (
        big.model.stated.context_window,
        big.model.stated.max_output_tokens,
    );
    assert_eq!(facts, (Some(200_000), Some(9_000)));
    assert_eq!(
        (big.model.stated.reasoning, big.model.stated.images),
        (Some(false), Some(false))
    );
    assert_eq!(big.model.stated.price.unwrap().output, 2_000_000);
    assert_eq!(big.key_names, ["LAB_KEY"]);
    assert_eq!(
        big.model.stop_sequences,
        ["END"],
        "it is not about the model"
    );
    assert_eq!(big.thinking, scorel_proto::ThinkingLevel::Low);
    let house = named("house.llm_2:m");
    assert_eq!(house.provider(), "house.llm_2");
    assert!(house.key_names.is_empty());
    assert_eq!(named("anthropic:claude").key_names, ["ANTHROPIC_API_KEY"]);
}

#[test]
fn the_configured_model_may_be_one_of_a_table() {
    let config = user(&format!(
        "[model]\nprovider = 'lab'\nid = 'big'\ncontextWindow = 50000\n{LAB}"
    ))
    .unwrap();
    let model = &config.model;
    assert_eq!(model.full_name(), "lab/big");
    assert_eq!(model.key_names, ["LAB_KEY"]);
    let facts = (
        model.model.stated.context_window,
        model.model.stated.max_output_tokens,
    );
    assert_eq!(
        facts,
        (Some(50_000), Some(9_000)),
        "the section wins over the table"
    );
    for name in ["small", "lab:small"] {
        let other = model.clone().named(name, &config.providers).unwrap();
        assert_eq!(
            other.model.stated.context_window,
            Some(200_000),
            "{name}: that was about `big`"
        );
        assert_eq!(other.key_names, model.key_names, "{name}");
    }
    let project = with_project(&config, "[model]\nid = 'small'").unwrap();
    assert_eq!(project.model.full_name(), "lab/small");
    assert_eq!(project.model.model.stated.context_window, Some(200_000));
}

#[test]
fn a_table_that_cannot_work_is_refused_at_its_line() {
    let complete = "api = 'openai-completions'\nbaseUrl = 'https://x.example/v1'";
    let name_rule = "the name of a provider";
    for (name, body, key, says) in [
        (
            "openai",
            complete,
            "providers.openai",
            "name of a builtin provider",
        ),
        (
            "Anthropic",
            complete,
            "providers.Anthropic",
            "name of a builtin provider",
        ),
        (
            "demo",
            complete,
            "providers.demo",
            "name of a builtin provider",
        ),
        ("'a b'", complete, "providers.a b", name_rule),
        ("'a:b'", complete, "providers.a:b", name_rule),
        ("'a/b'", complete, "providers.a/b", name_rule),
        ("''", complete, "providers.", name_rule),
        ("-x", complete, "providers.-x", name_rule),
        (
            "lab",
            "baseUrl = 'https://x.example/v1'",
            "providers.lab.api",
            "missing",
        ),
        (
            "lab",
            "api = 'openai-completions'\nbaseUrl = ' '",
            "providers.lab.baseUrl",
            "missing",
        ),
        (
            "lab",
            "api = 'openai-responses'\nbaseUrl = 'ftp://x'",
            "providers.lab.baseUrl",
            "begin with http",
        ),
        (
            "lab",
            "api = 'openai-responses'\nbaseUrl = 'https://me:pw-canary@x.example'",
            "providers.lab.baseUrl",
            "must not contain credentials",
        ),
        (
            "lab",
            "api = 'openai-responses'\nbaseUrl = 'https://x'\nheaders = { Authorization = 'Bearer canary' }",
            "providers.lab.headers.\"Authorization\"",
            "credentials do not belong",
        ),
        (
            "lab",
            "api = 'openai-responses'\nbaseUrl = 'https://x'\ndialect = 'vlm'",
            "providers.lab.dialect",
            "no builtin provider `vlm`",
        ),
    ] {
        let (place, found, _, reason) = refused(&format!("\n\n[providers.{name}]\n{body}"));
        assert_eq!(place.map(|(line, _)| line), Some(3), "{name}: {reason}");
        assert_eq!(found.as_deref(), Some(key), "{reason}");
        assert!(
            reason.contains(says) && !reason.contains("canary"),
            "{reason}"
        );
    }
}

#[test]
fn an_unknown_key_is_refused_at_its_own_line_with_a_suggestion() {
    let table = "[providers.lab]\napi = 'openai-completions'\nbaseURL = 'https://x.example/v1'";
    let (place, key, suggestion, reason) = refused(table);
    assert_eq!(place.map(|(line, _)| line), Some(3), "{reason}");
    assert_eq!(key.as_deref(), Some("providers.lab.baseURL"));
    assert_eq!(suggestion.as_deref(), Some("baseUrl"));
    let (place, _, suggestion, reason) = refused("[providers.lab]\napi = 'openai-completion'");
    assert_eq!(place.map(|(line, _)| line), Some(2), "{reason}");
    assert_eq!(suggestion.as_deref(), Some("openai-completions"));
    let (_, key, suggestion, _) = refused("[provider.lab]\napi = 'openai-completions'");
    assert_eq!(
        (key.as_deref(), suggestion.as_deref()),
        (Some("provider"), Some("providers"))
    );
}

#[test]
fn a_section_that_refers_to_a_table_describes_no_endpoint() {
    for (line, key) in [
        ("baseUrl = 'https://evil.example/v1'", "model.baseUrl"),
        ("apiKeyEnv = 'OTHER'", "model.apiKeyEnv"),
        ("headers = { x = 'y' }", "model.headers"),
        ("keyHeader = 'x'", "model.keyHeader"),
        ("dialect = 'vllm'", "model.dialect"),
        ("api = 'openai-completions'", "model.api"),
        (
            "type = 'custom'\napi = 'openai-completions'\nbaseUrl = 'https://x'",
            "model.provider",
        ),
    ] {
        let text = format!("[model]\nprovider = 'lab'\nid = 'm'\n{line}\n{LAB}");
        let (place, found, _, reason) = refused(&text);
        assert_eq!(place.map(|(line, _)| line), Some(1), "{reason}");
        assert_eq!(found.as_deref(), Some(key));
        assert!(reason.contains("[providers.lab]"), "{reason}");
    }
    let (_, _, meant, _) = refused(&format!("[model]\nprovider = 'labb'\nid = 'm'\n{LAB}"));
    assert_eq!(meant.as_deref(), Some("lab"));
}

#[test]
fn a_project_cannot_describe_an_endpoint() {
    let base = user("[model]\nprovider = 'openai'\nid = 'm'").unwrap();
    let config = with_project(&base, LAB).unwrap();
    assert!(config.providers.is_empty());
    let ignored = config.warnings.iter().map(|warning| warning.key.as_str());
    let ignored: Vec<_> = ignored.collect();
    assert!(ignored.contains(&"providers.lab.baseUrl"), "{ignored:?}");
    assert!(
        config
            .model
            .clone()
            .named("lab:x", &config.providers)
            .is_err()
    );
}
