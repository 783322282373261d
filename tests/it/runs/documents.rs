use std::fs;

use scorel_proto::{ErrorCode, RepairRun, RepairRunParams, RunRestore, UpdateRun, UpdateRunParams};

use super::scene::{RunScene, reads, said};

pub(super) fn repair(run_id: scorel_proto::RunId) -> RepairRunParams {
    RepairRunParams {
        run_id,
        restore: RunRestore::LastGood,
        command_id: None,
    }
}

#[tokio::test]
async fn a_document_that_is_edited_within_a_turn_is_told_of_before_the_next_call() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    scene.daemon.write_project_file("a.txt", "one");
    started.answer_with_edit(
        &[("currentNodeId: ''", "currentNodeId: write")],
        reads("a.txt"),
    );
    started.send("Cats.").await;
    started.until("WaitingUser", "question").await;
    let told = scene.told();
    let last = told.last().unwrap();
    assert!(
        last.contains("NODE_BRIEF\n- currentNodeId: write\n"),
        "{last}"
    );
    assert!(
        last.contains("- agentId: bob\n") && !last.contains("RUN_DIRECTIVE"),
        "{last}"
    );
    let states = scene.records(started.session_id, "workflow.state");
    assert_eq!(states.last().unwrap()["cause"], "external");
    let log = scene.daemon.log(&started.session_id.to_string());
    let briefs = log.iter().filter(|it| it["kind"] == "workflow.node_brief");
    assert_eq!(briefs.count(), 1);
}

#[tokio::test]
async fn a_broken_document_is_left_as_it_is_and_no_model_is_called() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let document = scene.document(started.run_id);
    // A person's words are part of the last good state once a turn has begun with it.
    started.edit("Notes.", "Notes of mine.");
    started.send("Cats.").await;
    started.until("WaitingUser", "question").await;
    let good = fs::read_to_string(&document).unwrap();
    started.edit("stepsCompleted: []", "stepsCompleted: [");
    let broken = fs::read_to_string(&document).unwrap();
    started.send("Cats.").await;
    started.until("WaitingUser", "state_invalid").await;
    assert_eq!(scene.told().len(), 2, "the model was not called");
    assert_eq!(fs::read_to_string(&document).unwrap(), broken);
    let problem = scene
        .get(started.run_id)
        .await
        .run
        .problem
        .expect("it has one");
    assert_eq!(problem.code, "state_invalid");
    assert!(
        problem.line.is_some() && problem.column.is_some(),
        "{problem:?}"
    );
    let repaired = scene.call::<RepairRun>(&repair(started.run_id)).await;
    assert_eq!(repaired.run.problem, None);
    assert_eq!(fs::read_to_string(&document).unwrap(), good);
    let kept = document
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("workflow.md.broken-1");
    assert_eq!(fs::read_to_string(kept).unwrap(), broken);
    started.send("Cats.").await;
    started.until("WaitingUser", "question").await;
}

#[tokio::test]
async fn a_deleted_document_and_an_unknown_node_are_told_and_can_be_mended() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    fs::remove_file(scene.document(started.run_id)).unwrap();
    started.send("Cats.").await;
    started.until("WaitingUser", "state_invalid").await;
    scene.call::<RepairRun>(&repair(started.run_id)).await;
    started.edit("currentNodeId: ''", "currentNodeId: nowhere");
    let problem = scene
        .get(started.run_id)
        .await
        .run
        .problem
        .expect("it has one");
    assert_eq!(problem.pointer.as_deref(), Some("/currentNodeId"));
    let goto = |node: &str| UpdateRunParams {
        run_id: started.run_id,
        autopilot: None,
        mode: None,
        goto: Some(node.to_owned()),
        command_id: None,
    };
    let error = scene.refused::<UpdateRun>(&goto("elsewhere")).await;
    assert_eq!(
        (error.code, &error.details["field"]),
        (ErrorCode::InvalidParams, &"goto".into())
    );
    let run = scene.call::<UpdateRun>(&goto("write")).await.run;
    assert_eq!((run.node_id.as_str(), run.problem), ("write", None));
    scene.model.answer(said("Good."));
    started.send("Cats.").await;
    started.until("WaitingUser", "question").await;
    let told = scene.told();
    assert!(
        told.last().unwrap().contains("- currentNodeId: write\n"),
        "{told:?}"
    );
}
