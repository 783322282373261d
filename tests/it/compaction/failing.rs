//! Endpoints that give no summary.

use scorel_testkit::{
    DaemonUnderTest, ModelServer, RecordedRequest, ScriptedChat, ScriptedResponse,
};

use super::{WINDOW, long, ok, says};
use crate::under_test::SCORELD;

/// What the endpoint answers instead of a summary, and how often it is asked.
fn refusals() -> [(&'static str, ScriptedResponse, usize); 6] {
    let chat = ScriptedChat::default;
    [
        ("empty", says(" ").into(), 2),
        ("cut off", chat().text("half").finish("length").into(), 2),
        (
            "a tool call",
            chat()
                .tool_call("c", "Glob", "{}")
                .finish("tool_calls")
                .into(),
            2,
        ),
        (
            "larger than its source",
            says(&"y".repeat(250_000)).into(),
            2,
        ),
        ("500", ScriptedResponse::status(500), 2),
        (
            "429",
            ScriptedResponse::status(429).header("retry-after", "120"),
            2,
        ),
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
    for (how, refusal, times) in refusals() {
        model.answer_with(move |request| match asks_for_summary(request) {
            true => refusal.clone(),
            false => says("yes").into(),
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
            let said = ok(&daemon, &["send", &long(&sent.to_string())]).await;
            assert!(said.contains("yes"), "{how}: {said}");
            sent += 1;
        }
        assert_eq!(asked(), times, "{how}");
        let shown = ok(&daemon, &["show"]).await;
        assert!(shown.contains("could not be summarised"), "{how}: {shown}");
    }
}
