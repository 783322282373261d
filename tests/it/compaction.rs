//! A conversation that gets too long, from the command line.

mod failing;
mod large;

use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::Value;

use crate::under_test::{SCORELD, scorelctl};

/// The window of 60,000 tokens leaves 56,000 to a request, and 15,000 of them may stay.
const WINDOW: &str = "contextWindow = 60000\nmaxTokens = 4000\n";

/// About 11,000 tokens.
fn long(name: &str) -> String {
    format!("{name} {}", "x".repeat(40_000))
}

fn says(text: &str) -> ScriptedChat {
    ScriptedChat::default().text(text).finish("stop")
}

async fn ok(daemon: &DaemonUnderTest, arguments: &[&str]) -> String {
    let output = scorelctl(daemon, arguments, &[]).await;
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn last_message(model: &ModelServer) -> String {
    let requests = model.requests();
    let request = requests.last().expect("a request").json();
    let messages = request["messages"].as_array().expect("messages").clone();
    messages.last().expect("a message")["content"].to_string()
}

fn was_asked_for_summary(model: &ModelServer) -> bool {
    let asks = |body: String| body.contains("## Next step");
    let requests = model.requests();
    requests
        .iter()
        .any(|request| asks(request.json().to_string()))
}

#[tokio::test]
async fn a_long_conversation_is_summarised_and_goes_on() {
    let model = ModelServer::start().await.unwrap();
    model.fallback(says("yes"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.configure_more(WINDOW);
    daemon.spawn().await;
    ok(&daemon, &["send", "--session", "new", "hello"]).await;
    let short = scorelctl(&daemon, &["compact"], &[]).await;
    assert_eq!(short.status.code(), Some(3), "{short:?}");
    let mut sent = 0;
    while !was_asked_for_summary(&model) && sent < 8 {
        ok(&daemon, &["send", &long(&sent.to_string())]).await;
        sent += 1;
    }
    assert!((3..8).contains(&sent), "{sent}");
    let shown = ok(&daemon, &["show"]).await;
    assert!(shown.contains("context compacted"), "{shown}");
    let context: Value = serde_json::from_str(&ok(&daemon, &["context", "--json"]).await).unwrap();
    assert_eq!(context["contextWindow"], 60_000);
    assert!(context["tokens"].as_u64() < Some(40_000), "{context}");
    for name in ["a", "b"] {
        ok(&daemon, &["send", &long(name)]).await;
    }
    let text = ok(&daemon, &["compact", "name", "the", "files"]).await;
    assert!(text.contains("tokens became"), "{text}");
    assert!(last_message(&model).contains("name the files"));
    let shown = ok(&daemon, &["context"]).await;
    assert!(shown.contains("summary (1)"), "{shown}");
}

#[tokio::test]
async fn after_a_change_to_a_smaller_window_the_model_before_writes_the_summary() {
    let model = ModelServer::start().await.unwrap();
    model.fallback(says("yes"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.configure_more(&format!(
        "{WINDOW}[providers.attic]\napi = \"openai-completions\"\nbaseUrl = \"{}\"\n\
         contextWindow = 24000\nmaxTokens = 4000\n",
        model.base_url()
    ));
    daemon.spawn().await;
    ok(&daemon, &["send", "--session", "new", &long("0")]).await;
    for name in ["1", "2"] {
        ok(&daemon, &["send", &long(name)]).await;
    }
    let known = model.take_requests().pop().unwrap().json();
    ok(&daemon, &["send", "--model", "attic:small", "and now?"]).await;
    let requests = model.requests();
    let [summary, call] = requests.as_slice() else {
        panic!("{} requests", requests.len());
    };
    let (summary, call) = (summary.json(), call.json());
    assert_eq!(
        (&summary["model"], &call["model"]),
        (&known["model"], &"small".into())
    );
    let messages = |request: &Value| request["messages"].as_array().unwrap().clone();
    let known = messages(&known);
    assert_eq!(
        messages(&summary)[..known.len()],
        known,
        "the endpoint has it in its cache"
    );
    assert_eq!(summary["tools"], call["tools"]);
}
