//! Headers, keys and connection reuse.

use std::sync::Arc;

use scorel_provider::{Connector, ModelConfig, NoBlobs, Secret, Timeouts};
use scorel_testkit::{ModelServer, ScriptedResponse};

use crate::collected::{KEY, ask, collect, provider, question};

fn hello() -> ScriptedResponse {
    ScriptedResponse::chat().text("hello").finish("stop").into()
}

#[tokio::test]
async fn a_request_goes_to_its_path_with_its_key() {
    let server = ModelServer::start().await.unwrap();
    server.answer(hello());
    ask(&server).await;
    let request = server.requests().remove(0);
    assert_eq!(
        (request.method.as_str(), request.path.as_str()),
        ("POST", "/v1/chat/completions")
    );
    assert_eq!(
        request.header("authorization"),
        Some(&*format!("Bearer {KEY}"))
    );
    assert_eq!(request.header("accept"), Some("text/event-stream"));
    let body = request.json();
    assert_eq!(body["model"], "model-1");
    assert_eq!(body["stream"], true);
}

#[tokio::test]
async fn without_a_key_there_is_no_authorization() {
    let server = ModelServer::start().await.unwrap();
    server.answer(hello());
    let url = server.base_url();
    let config = ModelConfig::custom("local", "openai-completions", url, "m");
    let connector = Connector::new(Timeouts::default());
    let provider = connector.connect(&config, None, Arc::new(NoBlobs)).unwrap();
    collect(provider.stream(question())).await;
    assert_eq!(server.requests()[0].header("authorization"), None);
}

#[tokio::test]
async fn a_key_that_no_header_can_hold_is_refused_unseen() {
    let server = ModelServer::start().await.unwrap();
    let url = server.base_url();
    let config = ModelConfig::custom("local", "openai-completions", url, "m");
    let key = Some(Secret::new("sk\nx"));
    let connector = Connector::new(Timeouts::default());
    let provider = connector.connect(&config, key, Arc::new(NoBlobs)).unwrap();
    let got = collect(provider.stream(question())).await;
    assert!(!got.error().retryable);
    assert!(server.requests().is_empty());
}

/// The end of a body is read after the reply was returned, so the next call may find the connection
/// still in use. What must not happen is that no call ever reuses one.
#[tokio::test]
async fn calls_share_a_connection_and_their_bytes_are_equal() {
    const TRIES: usize = 100;
    let server = ModelServer::start().await.unwrap();
    server.fallback(hello());
    let provider = provider(&server, Timeouts::default());
    let shared = async || {
        collect(provider.stream(question())).await;
        let requests = server.requests();
        let newest = requests.last().map(|request| request.connection);
        requests.len() > 1 && newest == Some(requests[requests.len() - 2].connection)
    };
    let mut calls = 0;
    while !shared().await {
        calls += 1;
        assert!(calls < TRIES, "{TRIES} calls, each over its own connection");
    }
    let requests = server.requests();
    assert!(
        requests
            .iter()
            .all(|request| request.body == requests[0].body)
    );
}
