use scorel_testkit::ScriptedResponse;
use serde_json::{Value, json};

use crate::fixture;
use crate::gemini_turn::{API, normal, sent_back};

pub(crate) async fn recorded_answers_go_back_as_they_came() {
    for fixture in fixture::load(API, "sse") {
        let body = String::from_utf8(fixture.body.clone()).unwrap();
        let complete = ["stop", "tool_use"].map(|reason| json!(reason));
        let whole = complete.contains(&fixture.sidecar("expected_outcome")["stop_reason"]);
        // Streamed calls go back as one part.
        if !whole || body.contains("willContinue") {
            continue;
        }
        let parts: Vec<Value> = body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .flat_map(|event| {
                let event: Value = serde_json::from_str(event).unwrap();
                let parts = &event["candidates"][0]["content"]["parts"];
                parts.as_array().cloned().unwrap_or_default()
            })
            .collect();
        let back = sent_back(ScriptedResponse::event_stream(body)).await;
        assert_eq!(back, json!(normal(&parts)), "{}", fixture.name);
    }
}
