//! Connections that break or stall, redirects, and error responses.

use std::time::Duration;

use futures_util::StreamExt;
use scorel_engine::{ErrorCategory, ProviderEvent};
use scorel_proto::StopReason;
use scorel_provider::Timeouts;
use scorel_testkit::{ModelServer, ResponseGate, ScriptedResponse};

use crate::collected::{ANY_API, KEY, ask, collect, provider, provider_at, question};

/// A timeout that a test can wait for.
const SHORT: Duration = Duration::from_millis(50);

/// How long a silent server is waited for. Longer than [`SHORT`]: what comes before the silence, such as
/// connecting, must fit on a busy machine.
const SILENCE: Duration = Duration::from_secs(2);

#[tokio::test]
async fn a_stream_that_breaks_is_truncated_and_worth_a_retry() {
    let server = ModelServer::start().await.unwrap();
    server.answer(ScriptedResponse::chat().text("I beg").cut());
    let got = ask(&server).await;
    assert_eq!(got.text, "I beg");
    assert_eq!(got.error().category, ErrorCategory::StreamTruncated);
    assert!(got.error().retryable);
}

#[tokio::test]
async fn a_stream_that_ends_well_without_a_reason_is_truncated() {
    let server = ModelServer::start().await.unwrap();
    let body = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"I beg\"}}]}\n\n";
    for body in [body, ""] {
        server.answer(ScriptedResponse::event_stream(body));
        let got = ask(&server).await;
        assert_eq!(got.error().category, ErrorCategory::StreamTruncated);
    }
}

#[tokio::test]
async fn a_stream_cut_anywhere_before_its_reason_is_never_done() {
    let answer = ScriptedResponse::from(
        ScriptedResponse::chat()
            .text("aä")
            .tool_call("a", "Read", "{}"),
    );
    let server = ModelServer::start().await.unwrap();
    for bytes in (0..300).step_by(7) {
        server.answer(answer.clone().cut_after(bytes));
        let got = ask(&server).await;
        assert_eq!(
            got.error().category,
            ErrorCategory::StreamTruncated,
            "{bytes}"
        );
    }
}

#[tokio::test]
async fn what_breaks_after_the_reason_to_stop_does_not_matter() {
    let server = ModelServer::start().await.unwrap();
    server.answer(ScriptedResponse::chat().text("yes").finish("stop").cut());
    assert_eq!(ask(&server).await.stop_reason(), StopReason::EndTurn);
    let gate = ResponseGate::new();
    server.answer(
        ScriptedResponse::chat()
            .text("yes")
            .finish("stop")
            .wait(&gate),
    );
    let timeouts = Timeouts {
        settle: SHORT,
        ..Timeouts::default()
    };
    let got = collect(provider(&server, timeouts).stream(question())).await;
    assert_eq!(got.stop_reason(), StopReason::EndTurn);
}

#[tokio::test]
async fn silence_in_the_middle_of_an_answer_times_out() {
    let server = ModelServer::start().await.unwrap();
    let gate = ResponseGate::new();
    server.answer(ScriptedResponse::chat().text("I beg").wait(&gate));
    let timeouts = Timeouts {
        idle: SILENCE,
        ..Timeouts::default()
    };
    let got = collect(provider(&server, timeouts).stream(question())).await;
    assert_eq!(got.text, "I beg");
    assert_eq!(got.error().category, ErrorCategory::Timeout);
    assert!(got.error().retryable);
}

#[tokio::test]
async fn silence_before_an_answer_times_out() {
    let server = ModelServer::start().await.unwrap();
    let gate = ResponseGate::new();
    server.answer(ScriptedResponse::status(200).hold(&gate));
    let timeouts = Timeouts {
        first_byte: SILENCE,
        ..Timeouts::default()
    };
    let got = collect(provider(&server, timeouts).stream(question())).await;
    assert_eq!(got.error().category, ErrorCategory::Timeout);
    gate.abandoned().await;
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let server = ModelServer::start().await.unwrap();
    let gate = ResponseGate::new();
    server.answer(ScriptedResponse::chat().text("I beg").wait(&gate));
    let mut stream = provider(&server, Timeouts::default()).stream(question());
    let start = stream.next().await.unwrap().unwrap();
    assert!(matches!(start, ProviderEvent::Start { .. }));
    gate.reached().await;
    drop(stream);
    gate.abandoned().await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_network_failure() {
    // A client's port is taken, so that no server of another test gets it, and is not listened at.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let url = format!("http://{}/v1", client.local_addr().unwrap());
    let provider = provider_at(ANY_API, &url, Timeouts::default());
    let got = collect(provider.stream(question())).await;
    assert_eq!(got.error().category, ErrorCategory::Network);
    assert!(got.error().retryable);
    assert!(
        got.error().message.contains("127.0.0.1"),
        "{}",
        got.error().message
    );
}

#[tokio::test]
async fn no_redirect_is_followed() {
    let target = ModelServer::start().await.unwrap();
    let server = ModelServer::start().await.unwrap();
    for status in [301, 302, 307, 308] {
        let location = format!("{}/chat/completions?token=x", target.base_url());
        server.answer(ScriptedResponse::status(status).header("location", location));
        let got = ask(&server).await;
        assert_eq!(got.error().category, ErrorCategory::InvalidRequest);
        assert!(!got.error().retryable);
        assert!(got.error().message.contains(&target.base_url()));
        assert!(!got.error().message.contains("token"));
    }
    assert!(target.requests().is_empty());
}

#[tokio::test]
async fn a_key_that_a_server_repeats_is_redacted() {
    let server = ModelServer::start().await.unwrap();
    let body = format!(r#"{{"error":{{"message":"bad key {KEY}!"}}}}"#);
    server.answer(ScriptedResponse::json(401, body.clone()));
    let got = ask(&server).await;
    assert_eq!(got.error().category, ErrorCategory::Auth);
    assert!(got.error().message.contains("bad key [redacted]!"));
    server.answer(ScriptedResponse::event_stream(format!("data: {body}\n\n")));
    let got = ask(&server).await;
    assert!(!format!("{:?}", got.error()).contains(KEY));
}

#[tokio::test]
async fn the_advice_of_a_server_overrides_its_status() {
    let server = ModelServer::start().await.unwrap();
    server.answer(ScriptedResponse::status(500).header("x-should-retry", "false"));
    assert!(!ask(&server).await.error().retryable);
    server.answer(
        ScriptedResponse::json(400, "{\"error\":\"odd\"}").header("x-should-retry", "true"),
    );
    assert!(ask(&server).await.error().retryable);
}

#[tokio::test]
async fn a_failure_names_its_request_and_shows_little_of_a_long_page() {
    let server = ModelServer::start().await.unwrap();
    let page = ScriptedResponse::status(502)
        .header("x-request-id", "req_7")
        .write("<p>".repeat(100_000));
    server.answer(page);
    let got = ask(&server).await;
    assert!(got.error().message.contains("req_7"));
    assert!(got.error().message.len() < 700);
}

#[tokio::test]
async fn tls_is_set_up_and_a_server_without_it_is_refused() {
    let server = ModelServer::start().await.unwrap();
    let url = server.base_url().replace("http:", "https:");
    let provider = provider_at(ANY_API, &url, Timeouts::default());
    let got = collect(provider.stream(question())).await;
    assert_eq!(got.error().category, ErrorCategory::Network);
    assert!(
        server
            .requests()
            .iter()
            .all(|request| request.header("authorization").is_none())
    );
}
