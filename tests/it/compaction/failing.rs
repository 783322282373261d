//! Endpoints that give no summary.

use scorel_testkit::{
    DaemonUnderTest, ModelServer, RecordedRequest, ScriptedChat, ScriptedResponse,
};

use super::{ok, says};
use crate::under_test::SCORELD;

/// The budget is 16,000. With up to 18,976 tokens a call still has room.
const WINDOW: &str = "contextWindow = 20000\nmaxTokens = 4000\n";

/// The characters of 2,520 tokens: one message is never too large for the room above the budget.
const CHARS: usize = 9_000;

/// What the endpoint answers instead of a summary.
fn refusals() -> [(&'static str, ScriptedResponse); 6] {
    let chat = ScriptedChat::default;
    let call = chat().tool_call("c", "Glob", "{}").finish("tool_calls");
    let limit = ScriptedResponse::status(429).header("retry-after", "120");
    [
        ("empty", says(" ").into()),
        ("cut off", chat().text("half").finish("length").into()),
        ("a tool call", call.into()),
        ("larger than its source", says(&"y".repeat(250_000)).into()),
        ("500", ScriptedResponse::status(500)),
        ("429", limit),
    ]
}

fn asks_for_summary(request: &RecordedRequest) -> bool {
    request.json().to_string().contains("## Next step")
}

#[tokio::test]
async fn without_a_summary_a_conversation_goes_on_while_it_fits() {
    let model = ModelServer::start().await.unwrap();
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.configure_more(&format!("{WINDOW}[runtime]\nretries = 0\n"));
    daemon.spawn().await;
    for (how, refusal) in refusals() {
        model.answer_with(move |request| {
            if asks_for_summary(request) {
                refusal.clone()
            } else {
                says("yes").into()
            }
        });
        let before = model.requests().len();
        let asked = || {
            let requests = model.requests();
            requests[before..]
                .iter()
                .filter(|it| asks_for_summary(it))
                .count()
        };
        ok(&daemon, &["send", "--session", "new", "hello"]).await;
        let mut sent = 0;
        while asked() == 0 && sent < 8 {
            let said = ok(&daemon, &["send", &"x".repeat(CHARS)]).await;
            assert!(said.contains("yes"), "{how}: {said}");
            sent += 1;
        }
        assert_eq!(asked(), 2, "{how}: once more, and then no more");
        let shown = ok(&daemon, &["show"]).await;
        assert!(shown.contains("could not be summarised"), "{how}: {shown}");
    }
}
