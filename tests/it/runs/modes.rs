use scorel_proto::{RunMode, SendMessage, SendMessageParams, UpdateRun, UpdateRunParams};

use super::scene::{RunScene, write_package};
use crate::under_test::message;

#[tokio::test]
async fn in_chat_a_message_is_for_anything_and_the_run_stays_where_it_is() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let run_id = started.run_id;
    let mode = |mode| UpdateRunParams {
        run_id,
        autopilot: None,
        mode: Some(mode),
        goto: None,
        command_id: None,
    };
    let run = scene.call::<UpdateRun>(&mode(RunMode::Chat)).await.run;
    assert_eq!(run.mode, RunMode::Chat);
    started.send("Is it late?").await;
    started.turn_ends().await;
    let told = scene.told();
    assert_eq!(told.last().unwrap().trim_end(), "USER_INPUT\nIs it late?");
    scene.call::<UpdateRun>(&mode(RunMode::Run)).await;
    started.send("Cats.").await;
    started.until("WaitingUser", "question").await;
    let phases = scene.records(started.session_id, "workflow.phase");
    let reasons: Vec<&str> = phases
        .iter()
        .map(|it| it["reason"].as_str().unwrap())
        .collect();
    assert_eq!(
        reasons,
        ["question", "message", "question"],
        "chat is no turn of the run"
    );
}

#[tokio::test]
async fn a_foreign_runner_cannot_move_a_run() {
    let config = "[runners.keeper]\ntype = \"command\"\noutput = \"events\"\ntrustOwn = true\ncommand = [\"/bin/true\"]\n";
    let scene = RunScene::configured(config).await;
    write_package(&scene.installed(), "1.0.0");
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let sent = SendMessageParams {
        runner: Some("keeper".to_owned()),
        ..message(started.session_id, "Cats.")
    };
    scene.call::<SendMessage>(&sent).await;
    started.until("Failed", "error").await;
    let log = scene.daemon.log(&started.session_id.to_string());
    let outcome = log.iter().rfind(|it| it["type"] == "turn_outcome").unwrap();
    assert_eq!(outcome["error"]["code"], "runner_unsuitable");
}
