use std::fs;

use scorel_proto::{
    DeleteRun, DeleteRunParams, ErrorCode, RebindRun, RebindRunParams, RepairRun, RepairRunParams,
    ResumeRun, ResumeRunParams, RunId, RunRestore,
};
use scorel_testkit::ResponseGate;
use serde_json::{Map, json};

use super::scene::{RunScene, said};

fn resume(run_id: RunId) -> ResumeRunParams {
    ResumeRunParams {
        run_id,
        new_session: None,
        variables: None,
        input: None,
        command_id: None,
    }
}

#[tokio::test]
async fn a_run_goes_on_from_its_document_alone() {
    let mut scene = RunScene::new().await;
    let (run_id, session) = {
        let mut started = scene.start().await;
        started.until("WaitingUser", "question").await;
        started.edit("currentNodeId: ''", "currentNodeId: write");
        (started.run_id, started.session_id)
    };
    scene.daemon.kill().await;
    let home = scene.daemon.home();
    fs::remove_dir_all(home.join("sessions").join(session.to_string())).unwrap();
    fs::remove_file(home.join("index")).ok();
    fs::remove_file(home.join("runs").join(run_id.to_string()).join("run.json")).unwrap();
    scene.daemon.spawn().await;
    scene.client = crate::under_test::connect(&scene.daemon.socket()).await;
    let params = ResumeRunParams {
        variables: Some(Map::from_iter([("late".to_owned(), json!(true))])),
        input: Some("Go on.".to_owned()),
        ..resume(run_id)
    };
    let resumed = scene.call::<ResumeRun>(&params).await;
    assert_ne!(resumed.session_id, session);
    let mut resumed = scene.follow(resumed).await;
    resumed.until("WaitingUser", "question").await;
    let told = scene.told();
    let told = told.last().unwrap();
    for part in [
        "- intent: resume\n",
        "NODE_BRIEF\n- currentNodeId: write\n",
        "- agentId: bob\n",
        "USER_INPUT\n- forNodeId: write\nGo on.",
    ] {
        assert!(told.contains(part), "no {part:?} in {told}");
    }
    let found = scene.get(run_id).await;
    assert_eq!(found.run.session_id, Some(resumed.session_id));
    assert_eq!(found.variables["late"], true);
}

#[tokio::test]
async fn a_turn_that_is_open_is_no_moment_to_take_a_run_over() {
    let scene = RunScene::new().await;
    let gate = ResponseGate::new();
    let waits = scorel_testkit::ScriptedChat::default()
        .wait(&gate)
        .text("Yes.");
    scene.model.answer(waits.finish("stop"));
    let mut started = scene.start().await;
    gate.reached().await;
    let taken = ResumeRunParams {
        new_session: Some(true),
        ..resume(started.run_id)
    };
    let (run_id, command_id) = (started.run_id, None);
    let repair = RepairRunParams {
        run_id,
        restore: RunRestore::LastGood,
        command_id: None,
    };
    let rebind = RebindRunParams {
        run_id,
        digest: None,
        command_id: None,
    };
    for error in [
        scene.refused::<ResumeRun>(&taken).await,
        scene.refused::<RepairRun>(&repair).await,
        scene.refused::<RebindRun>(&rebind).await,
        scene
            .refused::<DeleteRun>(&DeleteRunParams { run_id, command_id })
            .await,
    ] {
        assert_eq!(
            (error.code, &error.details["kind"]),
            (ErrorCode::Conflict, &json!("running"))
        );
    }
    gate.open();
    started.until("WaitingUser", "question").await;
    let resumed = scene.call::<ResumeRun>(&taken).await;
    let mut resumed = scene.follow(resumed).await;
    resumed.until("WaitingUser", "question").await;
    let begun = scene.records(resumed.session_id, "workflow.started");
    assert_eq!(begun[0]["resumedFrom"], json!(started.session_id));
    // The session that had the run is an ordinary one now.
    let before = scene.told().len();
    started.send("Are you there?").await;
    scene.model.wait_for_requests(before + 1).await;
    assert_eq!(scene.told().last().unwrap(), "Are you there?");
}

#[tokio::test]
async fn a_kill_in_a_turn_interrupts_the_run_and_nothing_is_done_twice() {
    let mut scene = RunScene::new().await;
    let gate = ResponseGate::new();
    let waits = scorel_testkit::ScriptedChat::default()
        .wait(&gate)
        .text("Yes.");
    scene.model.answer(waits.finish("stop"));
    let (run_id, session_id) = {
        let started = scene.start().await;
        gate.reached().await;
        started.edit("currentNodeId: ''", "currentNodeId: write");
        (started.run_id, started.session_id)
    };
    scene.kill().await;
    gate.open();
    let found = scene.get(run_id).await;
    assert_eq!(
        (found.run.phase.name(), found.run.reason.name()),
        ("WaitingUser", "interrupted")
    );
    let states = scene.records(session_id, "workflow.state");
    let causes: Vec<&str> = states
        .iter()
        .map(|it| it["cause"].as_str().unwrap())
        .collect();
    assert_eq!(causes, ["started", "recovered"]);
    scene.model.answer(said("Good."));
    let resumed = scene.call::<ResumeRun>(&resume(run_id)).await;
    assert_eq!(resumed.session_id, session_id);
    let mut resumed = scene.follow(resumed).await;
    resumed.until("WaitingUser", "question").await;
    let told = scene.told();
    assert!(
        told.last().unwrap().contains("- currentNodeId: write\n"),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_run_whose_message_is_lost_with_the_daemon_waits_for_a_person() {
    let mut scene = RunScene::new().await;
    let (run_id, session_id) = {
        let mut started = scene.start().await;
        started.until("WaitingUser", "question").await;
        started.send("Cats.").await;
        started.until("WaitingUser", "question").await;
        (started.run_id, started.session_id)
    };
    scene.daemon.kill().await;
    // The phase is recorded before the message that the run was to go on with.
    let log = scene.daemon.log_path(&session_id.to_string());
    let text = fs::read_to_string(&log).unwrap();
    let goes_on = text.rfind(r#""to":"Running""#).unwrap();
    let end = goes_on + text[goes_on..].find('\n').unwrap() + 1;
    fs::write(&log, &text[..end]).unwrap();
    scene.daemon.spawn().await;
    scene.client = crate::under_test::connect(&scene.daemon.socket()).await;
    let run = scene.get(run_id).await.run;
    assert_eq!(
        (run.phase.name(), run.reason.name()),
        ("WaitingUser", "interrupted")
    );
    let resumed = scene.call::<ResumeRun>(&resume(run_id)).await;
    let mut resumed = scene.follow(resumed).await;
    resumed.until("WaitingUser", "question").await;
}

#[tokio::test]
async fn a_run_that_has_ended_is_not_gone_on_with() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    started.edit("currentNodeId: ''", "currentNodeId: end");
    started.edit("stepsCompleted: []", "stepsCompleted: [ask, write, end]");
    started.send("It is done.").await;
    started.until("Completed", "end_reached").await;
    let calls = scene.told().len();
    for new_session in [None, Some(true)] {
        let params = ResumeRunParams {
            new_session,
            ..resume(started.run_id)
        };
        let error = scene.refused::<ResumeRun>(&params).await;
        assert_eq!(
            (error.code, &error.details["kind"]),
            (ErrorCode::Conflict, &json!("ended"))
        );
    }
    let found = scene.get(started.run_id).await;
    assert_eq!(found.run.session_id, Some(started.session_id));
    started.send("Thanks.").await;
    started.until("Completed", "end_reached").await;
    assert_eq!(scene.told().len(), calls + 1, "a message is answered");
}
