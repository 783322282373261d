//! What an endpoint lists counts in turns, and what no model has is refused.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use scorel_testkit::{ModelServer, RecordedRequest, ScriptedResponse};
use serde_json::json;

use super::{KEY, ModelsShell, text};

/// The longest wait for what happens beside a turn, in turns.
const MOST_TURNS: usize = 50;

const LIST: &str = r#"{"data":[{"id":"made-here","max_input_tokens":1000000,"max_tokens":128000,
    "capabilities":{"thinking":{"supported":true},"image_input":{"supported":true},
    "effort":{"supported":true,"low":{"supported":true},"high":{"supported":true},
    "xhigh":{"supported":false},"max":{"supported":true}}}}],"has_more":false}"#;

const ANSWER: &str = r#"event: message_start
data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"made-here","content":[],"stop_reason":null,"usage":{"input_tokens":3,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ready"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":1}}

event: message_stop
data: {"type":"message_stop"}

"#;

/// An endpoint that lists one model, which needs an output limit in every request.
async fn endpoint() -> ModelServer {
    let server = ModelServer::start().await.unwrap();
    server.answer_with(|request: &RecordedRequest| {
        if request.method == "GET" {
            return ScriptedResponse::json(200, LIST);
        }
        ScriptedResponse::event_stream(ANSWER)
    });
    server
}

fn configure(shell: &ModelsShell, server: &ModelServer, more: &str) {
    shell.0.configure(&format!(
        "[model]\ntype = \"custom\"\napi = \"anthropic-messages\"\nprovider = \"lab\"\n\
         id = \"made-here\"\nbaseUrl = \"http://{}\"\n{more}",
        server.address()
    ));
}

/// The output limits that turns stated.
fn limits(server: &ModelServer) -> Vec<u64> {
    let turns = server.requests().into_iter();
    let turns = turns.filter(|request| request.method == "POST");
    turns
        .map(|request| request.json()["max_tokens"].as_u64().unwrap())
        .collect()
}

fn listings(server: &ModelServer) -> usize {
    let requests = server.requests();
    requests
        .iter()
        .filter(|asked| asked.method == "GET")
        .count()
}

#[tokio::test]
async fn a_turn_states_the_limit_that_the_endpoint_listed_and_so_does_the_next_daemon() {
    let (shell, server) = (ModelsShell::new(), endpoint().await);
    configure(&shell, &server, "");
    shell.ok(&["models", "--provider", "lab"]).await;
    assert_eq!(shell.ok(&["send", "one"]).await, "ready\n");
    let file = shell.0.home().join("models.json");
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let kept = fs::read_to_string(&file).unwrap();
    assert!(
        kept.contains("\"listedAt\"") && kept.contains("\"version\":1"),
        "{kept}"
    );
    shell.stop().await;
    shell.ok(&["send", "two"]).await;
    assert_eq!(limits(&server), [128_000, 128_000]);
    assert_eq!(listings(&server), 1, "the next daemon need not ask");
    let offline = shell
        .call("listModels", json!({"provider": "lab", "live": false}))
        .await;
    assert_eq!(offline["models"][0]["maxOutputTokens"], 128_000);
    let levels = json!(["low", "high", "max"]);
    assert_eq!(offline["models"][0]["thinkingLevels"], levels);
    assert!(offline["providers"][0]["listedAt"].is_u64());
    shell.stop().await;
}

#[tokio::test]
async fn a_damaged_file_of_lists_is_made_again() {
    let (shell, server) = (ModelsShell::new(), endpoint().await);
    configure(&shell, &server, "");
    let file = shell.0.home().join("models.json");
    fs::create_dir_all(shell.0.home()).unwrap();
    fs::write(&file, "{\"version\":1,\"endpoints\":").unwrap();
    assert_eq!(shell.ok(&["send", "one"]).await, "ready\n");
    shell.ok(&["models", "--provider", "lab"]).await;
    shell.ok(&["send", "two"]).await;
    assert_eq!(limits(&server).last(), Some(&128_000));
    let kept = fs::read_to_string(&file).unwrap();
    assert!(kept.contains("made-here"), "{kept}");
    shell.stop().await;
}

#[tokio::test]
async fn a_turn_that_must_assume_a_limit_does_not_wait_and_later_ones_know_it() {
    let (shell, server) = (ModelsShell::new(), endpoint().await);
    configure(&shell, &server, "");
    for turn in 0..MOST_TURNS {
        shell.ok(&["send", "next"]).await;
        if limits(&server)[turn] == 128_000 {
            break;
        }
    }
    let stated = limits(&server);
    assert_eq!(stated[0], 8_192, "the first did not wait");
    assert_eq!(stated.last(), Some(&128_000), "{stated:?}");
    assert_eq!(listings(&server), 1);
    shell.stop().await;
}

#[tokio::test]
async fn a_thinking_level_that_the_model_lacks_is_an_error_that_names_those_it_has() {
    let (shell, server) = (ModelsShell::new(), endpoint().await);
    configure(&shell, &server, "thinkingLevel = \"max\"\n");
    shell.ok(&["models", "--provider", "lab"]).await;
    shell.ok(&["send", "one"]).await;
    let asked = server.requests().pop().unwrap().json();
    assert_eq!(asked["max_tokens"], 128_000);
    configure(&shell, &server, "thinkingLevel = \"xhigh\"\n");
    let refused = shell.run(&["send", "two"], &[]).await;
    assert!(!refused.status.success(), "{refused:?}");
    let shown = text(&refused.stderr);
    assert!(
        shown.contains("made-here has no thinking level \"xhigh\"; it has low, high, max"),
        "{shown}"
    );
    assert_eq!(limits(&server).len(), 1, "nothing was sent");
    shell.stop().await;
}

#[tokio::test]
async fn a_retired_model_is_refused_with_its_successor() {
    let shell = ModelsShell::new();
    let variables = [("XAI_API_KEY", KEY)];
    let send = ["send", "--model", "xai:grok-code-fast-1", "hello"];
    let refused = shell.run(&send, &variables).await;
    assert!(!refused.status.success(), "{refused:?}");
    let shown = text(&refused.stderr);
    assert!(
        shown.contains("xai retired grok-code-fast-1 on 2026-05-15; use grok-4.3 instead"),
        "{shown}"
    );
    shell.stop().await;
}

#[tokio::test]
async fn only_models_with_a_key_are_listed_unless_all_are_asked_for() {
    let shell = ModelsShell::new();
    let variables = [("ANTHROPIC_API_KEY", KEY)];
    let listed = shell.run(&["models", "--offline"], &variables).await;
    let (shown, noted) = (text(&listed.stdout), text(&listed.stderr));
    assert!(shown.contains("anthropic:claude-opus-5-5"), "{shown}");
    assert!(!shown.contains("openai:"), "{shown}");
    assert!(
        noted.contains("more models of providers without a key"),
        "{noted}"
    );
    let all = shell.ok(&["models", "--offline", "--all"]).await;
    assert!(all.contains("yes  anthropic:claude-opus-5-5"), "{all}");
    assert!(all.contains("-   openai:gpt-6.1-sol"), "{all}");
    assert!(!all.contains("grok-code-fast-1"), "retired: {all}");
    shell.stop().await;
}
