//! Compressed responses are read, whatever was asked for.

use async_compression::tokio::write::{DeflateEncoder, GzipEncoder, ZlibEncoder};
use futures_util::StreamExt;
use scorel_engine::{ErrorCategory, ProviderEvent};
use scorel_provider::{ListError, ModelConfig, Timeouts};
use scorel_testkit::{ModelServer, ResponseGate, ScriptedResponse};
use tokio::io::AsyncWriteExt;

use crate::collected::{ANY_API, ask, provider, question};

const HELLO: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hello\"}}]}\n\n";
const END: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";

/// The names and forms that endpoints use. The second `deflate` lacks the header that it should have.
const ENCODINGS: [(&str, Form); 4] = [
    ("gzip", Form::Gzip),
    ("x-gzip", Form::Gzip),
    ("deflate", Form::Zlib),
    ("deflate", Form::Deflate),
];

#[derive(Debug, Clone, Copy)]
enum Form {
    Gzip,
    Zlib,
    Deflate,
}

/// The parts of a body, compressed, each flushed so that a reader can show it before the next comes.
async fn compressed(form: Form, parts: &[&[u8]]) -> Vec<Vec<u8>> {
    macro_rules! with {
        ($encoder:ident) => {{
            let mut encoder = $encoder::new(Vec::new());
            let mut pieces = Vec::new();
            let mut taken = 0;
            for part in parts {
                encoder.write_all(part).await.unwrap();
                encoder.flush().await.unwrap();
                pieces.push(encoder.get_ref()[taken..].to_vec());
                taken = encoder.get_ref().len();
            }
            encoder.shutdown().await.unwrap();
            pieces.push(encoder.get_ref()[taken..].to_vec());
            pieces
        }};
    }
    match form {
        Form::Gzip => with!(GzipEncoder),
        Form::Zlib => with!(ZlibEncoder),
        Form::Deflate => with!(DeflateEncoder),
    }
}

async fn whole(form: Form, body: &[u8]) -> Vec<u8> {
    compressed(form, &[body]).await.concat()
}

fn encoded(status: u16, encoding: &str) -> ScriptedResponse {
    ScriptedResponse::status(status)
        .header("content-type", "text/event-stream")
        .header("content-encoding", encoding)
}

#[tokio::test]
async fn answers_are_decompressed_as_they_stream() {
    for (encoding, form) in ENCODINGS {
        let server = ModelServer::start().await.unwrap();
        let gate = ResponseGate::new();
        let pieces = compressed(form, &[HELLO.as_bytes(), END.as_bytes()]).await;
        let response = encoded(200, encoding).write(pieces[0].clone()).wait(&gate);
        server.answer(response.write(pieces[1..].concat()));
        let mut stream = provider(&server, Timeouts::default()).stream(question());
        let mut text = String::new();
        while text.is_empty() {
            // The rest of the body is still held back.
            if let ProviderEvent::Text { delta, .. } = stream.next().await.unwrap().unwrap() {
                text = delta;
            }
        }
        assert_eq!(text, "hello", "{encoding} {form:?}");
        gate.open();
        let end = stream.next().await.unwrap();
        assert!(matches!(end, Ok(ProviderEvent::Done { .. })), "{end:?}");
    }
}

#[tokio::test]
async fn a_body_compressed_twice_is_read() {
    let server = ModelServer::start().await.unwrap();
    let once = whole(Form::Zlib, [HELLO, END].concat().as_bytes()).await;
    let twice = whole(Form::Gzip, &once).await;
    server.answer(encoded(200, "deflate, gzip").write(twice));
    assert_eq!(ask(&server).await.text, "hello");
}

