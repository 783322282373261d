//! One session that several back ends continue.

use scorel_testkit::AgentCli;
use serde_json::Value;

use super::scene::{AgentScene, runner, say};
use super::{only, send_to};
use crate::under_test::{Watch, new_session, session};

#[tokio::test]
async fn each_back_end_is_told_once_what_the_others_said() {
    let clis = [AgentCli::Codex, AgentCli::Claude];
    let config = "[permissions]\nmode = \"full\"\n";
    let Some(scene) = AgentScene::start(&clis, "", config).await else {
        return;
    };
    let (client, id) = new_session(&scene.daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    scene.engine.reply(say("ENGINE-ONE"));
    send_to(&client, id, "scorel", "ask-1").await;
    watch.until("turn_outcome").await;
    // With a call each, which no other back end may get as a call.
    let mut thread = None;
    for (cli, word) in [
        (AgentCli::Codex, "ask-2"),
        (AgentCli::Claude, "ask-3"),
        (AgentCli::Codex, "ask-4"),
    ] {
        scene.reply(cli.command("call_1", &format!("echo ran-{word}")));
        scene.reply(say(&format!("SAID-{word}")));
        send_to(&client, id, runner(cli), word).await;
        let events = watch.until("turn_outcome").await;
        assert_eq!(only(&events, "turn_outcome")["reason"], "completed");
        let contexts = session(&client, id).await.runner_contexts;
        let codex = contexts["codex"].context_id.clone();
        assert_eq!(*thread.get_or_insert(codex.clone()), codex);
    }
    scene.engine.reply(say("ENGINE-TWO"));
    send_to(&client, id, "scorel", "ask-5").await;
    let events = watch.until("turn_outcome").await;
    assert_eq!(only(&events, "turn_outcome")["reason"], "completed");
    assert_eq!(scene.engine.rejections(), [""; 0]);

    let requests = scene.agents.requests();
    let said = ["ENGINE-ONE", "SAID-ask-2", "SAID-ask-3"];
    told_once(requests.first().unwrap(), &said[..1]);
    told_once(&requests[2], &said[..2]);
    told_once(&requests[4], &said);
    let last = scene.engine.server().requests();
    let last = last.last().unwrap();
    let text = String::from_utf8_lossy(&last.body).into_owned();
    told_once(
        &text,
        &["ENGINE-ONE", "SAID-ask-2", "SAID-ask-3", "SAID-ask-4"],
    );
    let messages = last.json()["messages"].clone();
    let calls = |message: &Value| !message["tool_calls"].is_null() || message["role"] == "tool";
    assert!(!messages.as_array().unwrap().iter().any(calls), "{text}");
}

/// Each of these words is in a request exactly once.
fn told_once(request: &str, words: &[&str]) {
    for word in words {
        assert_eq!(request.matches(word).count(), 1, "{word}: {request}");
    }
}
