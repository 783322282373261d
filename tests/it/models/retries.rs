//! What clients are told of a model call that fails.

use scorel_testkit::{ModelServer, ScriptedResponse};
use serde_json::{Value, json};

use super::{ModelsShell, text};

#[tokio::test]
async fn a_call_that_is_made_again_is_an_event_with_its_reason() {
    let (shell, server) = (ModelsShell::new(), ModelServer::start().await.unwrap());
    shell.0.configure_model(&server.base_url());
    server.answer(ScriptedResponse::json(
        503,
        r#"{"error":{"message":"busy"}}"#,
    ));
    server.answer(ScriptedResponse::chat().text("hello").finish("stop"));
    let printed = shell.ok(&["--json", "send", "hi"]).await;
    let lines = printed
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let events: Vec<Value> = lines.collect();
    let retry = events
        .iter()
        .find(|event| event["type"] == "model_retry")
        .unwrap();
    assert_eq!(retry["attempt"], 1);
    assert_eq!(retry["error"]["code"], "overloaded");
    let message = retry["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with(&server.address().to_string()),
        "{message}"
    );
    assert!(message.ends_with("busy"), "{message}");
    assert!(retry["until"].as_u64() >= retry["ts"].as_u64(), "{retry}");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_server_that_does_not_run_is_named_with_its_port() {
    let shell = ModelsShell::new();
    // Bound to the end, so that no other test gets the port, and without listening.
    let unheard = tokio::net::TcpSocket::new_v4().unwrap();
    unheard.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = unheard.local_addr().unwrap();
    shell.0.configure(&format!(
        "[model]\ntype = \"custom\"\napi = \"openai-completions\"\nprovider = \"lab\"\nid = \"m\"\n\
         baseUrl = \"http://{address}/v1\"\n[runtime]\nretries = 0\n"
    ));
    let port = format!("nothing listens at port {}", address.port());
    let sent = shell.run(&["send", "hi"], &[]).await;
    let shown = text(&sent.stderr);
    assert!(
        shown.contains(&format!("cannot reach {address}")),
        "{shown}"
    );
    assert!(shown.contains(&port), "{shown}");
    let checked = shell.call("checkModel", json!({})).await;
    let hint = checked["error"]["hint"].as_str().unwrap();
    assert!(hint.contains(&port), "{checked}");
}
