//! Recorded requests, translated to the engine's types, are rendered as they were recorded.

mod anthropic_messages;
mod google_generative_ai;
mod hosts;
mod openai_completions;
mod openai_responses;

use std::io;
use std::sync::Arc;

use scorel_proto::BlobHash;
use scorel_provider::{BlobSource, Connector, ModelConfig, Secret};
use scorel_runtime::ModelRequest;
use scorel_testkit::{ModelServer, RecordedRequest, ScriptedResponse};
use serde_json::{Value, json};

use crate::collected::{KEY, collect};
use crate::fixture::{self, Recording};

/// The provider's name in stored metadata.
const PROVIDER: &str = "test";

/// The recordings that include the request, without the listed exceptions. There must be `expected`
/// of them, or no recordings at all.
fn with_requests(api: &str, expected: usize, exceptions: &[(&str, &str)]) -> Vec<Recording> {
    let mut fixtures = fixture::load(api, "sse");
    fixtures.extend(fixture::load(api, "body"));
    if fixtures.is_empty() {
        return fixtures;
    }
    fixtures.retain(|fixture| !fixture.sidecar("request")["body"].is_null());
    for (name, reason) in exceptions {
        let count = fixtures.len();
        fixtures.retain(|fixture| fixture.name != *name);
        assert_eq!(
            fixtures.len(),
            count - 1,
            "no such request: {name} ({reason})"
        );
    }
    assert_eq!(fixtures.len(), expected, "requests of {api}");
    fixtures
}

/// A recorded request in the engine's types.
#[derive(Debug)]
struct Rebuilt {
    model: String,
    max_output_tokens: Option<u64>,
    stop_sequences: Vec<String>,
    request: ModelRequest,
}

/// Any image: the recordings do not contain their bytes.
#[derive(Debug)]
struct AnyPicture;

impl BlobSource for AnyPicture {
    fn read(&self, _blob: &BlobHash) -> io::Result<Vec<u8>> {
        Ok(b"picture".to_vec())
    }
}

fn any_blob() -> BlobHash {
    "a".repeat(64).parse().unwrap()
}

/// The metadata of a block from the same model.
fn kept(api: &str, model: &str, name: &str, fact: Value) -> Value {
    let mut tag = json!({"api": api, "provider": PROVIDER, "model": model});
    tag[name] = fact;
    tag
}

/// Sends the request to an endpoint with a base path and returns what arrived.
async fn sent(api: &str, base: &str, rebuilt: Rebuilt) -> RecordedRequest {
    sent_like(None, api, base, rebuilt).await
}

/// The same with the dialect of a built-in provider.
async fn sent_like(
    provider: Option<&str>,
    api: &str,
    base: &str,
    rebuilt: Rebuilt,
) -> RecordedRequest {
    let server = ModelServer::start().await.unwrap();
    server.answer(ScriptedResponse::status(400));
    let base_url = format!("http://{}{base}", server.address());
    let mut config = ModelConfig::custom(PROVIDER, api, base_url, rebuilt.model);
    config.max_output_tokens = rebuilt.max_output_tokens;
    config.stop_sequences = rebuilt.stop_sequences;
    config.dialect = provider.map(str::to_owned);
    let provider = Connector::default()
        .connect(&config, Some(Secret::new(KEY)), Arc::new(AnyPicture))
        .unwrap();
    collect(provider.stream(rebuilt.request)).await;
    server.requests().remove(0)
}
