//! Requests that are large beside their model's window.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use scorel_proto::TokenEstimate;
use scorel_testkit::{
    DaemonUnderTest, ModelServer, RecordedRequest, ScriptedChat, ScriptedResponse,
};
use serde_json::{Value, json};

use super::{ok, says};
use crate::under_test::{SCORELD, scorelctl};

const WINDOW: u64 = 32_768;

/// The tool results of a turn.
const RESULTS: usize = 20;

/// An endpoint that counts tokens, refuses what exceeds its window, and reads one file after another.
#[derive(Clone, Default)]
struct CountingEndpoint {
    steps: Arc<AtomicUsize>,
    summaries: Arc<AtomicUsize>,
    refused: Arc<AtomicUsize>,
}

impl CountingEndpoint {
    fn answer(&self, request: &RecordedRequest) -> ScriptedResponse {
        let body = request.json().to_string();
        let tokens = TokenEstimate::of_text(&body).tokens();
        if tokens > WINDOW {
            self.refused.fetch_add(1, Ordering::Relaxed);
            let error =
                json!({"error": {"code": "context_length_exceeded", "message": "too long"}});
            return ScriptedResponse::json(400, error.to_string());
        }
        if body.contains("## Next step") {
            self.summaries.fetch_add(1, Ordering::Relaxed);
            return says("They read files. ").usage(tokens, 10).into();
        }
        let step = self.steps.fetch_add(1, Ordering::Relaxed);
        if step % (RESULTS + 1) == RESULTS {
            return says("all of it").usage(tokens, 10).into();
        }
        let path = json!({ "path": format!("{step}.txt") }).to_string();
        let read = ScriptedChat::default().tool_call(&format!("c{step}"), "Read", &path);
        read.usage(tokens, 10).finish("tool_calls").into()
    }
}

#[tokio::test]
async fn twenty_results_of_6000_tokens_fit_into_a_window_of_32768() {
    let endpoint = CountingEndpoint::default();
    let model = ModelServer::start().await.unwrap();
    let answering = endpoint.clone();
    model.answer_with(move |request| answering.answer(request));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.configure_more(&format!("contextWindow = {WINDOW}\n"));
    for file in 0..=2 * RESULTS {
        let line = format!("{file}: the tests of the parser pass, and the build has no warnings\n");
        let text = line.repeat(21_000 / line.len());
        fs::write(daemon.project().join(format!("{file}.txt")), text).unwrap();
    }
    daemon.spawn().await;
    for (arguments, turns) in [(&["send", "--session", "new"][..], 1), (&["send"][..], 2)] {
        let said = ok(&daemon, &[arguments, &["read all files"][..]].concat()).await;
        assert!(said.contains("all of it"), "{said}");
        assert_eq!(
            endpoint.steps.load(Ordering::Relaxed),
            turns * (RESULTS + 1)
        );
        let summaries = endpoint.summaries.load(Ordering::Relaxed);
        assert!(
            (turns * 4..=turns * RESULTS).contains(&summaries),
            "{summaries}"
        );
    }
    assert_eq!(endpoint.refused.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn instructions_and_tools_over_the_window_are_an_error_with_their_sizes() {
    let model = ModelServer::start().await.unwrap();
    model.fallback(says("yes"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.configure_more("contextWindow = 4096\n");
    daemon.spawn().await;
    let sent = scorelctl(&daemon, &["send", "--session", "new", "hello"], &[]).await;
    assert_eq!(sent.status.code(), Some(5), "{sent:?}");
    let told = format!("{sent:?}");
    for part in [
        "window of 4096 tokens",
        "instructions",
        "tools",
        "larger window",
    ] {
        assert!(told.contains(part), "{told}");
    }
    let sent = scorelctl(&daemon, &["send", "--json", "again"], &[]).await;
    let events = String::from_utf8(sent.stdout).unwrap();
    let mut events = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let outcome = events.find(|event| event["type"] == "turn_outcome");
    let error = outcome.expect("an outcome")["error"].clone();
    assert_eq!(error["code"], "context_overflow");
    let size = |name: &str| error["sizes"][name].as_u64().unwrap();
    assert_eq!(size("window"), 4_096);
    assert!(size("system") + size("tools") > 4_096, "{error}");
    assert!((1..500).contains(&size("kept")), "{error}");
    assert!(model.requests().is_empty(), "nothing was asked in vain");
}
