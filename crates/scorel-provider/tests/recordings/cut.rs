//! Recorded streams, truncated at every event.

use scorel_engine::ErrorCategory;
use scorel_testkit::{ModelServer, ScriptedResponse};
use serde_json::Value;

use crate::collected::{Collected, CollectedEnd, provider_at, question};
use crate::fixture::{self, Recording};

/// The maximum number of cuts per stream.
const CUTS: usize = 400;

pub(crate) async fn streams_of_openai_completions_are_never_done_early() {
    check("openai-completions").await;
}

pub(crate) async fn streams_of_openai_responses_are_never_done_early() {
    check("openai-responses").await;
}

pub(crate) async fn streams_of_anthropic_messages_are_never_done_early() {
    check("anthropic-messages").await;
}

pub(crate) async fn streams_of_google_generative_ai_are_never_done_early() {
    check("google-generative-ai").await;
}

async fn check(api: &str) {
    let server = ModelServer::start().await.unwrap();
    let provider = provider_at(
        api,
        &server.base_url(),
        scorel_provider::Timeouts::default(),
    );
    for fixture in fixture::load(api, "sse") {
        if fixture.sidecar("expected_outcome")["kind"] != "ok" {
            continue;
        }
        server.answer(ScriptedResponse::event_stream(fixture.body.clone()));
        let whole = crate::collected::collect(provider.stream(question())).await;
        let ends = event_ends(&fixture.body);
        let step = ends.len().div_ceil(CUTS).max(1);
        for end in ends.iter().step_by(step) {
            server.answer(ScriptedResponse::event_stream(&fixture.body[..*end]));
            let cut = crate::collected::collect(provider.stream(question())).await;
            compare(&fixture, *end, &whole, &cut);
        }
    }
}

/// Either the stop reason had arrived and the reply is complete, or it is an error.
fn compare(fixture: &Recording, end: usize, whole: &Collected, cut: &Collected) {
    let place = format!("{} at {end}", fixture.name);
    match &cut.end {
        Some(CollectedEnd::Done { stop_reason, .. }) => {
            assert_eq!(*stop_reason, whole.stop_reason(), "{place}");
            assert_eq!(calls(cut), calls(whole), "{place}");
            assert_eq!(cut.text, whole.text, "{place}");
        }
        Some(CollectedEnd::Error(error)) => {
            assert_eq!(error.category, ErrorCategory::StreamTruncated, "{place}");
            assert!(error.retryable, "{place}");
        }
        None => unreachable!("collecting ends with an end"),
    }
}

fn calls(collected: &Collected) -> Vec<(&str, Option<Value>)> {
    let calls = collected.calls.iter();
    let parsed = |arguments: &str| serde_json::from_str(arguments).ok();
    calls
        .map(|call| (call.name.as_str(), parsed(&call.arguments)))
        .collect()
}

/// The ends of events, after their blank lines.
fn event_ends(body: &[u8]) -> Vec<usize> {
    let blank: [&[u8]; 3] = [b"\n\n", b"\r\n\r\n", b"\r\r"];
    let ends = (0..body.len()).filter(|end| {
        let before = &body[..*end];
        blank.iter().any(|blank| before.ends_with(blank))
    });
    std::iter::once(0).chain(ends).collect()
}
