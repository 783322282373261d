//! Recorded requests, translated to the engine's types, are rendered as they were recorded.

pub(crate) mod anthropic_messages;
pub(crate) mod google_generative_ai;
pub(crate) mod openai_completions;
pub(crate) mod openai_responses;

use scorel_proto::BlobHash;
use scorel_testkit::RecordedRequest;
use serde_json::{Value, json};

use crate::fixture::{self, Recording};
use crate::rebuilt::{PROVIDER, Rebuilt, sent_like};

/// The recordings that include the request, without the listed exceptions. There must be `expected`
/// of them.
fn with_requests(api: &str, expected: usize, exceptions: &[(&str, &str)]) -> Vec<Recording> {
    let mut fixtures = fixture::load(api, "sse");
    fixtures.extend(fixture::load(api, "body"));
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
