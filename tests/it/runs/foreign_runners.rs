//! Agents that are not the daemon's own, in the session of a run: they have no tools on its files.

use std::fs;

use scorel_proto::{RunMode, SendMessage, SendMessageParams, UpdateRun, UpdateRunParams};
use serde_json::Value;

use super::scene::{RunScene, write_package};
use crate::under_test::message;

const PARROT: &str = "[runners.parrot]\ntype = \"command\"\noutput = \"text\"\ntrustOwn = true\ncommand = [\"/bin/cat\"]\n";

/// The outcome of the last turn in a log.
fn outcome(log: &[Value]) -> &Value {
    let outcome = log.iter().rfind(|it| it["type"] == "turn_outcome");
    outcome.unwrap()
}

#[tokio::test]
async fn one_answers_in_chat_and_is_refused_when_the_run_goes_on() {
    let scene = RunScene::configured(PARROT).await;
    write_package(&scene.installed(), "1.0.0");
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let document = fs::read_to_string(scene.document(started.run_id)).unwrap();
    let mode = |mode| UpdateRunParams {
        run_id: started.run_id,
        autopilot: None,
        mode: Some(mode),
        goto: None,
        command_id: None,
    };
    let (chat, run) = (mode(RunMode::Chat), mode(RunMode::Run));
    scene.call::<UpdateRun>(&chat).await;
    let to_parrot = SendMessageParams {
        runner: Some("parrot".to_owned()),
        ..message(started.session_id, "Is it late?")
    };
    scene.call::<SendMessage>(&to_parrot).await;
    started.turn_ends().await;
    let log = scene.daemon.log(&started.session_id.to_string());
    assert_eq!(outcome(&log)["reason"], "completed", "{}", outcome(&log));
    let answer = log
        .iter()
        .rfind(|it| it["message"]["role"] == "assistant")
        .unwrap();
    let said = answer["message"]["content"].to_string();
    assert!(said.contains("Is it late?"), "{said}");

    scene.call::<UpdateRun>(&run).await;
    started.send("Cats.").await;
    started.until("Failed", "error").await;
    let log = scene.daemon.log(&started.session_id.to_string());
    assert_eq!(outcome(&log)["error"]["code"], "runner_unsuitable");
    let hint = outcome(&log)["error"]["hint"].to_string();
    assert!(hint.contains("--mode chat"), "{hint}");
    assert_eq!(
        fs::read_to_string(scene.document(started.run_id)).unwrap(),
        document
    );

    let own = SendMessageParams {
        runner: Some("scorel".to_owned()),
        ..message(started.session_id, "Cats.")
    };
    scene.call::<SendMessage>(&own).await;
    started.until("WaitingUser", "question").await;
    let told = scene.told().pop().unwrap();
    assert!(
        told.contains("NODE_BRIEF\n- currentNodeId: ask\n"),
        "{told}"
    );
}
