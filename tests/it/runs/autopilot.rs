use scorel_proto::{ResumeRun, ResumeRunParams, UpdateRun, UpdateRunParams};

use super::scene::{RunScene, said, write_package};

/// The edits by which a run leaves `ask`.
pub(super) const TO_WRITE: [(&str, &str); 2] = [
    ("currentNodeId: ''", "currentNodeId: write"),
    ("stepsCompleted: []", "stepsCompleted: [ask]"),
];

#[tokio::test]
async fn a_run_goes_on_by_itself_until_its_end() {
    let scene = RunScene::new().await;
    let mut params = scene.plan().await;
    params.autopilot = Some(true);
    let mut started = scene.start_with(&params).await;
    started.until("WaitingUser", "question").await;
    started.answer_with_edit(&TO_WRITE, said("Written."));
    started.answer_with_edit(
        &[
            ("currentNodeId: write", "currentNodeId: end"),
            ("stepsCompleted: [ask]", "stepsCompleted: [ask, write]"),
        ],
        said("Done."),
    );
    started.answer_with_edit(&[("[ask, write]", "[ask, write, end]")], said("All done."));
    started.send("Cats.").await;
    started.until("Completed", "end_reached").await;
    let told = scene.told();
    assert_eq!(told.len(), 4, "{told:?}");
    assert!(
        told[2].contains("- intent: continue\n")
            && told[2].contains("NODE_BRIEF\n- currentNodeId: write\n")
    );
    assert!(
        told[2].contains("- agentId: bob\n"),
        "another agent works there: {}",
        told[2]
    );
    assert!(
        told[3].contains("NODE_BRIEF\n- currentNodeId: end\n"),
        "{}",
        told[3]
    );
    let states = scene.records(started.session_id, "workflow.state");
    let nodes: Vec<_> = states
        .iter()
        .map(|it| it["currentNodeId"].as_str().unwrap())
        .collect();
    assert_eq!(nodes, ["ask", "write", "end", "end"]);
    assert_eq!(states[1]["from"], "ask");
    assert_eq!(states[3]["completed"], true);
}

#[tokio::test]
async fn a_run_that_is_told_to_goes_on_by_itself_from_its_next_turn() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let params = UpdateRunParams {
        run_id: started.run_id,
        autopilot: Some(true),
        mode: None,
        goto: None,
        command_id: None,
    };
    assert!(scene.call::<UpdateRun>(&params).await.run.autopilot);
    let states = scene.records(started.session_id, "workflow.state");
    assert_eq!(states.last().unwrap()["cause"], "command");
    started.answer_with_edit(&TO_WRITE, said("Written."));
    started.send("Cats.").await;
    started.until("Running", "autopilot").await;
    started.until("WaitingUser", "question").await;
    let told = scene.told();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[2].contains("- autopilot: true\n"), "{}", told[2]);
}

#[tokio::test]
async fn a_run_that_does_not_leave_its_node_stops_and_asks() {
    let scene = RunScene::new().await;
    let mut params = scene.plan().await;
    params.autopilot = Some(true);
    let mut started = scene.start_with(&params).await;
    started.until("WaitingUser", "question").await;
    started.answer_with_edit(&TO_WRITE, said("One."));
    started.answer_with_edit(&[("Notes.", "Notes. a")], said("Two."));
    started.answer_with_edit(&[("Notes. a", "Notes. b")], said("Three."));
    started.answer_with_edit(&[("Notes. b", "Notes. c")], said("Four."));
    started.send("Cats.").await;
    started.until("WaitingUser", "no_progress").await;
    // A turn that changes nothing is the end of it too.
    started.send("Go on.").await;
    started.until("WaitingUser", "question").await;
}

#[tokio::test]
async fn a_turn_that_fails_fails_its_run_and_a_message_goes_on() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    scene
        .model
        .answer(scorel_testkit::ScriptedResponse::status(401));
    started.send("Cats.").await;
    started.until("Failed", "error").await;
    started.send("Cats.").await;
    started.until("WaitingUser", "question").await;
}

#[tokio::test]
async fn a_run_stops_at_its_limit_over_all_its_sessions() {
    let scene = RunScene::configured("[workflow]\nmaxRunTokens = 100\n").await;
    write_package(&scene.installed(), "1.0.0");
    scene.model.answer(said("Yes.").usage(90, 20));
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    started.send("Cats.").await;
    started.until("WaitingUser", "limit").await;
    assert_eq!(scene.told().len(), 1, "the model was not called again");
    let params = ResumeRunParams {
        run_id: started.run_id,
        new_session: Some(true),
        variables: None,
        input: None,
        command_id: None,
    };
    let resumed = scene.call::<ResumeRun>(&params).await;
    let mut resumed = scene.follow(resumed).await;
    resumed.until("WaitingUser", "limit").await;
    assert_eq!(scene.told().len(), 1, "another session does not begin anew");
}
