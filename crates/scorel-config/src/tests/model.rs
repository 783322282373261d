use super::*;

fn none() -> CustomProviders {
    CustomProviders::new()
}

#[test]
fn a_builtin_provider_brings_its_own_key_name() {
    let settings = user("[model]\nprovider = 'openai'\nid = 'gpt-5.4-mini'")
        .unwrap()
        .model;
    assert_eq!(
        (settings.provider(), settings.model.id.as_str()),
        ("openai", "gpt-5.4-mini")
    );
    assert_eq!(settings.key_names, ["OPENAI_API_KEY"]);
}

#[test]
fn a_user_may_name_a_model_of_another_provider_with_its_usual_key() {
    let text = "[model]\nprovider = 'openai'\nid = 'm'\napiKeyEnv = 'MINE'\nthinkingLevel = 'low'";
    let settings = user(text).unwrap().model;
    let same = settings.clone().named("openai:other", &none()).unwrap();
    assert_eq!(
        same.key_names, settings.key_names,
        "the same provider, the same key"
    );
    let other = settings.named("google:gemini-2.5-pro", &none()).unwrap();
    assert_eq!(other.provider(), "google");
    assert_eq!(other.thinking, scorel_proto::ThinkingLevel::Low);
    assert_eq!(other.key_names, ["GEMINI_API_KEY", "GOOGLE_API_KEY"]);
}

#[test]
fn the_usual_key_is_not_for_another_address() {
    let text = "[model]\nprovider = 'openai'\nid = 'm'\nbaseUrl = 'https://proxy.example/v1'";
    assert!(user(text).unwrap().model.key_names.is_empty());
    let named = user(&format!("{text}\napiKeyEnv = 'PROXY_KEY'"))
        .unwrap()
        .model;
    assert_eq!(named.key_names, ["PROXY_KEY"]);
}