#[tokio::test]
async fn errors_and_listings_are_decompressed() {
    for (encoding, form) in ENCODINGS {
        let server = ModelServer::start().await.unwrap();
        let body = whole(
            form,
            br#"{"error":{"message":"no such key","code":"invalid_api_key"}}"#,
        );
        server.answer(encoded(401, encoding).write(body.await));
        let got = ask(&server).await;
        assert!(
            got.error().message.contains("no such key"),
            "{encoding}: {:?}",
            got.error()
        );
        let body = whole(form, br#"{"data":[{"id":"model-1"}]}"#);
        server.answer(encoded(200, encoding).write(body.await));
        let models = list(&server).await.unwrap();
        assert_eq!(models[0].id, "model-1", "{encoding}");
    }
}

#[tokio::test]
async fn an_error_page_is_reduced_to_its_title_and_first_sentence() {
    let server = ModelServer::start().await.unwrap();
    let page = "<!DOCTYPE html><html><head><title>Attention required</title></head><body>\
        <h1>Attention required</h1><p>You were blocked. The reason is long.</p></body></html>";
    let body = whole(Form::Gzip, page.as_bytes()).await;
    server.answer(encoded(403, "gzip").write(body));
    let got = ask(&server).await;
    let message = &got.error().message;
    assert!(
        message.ends_with(": Attention required: You were blocked."),
        "{message}"
    );
}

#[tokio::test]
async fn what_cannot_be_decompressed_is_named() {
    let server = ModelServer::start().await.unwrap();
    for unknown in ["compress", "br", "zstd"] {
        server.answer(encoded(200, unknown).write("x"));
        let got = ask(&server).await;
        assert!(got.error().message.contains(unknown), "{:?}", got.error());
        assert!(!got.error().retryable);
    }
    server.answer(encoded(200, "gzip").write(HELLO));
    let got = ask(&server).await;
    assert!(
        got.error().message.contains("decompressed"),
        "{:?}",
        got.error()
    );
    let cut = whole(Form::Gzip, HELLO.as_bytes()).await;
    server.answer(encoded(200, "gzip").write(&cut[..cut.len() / 2]));
    let got = ask(&server).await;
    assert_eq!(got.error().category, ErrorCategory::StreamTruncated);
    // The status counts, even if its explanation cannot be read.
    server.answer(encoded(401, "compress").write("x"));
    assert_eq!(ask(&server).await.error().category, ErrorCategory::Auth);
}

#[tokio::test]
async fn a_body_that_inflates_beyond_the_limits_is_given_up() {
    let many = vec![b'a'; 32 << 20];
    for (encoding, form) in [("gzip", Form::Gzip), ("deflate", Form::Zlib)] {
        let server = ModelServer::start().await.unwrap();
        let event = [b"data: ", many.as_slice()].concat();
        server.answer(encoded(200, encoding).write(whole(form, &event).await));
        let got = ask(&server).await;
        assert!(got.error().message.contains("16 MiB"), "{:?}", got.error());
        let bomb = whole(form, &many).await;
        server.answer(encoded(200, encoding).write(bomb.clone()));
        let listed = list(&server).await.unwrap_err().to_string();
        assert!(listed.contains("more than"), "{listed}");
        server.answer(encoded(500, encoding).write(bomb));
        let got = ask(&server).await;
        assert!(got.error().message.len() < 2_000);
        assert_eq!(got.error().status, Some(500));
    }
}

#[tokio::test]
async fn comments_without_end_are_given_up() {
    let server = ModelServer::start().await.unwrap();
    let comments = b": alive\n".repeat((257 << 20) / 8);
    server.answer(encoded(200, "gzip").write(whole(Form::Gzip, &comments).await));
    let got = ask(&server).await;
    assert_eq!(got.error().category, ErrorCategory::ServerError);
    assert!(!got.error().retryable);
}

async fn list(server: &ModelServer) -> Result<Vec<scorel_provider::ListedModel>, ListError> {
    let config = ModelConfig::custom("test", ANY_API, server.base_url(), "");
    let connector = scorel_provider::Connector::new(Timeouts::default());
    connector.list_models(&config, None).await
}
