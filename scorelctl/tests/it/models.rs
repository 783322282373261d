use serde_json::{Value, json};

use crate::daemon::Daemon;
use crate::program::TestHome;

fn answer() -> Value {
    json!({
        "defaultModel": "anthropic/claude-x",
        "models": [
            {
                "provider": "anthropic", "id": "claude-x", "contextWindow": 1_000_000,
                "maxOutputTokens": 64_000, "reasoning": true, "images": true, "live": true,
                "price": {"input": 3.0, "output": 15.0, "notedOn": "2026-11-21"},
            },
            {"provider": "ollama", "id": "qwen3\u{1b}[2J", "live": true},
        ],
        "providers": [
            {"name": "anthropic", "keyVariables": ["K"], "hasKey": true, "local": false,
             "live": false, "problem": "the key is wrong"},
            {"name": "vllm", "hasKey": false, "local": true, "live": false,
             "problem": "connection refused"},
            {"name": "lab", "hasKey": false, "local": false, "custom": true, "live": false,
             "problem": "nothing listens at lab.example"},
        ],
    })
}

#[test]
fn models_are_listed_with_their_limits_and_prices() {
    let place = TestHome::new();
    let daemon = Daemon::start(&place);
    daemon.answer("listModels", answer());
    let ended = place.run(&["models"]);
    ended.assert_code(0);
    let lines: Vec<&str> = ended.out.lines().collect();
    assert_eq!(lines.len(), 3, "{}", ended.out);
    let words: Vec<&str> = lines[1].split_whitespace().collect();
    assert_eq!(
        words,
        [
            "*",
            "anthropic:claude-x",
            "1M",
            "64k",
            "$3.00",
            "/",
            "$15.00",
            "think,",
            "see"
        ]
    );
    assert_eq!(
        lines[2], "  ollama:qwen3⟨1b⟩[2J",
        "nothing to obey, no blanks at the end"
    );
    assert!(ended.err.contains("the key is wrong"), "{}", ended.err);
    assert!(ended.err.contains("2026-11-21"), "{}", ended.err);
    let own = "the models of lab could not be queried: nothing listens at lab.example";
    assert!(ended.err.contains(own), "the user named it: {}", ended.err);
    assert!(
        !ended.err.contains("connection refused"),
        "of no concern: {}",
        ended.err
    );
}

#[test]
fn one_provider_or_none_can_be_queried() {
    let place = TestHome::new();
    let daemon = Daemon::start(&place);
    daemon.answer("listModels", answer());
    place
        .run(&["models", "--provider", "openai"])
        .assert_code(0);
    let ended = place.run(&["--json", "models", "--offline"]);
    assert_eq!(ended.lines()[0]["models"][0]["id"], "claude-x");
    assert!(ended.err.is_empty(), "{}", ended.err);
    let calls = daemon.calls("listModels");
    assert_eq!(calls[0], json!({"provider": "openai"}));
    assert_eq!(calls[1], json!({"live": false}));
}

#[test]
fn a_provider_that_cannot_be_queried_is_an_error_with_a_way_out() {
    let place = TestHome::new();
    let daemon = Daemon::start(&place);
    daemon.refuse("listModels", 1018, "provider_error");
    let ended = place.run(&["models", "--provider", "openai"]);
    ended.assert_code(3);
    assert!(ended.err.contains("--offline"), "{}", ended.err);
}

/// One model with a key, the default without one, two more without.
fn mixed() -> Value {
    let model = |provider: &str, id: &str, has_key: bool| json!({"provider": provider, "id": id, "live": false, "hasKey": has_key});
    json!({
        "defaultModel": "lab/mine",
        "models": [
            model("lab", "mine", false),
            model("anthropic", "claude-x", true),
            model("openai", "gpt-x", false),
            model("openai", "gpt-y", false),
        ],
        "providers": [],
    })
}

#[test]
fn models_without_a_key_are_counted_and_listed_on_demand() {
    let place = TestHome::new();
    let daemon = Daemon::start(&place);
    daemon.answer("listModels", mixed());
    let ended = place.run(&["models"]);
    ended.assert_code(0);
    assert!(!ended.out.contains("gpt-x"), "{}", ended.out);
    assert!(
        ended
            .err
            .contains("2 more models of providers without a key: `scorelctl models --all`"),
        "{}",
        ended.err
    );
    let ended = place.run(&["models", "--all"]);
    let rows: Vec<Vec<&str>> = ended
        .out
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[0][..2], ["KEY", "MODEL"]);
    assert_eq!(rows[1], ["*", "-", "lab:mine"]);
    assert_eq!(rows[2], ["yes", "anthropic:claude-x"]);
    assert_eq!(rows[4], ["-", "openai:gpt-y"]);
    assert!(!ended.err.contains("more"), "{}", ended.err);
    for (arguments, models, omitted) in [
        (["--json", "models", "--offline"].as_slice(), 2, 2),
        (&["--json", "models", "--all"], 4, 0),
        (&["--json", "models", "--provider", "openai"], 4, 0),
    ] {
        let listed = &place.run(arguments).lines()[0];
        assert_eq!(listed["models"].as_array().unwrap().len(), models);
        assert_eq!(listed["omitted"], omitted, "{arguments:?}");
    }
}

#[test]
fn what_is_not_certain_about_a_model_is_said() {
    let place = TestHome::new();
    let daemon = Daemon::start(&place);
    daemon.answer(
        "listModels",
        json!({
            "defaultModel": "demo/demo",
            "models": [
                {
                    "provider": "openai", "id": "gpt-x", "live": false, "hasKey": true,
                    "reasoning": true, "thinkingLevels": ["low", "medium", "max"],
                    "price": {"input": 2.0, "output": 10.0, "notedOn": "2026-07-02", "estimated": true},
                    "unverified": true, "retiresOn": "2026-12-11", "successor": "gpt-y",
                },
                {
                    "provider": "openai", "id": "gpt-y", "live": true, "hasKey": true,
                    "price": {"input": 2.0, "output": 10.0, "notedOn": "2026-11-02"},
                    "differences": [
                        {"property": "maxOutputTokens", "table": "64000", "listed": "128000"}
                    ],
                },
            ],
            "providers": [],
        }),
    );
    let ended = place.run(&["models"]);
    let lines: Vec<&str> = ended.out.lines().collect();
    for part in [
        "~$2.00 / $10.00",
        "think low-max, unverified, until 2026-12-11, then gpt-y",
    ] {
        assert!(lines[1].contains(part), "{}", lines[1]);
    }
    assert!(lines[2].contains(" $2.00 / $10.00"), "{}", lines[2]);
    for part in [
        "openai:gpt-y: maxOutputTokens is 128000 at the endpoint, 64000 in the built-in table",
        "as of 2026-07-02",
        "older than 60 days",
    ] {
        assert!(ended.err.contains(part), "{}", ended.err);
    }
}
