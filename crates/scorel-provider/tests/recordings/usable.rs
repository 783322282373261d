//! After every answer that an endpoint gave, every API accepts the next request.

#[path = "../it/usable/continued.rs"]
mod continued;
#[path = "../it/usable/endpoint.rs"]
mod endpoint;

use scorel_proto::{Context, Message};
use scorel_testkit::ScriptedResponse;

use crate::fixture;
use continued::continued;
use endpoint::{ENDPOINTS, Endpoints};

pub(crate) async fn after_every_recorded_answer_every_api_accepts_the_next_request() {
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
