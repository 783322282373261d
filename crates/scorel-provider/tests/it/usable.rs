//! Whatever a model answers, the next request is one that every API accepts.

mod answer;
mod continued;
mod endpoint;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use scorel_proto::{Context, Message};

use answer::RandomAnswer;
use continued::continued;
use endpoint::{ENDPOINTS, Endpoints};

/// Cases of the property test; each has up to three answers.
const CASES: u32 = 200;

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
