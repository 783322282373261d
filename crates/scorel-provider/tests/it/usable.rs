//! Whatever a model answers, the next request is one that every API accepts.

mod answer;
mod endpoint;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use scorel_proto::{
    AssistantMessage, Block, Context, Message, StopReason, ToolResultBlock, ToolResultMessage,
};
use scorel_testkit::ScriptedResponse;

use crate::fixture;
use answer::RandomAnswer;
use endpoint::{ENDPOINTS, Endpoints};

/// Cases of the property test; each has up to three answers.
const CASES: u32 = 200;

#[tokio::test]
async fn after_every_recorded_answer_every_api_accepts_the_next_request() {
    let endpoints = Endpoints::start().await;
    for endpoint in ENDPOINTS {
        for fixture in fixture::load(endpoint.api, "sse") {
            if fixture.sidecar("expected_outcome")["kind"] != "ok" {
                continue;
            }
            let response = ScriptedResponse::event_stream(fixture.body.clone());
            let mut history = Context::from(vec![Message::user("hi")]);
            if let Some(answer) = endpoints.answer(endpoint, response, &history).await {
                history.extend(continued(answer));
            }
            let refused = endpoints.refusals(&history).await;
            assert_eq!(refused, Vec::<String>::new(), "{}", fixture.name);
        }
    }
}

/// The seed is fixed: a failure is the same on every machine.
#[test]
fn after_any_answers_every_api_accepts_the_next_request() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let endpoints = runtime.block_on(Endpoints::start());
    let config = Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let answers = vec((0..ENDPOINTS.len(), answer::any()), 1..4);
    TestRunner::new_with_rng(config, random)
        .run(&answers, |answers| {
            let refused = runtime.block_on(refusals_after(&endpoints, &answers));
            prop_assert_eq!(refused, Vec::<String>::new());
            Ok::<(), TestCaseError>(())
        })
        .unwrap();
}

/// The reasons for which the next request is refused, once a conversation with these answers was held.
async fn refusals_after(endpoints: &Endpoints, answers: &[(usize, RandomAnswer)]) -> Vec<String> {
    let mut history = Context::from(vec![Message::user("hi")]);
    for (place, answer) in answers {
        let endpoint = ENDPOINTS[*place];
        let response = answer.render(endpoint.api);
        if let Some(answer) = endpoints.answer(endpoint, response, &history).await {
            history.extend(continued(answer));
        }
    }
    endpoints.refusals(&history).await
}

/// An answer and what follows it: the results of its calls, or another message.
fn continued(answer: AssistantMessage) -> Vec<Message> {
    let paused = answer.stop_reason == StopReason::Pause;
    let results: Vec<Message> = answer.tool_uses().map(result).collect();
    let mut messages = vec![Message::Assistant(answer)];
    if results.is_empty() && !paused {
        messages.push(Message::user("go on"));
    }
    messages.extend(results);
    messages
}

fn result(call: &Block) -> Message {
    let Block::ToolUse { id, name, .. } = call else {
        unreachable!("a call is a call")
    };
    let result = ToolResultBlock::error(id.clone(), "there is no such tool");
    Message::ToolResult(ToolResultMessage::new(name.clone(), result, 1))
}
