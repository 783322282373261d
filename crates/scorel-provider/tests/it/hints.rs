//! Failures say what failed where, and what helps.

use std::sync::Arc;

use scorel_engine::{ErrorCategory, ModelRequest, Provider, ProviderError};
use scorel_proto::{AssistantMessage, Block, Message, StopReason, ToolResultBlock};
use scorel_proto::{Meta, ToolResultMessage};
use scorel_provider::{Connector, ModelConfig, ModelSource, NoBlobs, Secret, Timeouts};
use scorel_testkit::{ModelServer, ScriptedResponse};
use serde_json::json;

use crate::collected::{KEY, ask, collect, provider_at, question};

/// A model of the built-in provider `openai`, at another address.
fn openai(server: &ModelServer, model: &str) -> Arc<dyn Provider> {
    let mut config = ModelConfig::builtin("openai", model);
    config.source = ModelSource::Builtin {
        provider: "openai".to_owned(),
        base_url: Some(server.base_url()),
    };
    Connector::default()
        .connect(&config, Some(Secret::new(KEY)), Arc::new(NoBlobs))
        .unwrap()
}

async fn failure(provider: &dyn Provider, request: ModelRequest) -> ProviderError {
    collect(provider.stream(request)).await.error().clone()
}

fn hint(error: &ProviderError) -> &str {
    error.hint.as_deref().unwrap_or_default()
}

#[tokio::test]
async fn a_refused_connection_names_its_port_and_asks_whether_the_server_runs() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let base_url = format!("http://{address}/v1");
    let provider = provider_at("openai-completions", &base_url, Timeouts::default());
    let error = failure(&*provider, question()).await;
    let begin = format!("cannot reach {address}: ");
    assert!(error.message.starts_with(&begin), "{}", error.message);
    assert!(error.retryable);
    let port = format!("port {} of 127.0.0.1", address.port());
    assert!(hint(&error).contains(&port), "{error:?}");
    assert!(hint(&error).contains("is the server running"), "{error:?}");
}

#[tokio::test]
async fn statuses_have_hints() {
    let server = ModelServer::start().await.unwrap();
    for (status, body, words) in [
        (401, "", "OPENAI_API_KEY"),
        (403, "", "permissions"),
        (429, "insufficient_quota", "quota"),
        (402, "", "quota"),
        (400, "context_length_exceeded", "new session"),
        (500, "", ""),
        (400, "", ""),
    ] {
        let body = json!({"error": {"message": "no", "code": body}});
        server.answer(ScriptedResponse::json(status, body.to_string()));
        let error = failure(&*openai(&server, "gpt-5"), question()).await;
        let address = server.address().to_string();
        assert!(error.message.starts_with(&address), "{}", error.message);
        assert!(hint(&error).contains(words), "{status}: {error:?}");
        assert_eq!(hint(&error).is_empty(), words.is_empty(), "{error:?}");
    }
}

#[tokio::test]
async fn a_failure_inside_a_stream_has_its_hint() {
    let server = ModelServer::start().await.unwrap();
    let failed = json!({"error": {"message": "no", "code": "insufficient_quota"}});
    server.answer(ScriptedResponse::event_stream(format!(
        "data: {failed}\n\n"
    )));
    let got = ask(&server).await;
    assert!(hint(got.error()).contains("quota"), "{:?}", got.error());
    let address = format!("{}: ", server.address());
    assert!(
        got.error().message.starts_with(&address),
        "{:?}",
        got.error()
    );
    server.answer(ScriptedResponse::event_stream(""));
    let got = ask(&server).await;
    assert!(
        got.error().message.starts_with(&address),
        "{:?}",
        got.error()
    );
}

#[tokio::test]
async fn an_unknown_model_gets_the_nearest_names_of_the_listing() {
    let server = ModelServer::start().await.unwrap();
    let unknown = json!({"error": {"message": "no such model", "code": "model_not_found"}});
    let unknown = || ScriptedResponse::json(404, unknown.to_string());
    let listing = r#"{"data":[{"id":"text-embedding-3"},{"id":"lab-large-2"},{"id":"lab-small"}]}"#;
    server.answer(unknown());
    server.answer(ScriptedResponse::json(200, listing));
    let base_url = server.base_url();
    let config = ModelConfig::custom("lab", "openai-completions", base_url, "lab-large-3");
    let provider = Connector::default()
        .connect(&config, None, Arc::new(NoBlobs))
        .unwrap();
    let error = failure(&*provider, question()).await;
    assert_eq!(error.category, ErrorCategory::NotFound);
    let names = "the nearest names are lab-large-2";
    assert!(hint(&error).ends_with(names), "{error:?}");
    assert_eq!(server.requests()[1].method, "GET");
}

#[tokio::test]
async fn without_a_listing_the_names_come_from_the_table() {
    let server = ModelServer::start().await.unwrap();
    server.fallback(ScriptedResponse::json(404, "{}"));
    let error = failure(&*openai(&server, "gpt-5.5-huge"), question()).await;
    assert!(
        hint(&error).contains("nearest names are gpt-5.5"),
        "{error:?}"
    );
}

/// A conversation with a call and its result.
fn history() -> ModelRequest {
    let call = Block::ToolUse {
        id: "a".to_owned(),
        name: "Read".to_owned(),
        input: json!({}),
        invalid_input: None,
        provider: None,
    };
    let answer = AssistantMessage {
        content: vec![call],
        model: "m".to_owned(),
        stop_reason: StopReason::ToolUse,
        usage: None,
        cost: None,
        partial: false,
        meta: Meta::default(),
    };
    let mut request = question();
    request.messages.push(Message::Assistant(answer));
    let result = ToolResultBlock::error("a", "no");
    let result = ToolResultMessage::new("Read", result, 1);
    request.messages.push(Message::ToolResult(result));
    request
}

#[tokio::test]
async fn a_refused_history_names_the_message_and_what_helps() {
    for (api, status, words, named) in [
        (
            "openai-completions",
            400,
            "Invalid 'messages[1].tool_calls[0].function.name'",
            "(message 2 of 3, the model's: calls Read)",
        ),
        (
            "anthropic-messages",
            400,
            "messages.2.content.0: no such id",
            "(message 3 of 3, the user's: \"no\")",
        ),
        (
            "openai-responses",
            400,
            "Invalid 'input[1].name'",
            "(message 2 of 3, the model's: calls Read)",
        ),
        (
            "google-generative-ai",
            400,
            "* GenerateContentRequest.contents[1].parts: no",
            "(message 2 of 3, the model's: calls Read)",
        ),
        (
            "openai-completions",
            422,
            r#"{"loc":["body","messages",1,"tool_calls"],"msg":"Field required"}"#,
            "(message 2 of 3, the model's: calls Read)",
        ),
        // A proxy, which does not look into the body.
        (
            "openai-completions",
            413,
            "Payload Too Large",
            "Payload Too Large",
        ),
    ] {
        let server = ModelServer::start().await.unwrap();
        let body = json!({"error": {"message": words}}).to_string();
        server.fallback(ScriptedResponse::json(status, body));
        let provider = provider_at(api, &server.base_url(), Timeouts::default());
        let error = failure(&*provider, history()).await;
        assert!(error.message.ends_with(named), "{}", error.message);
        for way in ["`scorelctl rewind`", "new session"] {
            assert!(hint(&error).contains(way), "{error:?}");
        }
        // Without a history the conversation is not the reason.
        let error = failure(&*provider, question()).await;
        assert_eq!(error.hint, None);
    }
}
