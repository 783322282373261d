use scorel_proto::{
    ErrorCode, RunMode, SendMessage, SendMessageParams, UpdateRun, UpdateRunParams, WhileRunning,
};
use scorel_testkit::{ResponseGate, ScriptedChat};

use super::autopilot::TO_WRITE;
use super::scene::{RunScene, write_package};
use crate::under_test::{create_session, message};

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

#[tokio::test]
async fn a_message_may_be_for_something_else_than_the_run() {
    let scene = RunScene::new().await;
    let mut params = scene.plan().await;
    params.autopilot = Some(true);
    let mut started = scene.start_with(&params).await;
    started.until("WaitingUser", "question").await;
    let gate = ResponseGate::new();
    let waits = ScriptedChat::default().wait(&gate).text("Written.");
    started.answer_with_edit(&TO_WRITE, waits.finish("stop"));
    started.send("Cats.").await;
    gate.reached().await;
    let aside = SendMessageParams {
        mode: Some(RunMode::Chat),
        while_running: Some(WhileRunning::Steer),
        ..message(started.session_id, "Is it late?")
    };
    scene.call::<SendMessage>(&aside).await;
    gate.open();
    // Of the turn that wrote; of the one aside; of the one that goes on at the next node.
    for _ in 0..3 {
        started.turn_ends().await;
    }
    let told = scene.told();
    assert_eq!(told.len(), 4, "{told:?}");
    assert_eq!(told[2].trim_end(), "USER_INPUT\nIs it late?");
    for part in [
        "- intent: continue\n",
        "NODE_BRIEF\n- currentNodeId: write\n",
    ] {
        assert!(told[3].contains(part), "no {part:?} in {}", told[3]);
    }
    let run = scene.get(started.run_id).await.run;
    assert_eq!(run.mode, RunMode::Run);
}

#[tokio::test]
async fn a_mode_is_for_the_session_of_a_run_alone() {
    let scene = RunScene::new().await;
    let session_id = create_session(&scene.client, &scene.daemon).await;
    let params = SendMessageParams {
        mode: Some(RunMode::Chat),
        ..message(session_id, "Is it late?")
    };
    let error = scene.refused::<SendMessage>(&params).await;
    assert_eq!(error.code, ErrorCode::InvalidParams);
}