#[test]
fn a_custom_endpoint_is_described_in_full() {
    let settings = user(
        r#"
        [model]
        type = "custom"
        api = "openai-completions"
        provider = "amp"
        id = "m"
        baseUrl = "https://amp.example/v1"
        apiKeyEnv = "AMP_KEY"
        contextWindow = 400000
        maxTokens = 128000
        reasoning = true
        thinkingLevel = "high"
        images = false
        stopSequences = ["END"]
        dialect = "vllm"
        keyHeader = "api-key"
        headers = { x-team = "blue", Editor-Version = "1" }
        price = { input = 0.5, output = 2, cacheRead = 0.05 }
        "#,
    )
    .unwrap()
    .model;
    assert_eq!(settings.model.stated.images, Some(false));
    assert_eq!(settings.model.stop_sequences, ["END"]);
    assert_eq!(settings.model.dialect.as_deref(), Some("vllm"));
    assert_eq!(settings.model.key_header.as_deref(), Some("api-key"));
    let headers = [("Editor-Version", "1"), ("x-team", "blue")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(settings.model.headers, headers);
    let price = scorel_provider::Price {
        input: 500_000,
        output: 2_000_000,
        cache_read: Some(50_000),
        cache_write: None,
        noted_on: None,
    };
    assert_eq!(settings.model.stated.price, Some(price));
    let source = ModelSource::Custom {
        provider: "amp".into(),
        api: "openai-completions".into(),
        base_url: "https://amp.example/v1".into(),
    };
    assert_eq!(settings.model.source, source);
    assert_eq!(settings.model.stated.context_window, Some(400_000));
    assert_eq!(settings.model.stated.max_output_tokens, Some(128_000));
    assert_eq!(settings.model.stated.reasoning, Some(true));
    assert_eq!(settings.thinking, scorel_proto::ThinkingLevel::High);
    assert_eq!(settings.key_names, ["AMP_KEY"]);
}

#[test]
fn a_model_that_cannot_work_is_refused_at_its_section() {
    let custom = "type = 'custom'\nprovider = 'x'\nid = 'm'";
    let endpoint =
        format!("{custom}\napi = 'openai-completions'\nbaseUrl = 'https://x.example/v1'");
    let cases = [
        ("id = 'm'", "model.provider", None),
        ("provider = 'openai'", "model.id", None),
        ("provider = 'openai'\nid = ' '", "model.id", None),
        (
            "provider = 'openia'\nid = 'm'",
            "model.provider",
            Some("openai"),
        ),
        ("provider = 'zzzz'\nid = 'm'", "model.provider", None),
        (
            "provider = 'openai'\nid = 'm'\napi = 'openai-completions'",
            "model.api",
            None,
        ),
        (custom, "model.api", None),
        (
            "provider = 'openai'\nid = 'm'\ndialect = 'vllm'",
            "model.dialect",
            None,
        ),
        (
            &format!("{endpoint}\ndialect = 'vlm'"),
            "model.dialect",
            Some("vllm"),
        ),
        (
            &format!("{endpoint}\ndialect = 'demo'"),
            "model.dialect",
            None,
        ),
        (
            &format!("{custom}\napi = 'openai-completions'"),
            "model.baseUrl",
            None,
        ),
    ];
    for (section, key, meant) in cases {
        let (place, found, suggestion, reason) = refused(&format!("\n[model]\n{section}"));
        assert_eq!(place.map(|(line, _)| line), Some(2), "{section}: {reason}");
        assert_eq!(
            (found.as_deref(), suggestion.as_deref()),
            (Some(key), meant),
            "{section}"
        );
    }
}

#[test]
fn an_address_that_cannot_work_is_refused_and_not_repeated() {
    for (url, says) in [
        ("notaurl", "invalid base URL"),
        ("ftp://x.example/", "begin with http"),
        ("https://", "invalid base URL"),
        (
            "http://me:pw-canary@x.example/v1",
            "must not contain credentials",
        ),
    ] {
        for (section, key) in [
            ("model]\nprovider = 'openai'\nid = 'm'", "model.baseUrl"),
            (
                "model]\ntype = 'custom'\nprovider = 'x'\nid = 'm'\napi = 'openai-completions'",
                "model.baseUrl",
            ),
            ("runners.codex]", "runners.codex.baseUrl"),
        ] {
            let (place, found, _, reason) = refused(&format!("[{section}\nbaseUrl = '{url}'"));
            assert_eq!(found.as_deref(), Some(key), "{reason}");
            assert!(place.is_some(), "{reason}");
            assert!(
                reason.contains(says) && !reason.contains("canary"),
                "{reason}"
            );
        }
    }
}

#[test]
fn headers_that_fail_each_call_are_refused_where_they_are_configured() {
    let sections = [
        ("model]\nprovider = 'openai'\nid = 'm'", "model"),
        (
            "model]\ntype = 'custom'\nprovider = 'x'\nid = 'm'\napi = 'openai-completions'\nbaseUrl = 'http://x/'",
            "model",
        ),
        (
            "providers.lab]\napi = 'openai-completions'\nbaseUrl = 'http://x/'",
            "providers.lab",
        ),
    ];
    for (setting, key) in [
        (
            "headers = { Authorization = 'canary' }",
            "headers.\"Authorization\"",
        ),
        ("headers = { cookie = 'canary' }", "headers.\"cookie\""),
        ("headers = { X-Team = 'a', Host = 'x' }", "headers.\"Host\""),
        (
            "headers = { Connection = 'close' }",
            "headers.\"Connection\"",
        ),
        (
            "headers = { Content-Type = 'text/plain' }",
            "headers.\"Content-Type\"",
        ),
        (
            "headers = { X-Team = \"canary\\r\\nX: y\" }",
            "headers.\"X-Team\"",
        ),
        ("headers = { X-Team = \"canary\\n\" }", "headers.\"X-Team\""),
        (
            "headers = { \"X\\nTeam\" = 'canary' }",
            "headers.\"X\\nTeam\"",
        ),
        ("headers = { '' = 'canary' }", "headers.\"\""),
        ("keyHeader = \"api\\r\\nkey\"", "keyHeader"),
        ("keyHeader = 'Content-Length'", "keyHeader"),
        ("keyHeader = 'api key'", "keyHeader"),
    ] {
        for (section, table) in sections {
            let (place, found, _, reason) = refused(&format!("\n[{section}\n{setting}"));
            assert_eq!(found, Some(format!("{table}.{key}")), "{reason}");
            assert_eq!(place.map(|(line, _)| line), Some(2), "{reason}");
            assert!(reason.contains("invalid header"), "{reason}");
            assert!(!reason.contains("canary"), "{reason}");
        }
    }
}

#[test]
fn a_model_that_leads_elsewhere_is_refused_where_it_is_configured() {
    for id in [
        "../../../tenant-b/v1beta/models/x",
        "a/..",
        "a b",
        "a\\nb",
        "a\\u0000",
        "%2e%2e/x",
    ] {
        for section in [
            "[model]\nprovider = 'google'\nid = ",
            "[auxiliary]\nmodel = ",
            "[agents.x]\n\nmodel = ",
            "[runners.codex]\nmodel = ",
        ] {
            let text = format!("{section}\"{id}\"");
            let (place, _, _, reason) = refused(&text);
            let (line, column) = place.expect(&reason);
            let value = text.lines().last().unwrap().find('"').unwrap() + 1;
            assert_eq!((line, column), (text.lines().count(), value), "{text}");
            assert!(reason.contains("invalid model id"), "{reason}");
        }
    }
    for id in [
        "anthropic/claude-x",
        "models/gemini-3",
        "qwen3:8b",
        " gpt-5 ",
    ] {
        let settings = user(&format!("[model]\nprovider = 'google'\nid = '{id}'")).unwrap();
        assert_eq!(settings.model.model.id, id.trim());
    }
}

#[test]
fn prices_are_dollars_and_never_below_zero() {
    let model = "[model]\nprovider = 'openai'\nid = 'm'\n";
    for price in [
        "{ input = -1, output = 1 }",
        "{ input = 1e9, output = 1 }",
        "{ input = 1 }",
    ] {
        assert!(user(&format!("{model}price = {price}")).is_err(), "{price}");
    }
    let free = user(&format!("{model}price = {{ input = 0, output = 0 }}")).unwrap();
    assert_eq!(free.model.model.stated.price.unwrap().output, 0);
}

#[test]
fn settings_of_one_model_do_not_apply_to_another() {
    let text = "[model]\nprovider = 'openai'\nid = 'm'\nmaxTokens = 5\nimages = false\n\
        price = { input = 1, output = 2 }\nstopSequences = ['END']";
    let settings = user(text).unwrap().model;
    assert_eq!(settings.clone().with_id("m", &none()), settings);
    let other = settings.with_id("other", &none()).model;
    let stated = other.stated;
    assert_eq!(
        (stated.max_output_tokens, stated.images, stated.price),
        (None, None, None)
    );
    assert_eq!(other.stop_sequences, ["END"], "it is not about the model");
}

#[test]
fn a_price_is_that_of_one_model_of_an_endpoint_unless_a_table_states_it() {
    let price = "price = { input = 1, output = 2 }\n";
    let endpoint = "api = 'openai-completions'\nbaseUrl = 'http://127.0.0.1:1/v1'\n";
    let own = format!("[model]\ntype = 'custom'\nprovider = 'lab'\nid = 'm'\n{endpoint}{price}");
    let of = |text: &str, name: &str| {
        let config = user(text).unwrap();
        let named = config.model.named(name, &config.providers).unwrap();
        named.model.stated.price.map(|price| price.input)
    };
    assert_eq!(of(&own, "m"), Some(1_000_000));
    for name in ["aux", "lab:aux"] {
        assert_eq!(of(&own, name), None, "{name}");
    }
    let table = format!("[providers.lab]\n{endpoint}{price}[model]\nprovider = 'lab'\nid = 'm'\n");
    for name in ["m", "aux", "lab:aux"] {
        assert_eq!(of(&table, name), Some(1_000_000), "{name}");
    }
}

#[test]
fn thinking_goes_up_to_max_and_the_levels_of_a_model_can_be_stated() {
    let settings = user(
        "[model]\nprovider = 'openai'\nid = 'home-made'\nthinkingLevel = 'max'\n\
         thinkingLevels = ['low', 'max']",
    )
    .unwrap()
    .model;
    assert_eq!(settings.thinking, scorel_proto::ThinkingLevel::Max);
    let levels = settings.model.stated.levels.unwrap();
    assert_eq!(levels.names(), "low, max");
    assert_eq!(settings.model.check_level(settings.thinking), Ok(()));
    let refused = user("[model]\nprovider = 'demo'\nthinkingLevel = 'ultra'").unwrap_err();
    let text = refused.to_string();
    assert!(text.ends_with("high, xhigh, max"), "{text}");
}
