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
        lines[2], "  ollama:qwen3^[[2J",
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
