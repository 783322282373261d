use std::fs;

use scorel_proto::{
    DeleteRun, DeleteRunParams, ErrorCode, Gc, GcParams, GetRun, GetRunParams, GetTrust,
    GetTrustParams, ListWorkflows, ListWorkflowsParams, RebindRun, RebindRunParams, RunId,
    SetTrust, SetTrustParams, StartRun, TrustState, TrustedItem,
};
use scorel_testkit::{ResponseGate, ScriptedChat};
use serde_json::json;

use super::answers::{DOCUMENT, ends, leaves, reads_document};
use super::scene::{RunScene, StartedScene, write_package};

#[tokio::test]
async fn a_projects_package_runs_once_it_is_trusted_and_as_it_was_trusted() {
    let scene = RunScene::without_package().await;
    write_package(
        &scene.daemon.project().join(".scorel/workflows/notes"),
        "1.0.0",
    );
    let params = scene.plan().await;
    let error = scene.refused::<StartRun>(&params).await;
    assert_eq!(error.code, ErrorCode::WorkflowNotFound);
    assert!(error.message.contains("trust"), "{}", error.message);
    trust(&scene, true).await;
    let mut started = scene.start_with(&params).await;
    started.until("WaitingUser", "question").await;
    // A run keeps what it was started with.
    trust(&scene, false).await;
    scene.call::<Gc>(&GcParams { apply: Some(true) }).await;
    started.send("Cats.").await;
    started.until("WaitingUser", "question").await;
    let listed = ListWorkflowsParams {
        project_id: Some(scene.project),
    };
    let listed = scene.call::<ListWorkflows>(&listed).await.workflows;
    assert_eq!(
        (listed.len(), listed[0].trust),
        (1, Some(TrustState::Untrusted))
    );
}

#[tokio::test]
async fn a_run_keeps_its_package_until_it_is_bound_to_another() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let before = scene.get(started.run_id).await.run;
    assert!(!before.package_changed);
    write_package(&scene.installed(), "2.0.0");
    assert!(scene.get(started.run_id).await.run.package_changed);
    started.send("Cats.").await;
    started.until("WaitingUser", "question").await;
    let rebind = |digest: Option<String>| RebindRunParams {
        run_id: started.run_id,
        digest,
        command_id: None,
    };
    let error = scene
        .refused::<RebindRun>(&rebind(Some("0".repeat(64))))
        .await;
    assert_eq!(
        (error.code, &error.details["kind"]),
        (ErrorCode::Conflict, &"package".into())
    );
    let bound = scene.call::<RebindRun>(&rebind(None)).await.run;
    assert_eq!(bound.package.version, "2.0.0");
    assert!(!bound.package_changed && bound.package.digest != before.package.digest);
    started.edit("currentNodeId: ''", "currentNodeId: gone");
    let error = scene.refused::<RebindRun>(&rebind(None)).await;
    assert_eq!(error.details["missing"], json!(["gone"]));
}

#[tokio::test]
async fn a_copy_that_is_gone_is_told_and_binding_again_brings_it_back() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let digest = scene.get(started.run_id).await.run.package.digest;
    fs::remove_dir_all(scene.daemon.home().join("store").join(&digest)).unwrap();
    started.send("Cats.").await;
    started.until("Failed", "package_missing").await;
    assert_eq!(scene.told().len(), 1, "the model was not called");
    let rebind = RebindRunParams {
        run_id: started.run_id,
        digest: Some(digest.clone()),
        command_id: None,
    };
    assert_eq!(
        scene.call::<RebindRun>(&rebind).await.run.package.digest,
        digest
    );
    started.send("Cats.").await;
    started.until("WaitingUser", "question").await;
}

#[tokio::test]
async fn a_deleted_run_leaves_its_session_as_an_ordinary_one() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let params = DeleteRunParams {
        run_id: started.run_id,
        command_id: None,
    };
    scene.call::<DeleteRun>(&params).await;
    let get = GetRunParams {
        run_id: started.run_id,
    };
    let error = scene.refused::<GetRun>(&get).await;
    assert_eq!(error.code, ErrorCode::RunNotFound);
    assert_eq!(
        scene.refused::<DeleteRun>(&params).await.code,
        ErrorCode::RunNotFound
    );
    started.send("Cats.").await;
    scene.model.wait_for_requests(2).await;
    assert_eq!(scene.told().last().unwrap(), "Cats.");
}

/// The model reads the document, and moves the run once the gate is open.
async fn begun<'a>(scene: &'a RunScene, gate: &ResponseGate) -> StartedScene<'a> {
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    scene.model.answer(reads_document());
    let waits = ScriptedChat::default().wait(gate);
    let patch = json!({"stepsCompleted": {"append": ["ask"]}, "currentNodeId": {"set": "write"}});
    let patch = json!({"path": DOCUMENT, "operation": "updateFrontmatter", "update": patch});
    let waits = waits.tool_call("call_2", "fs_apply_patch", &patch.to_string());
    scene.model.answer(waits.finish("tool_calls"));
    started.send("Cats.").await;
    gate.reached().await;
    started
}

#[tokio::test]
async fn a_package_that_changes_in_the_middle_of_a_turn_is_that_of_the_next_binding() {
    let scene = RunScene::new().await;
    let gate = ResponseGate::new();
    let mut started = begun(&scene, &gate).await;
    let text = fs::read_to_string(scene.document(started.run_id)).unwrap();
    write_package(&scene.installed(), "2.0.0");
    let params = rebind(started.run_id);
    let error = scene.refused::<RebindRun>(&params).await;
    assert_eq!(
        (error.code, &error.details["kind"]),
        (ErrorCode::Conflict, &json!("running"))
    );
    assert_eq!(
        fs::read_to_string(scene.document(started.run_id)).unwrap(),
        text
    );
    gate.open();
    started.until("WaitingUser", "question").await;
    let run = scene.get(started.run_id).await.run;
    assert!(run.package_changed && run.package.version == "1.0.0");
    let run = scene.call::<RebindRun>(&params).await.run;
    assert_eq!(
        (run.node_id.as_str(), run.package.version.as_str()),
        ("write", "2.0.0")
    );
    comes_to_its_end(&scene, &mut started).await;
}

#[tokio::test]
async fn a_package_that_is_removed_in_the_middle_of_a_turn_comes_back_by_binding() {
    let scene = RunScene::new().await;
    let gate = ResponseGate::new();
    let mut started = begun(&scene, &gate).await;
    let digest = scene.get(started.run_id).await.run.package.digest;
    let copy = scene.daemon.home().join("store").join(digest);
    fs::remove_dir_all(scene.installed()).unwrap();
    fs::remove_dir_all(copy).unwrap();
    gate.open();
    started.until("Failed", "package_missing").await;
    let text = fs::read_to_string(scene.document(started.run_id)).unwrap();
    let params = rebind(started.run_id);
    let error = scene.refused::<RebindRun>(&params).await;
    assert_eq!(error.code, ErrorCode::WorkflowNotFound);
    let problem = scene.get(started.run_id).await.run.problem.unwrap();
    assert_eq!(problem.code, "package_missing");
    assert_eq!(
        fs::read_to_string(scene.document(started.run_id)).unwrap(),
        text
    );
    write_package(&scene.installed(), "1.0.0");
    scene.call::<RebindRun>(&params).await;
    let states = scene.records(started.session_id, "workflow.state");
    let causes: Vec<_> = states.iter().map(|it| it["cause"].clone()).collect();
    assert_eq!(
        causes,
        ["started", "patch"],
        "the step is not taken for one of the command"
    );
    comes_to_its_end(&scene, &mut started).await;
}

#[tokio::test]
async fn a_package_that_loses_its_trust_in_the_middle_of_a_turn_is_bound_again_once_it_has_it() {
    let scene = RunScene::without_package().await;
    let installed = scene.daemon.project().join(".scorel/workflows/notes");
    write_package(&installed, "1.0.0");
    trust(&scene, true).await;
    let gate = ResponseGate::new();
    let mut started = begun(&scene, &gate).await;
    write_package(&installed, "2.0.0");
    trust(&scene, false).await;
    gate.open();
    started.until("WaitingUser", "question").await;
    let text = fs::read_to_string(scene.document(started.run_id)).unwrap();
    let params = rebind(started.run_id);
    let error = scene.refused::<RebindRun>(&params).await;
    assert_eq!(error.code, ErrorCode::WorkflowNotFound);
    assert!(error.message.contains("trust"), "{}", error.message);
    assert_eq!(
        fs::read_to_string(scene.document(started.run_id)).unwrap(),
        text
    );
    trust(&scene, true).await;
    let run = scene.call::<RebindRun>(&params).await.run;
    assert_eq!(run.package.version, "2.0.0");
    comes_to_its_end(&scene, &mut started).await;
}

/// The next turn leads a run that is at `write` to its end.
async fn comes_to_its_end(scene: &RunScene, started: &mut StartedScene<'_>) {
    scene.model.answer(reads_document());
    scene.model.answer(leaves("write", "end"));
    scene.model.answer(ends("end"));
    started.send("Go on.").await;
    started.until("Completed", "end_reached").await;
    let steps = scene.get(started.run_id).await.steps_completed;
    assert_eq!(steps, ["ask", "write", "end"]);
}

fn rebind(run_id: RunId) -> RebindRunParams {
    RebindRunParams {
        run_id,
        digest: None,
        command_id: None,
    }
}

/// Trusts the package of the project as it is now, or trusts it no more.
async fn trust(scene: &RunScene, trusted: bool) {
    let of_project = GetTrustParams {
        project_id: scene.project,
    };
    let items = scene.call::<GetTrust>(&of_project).await.items;
    let item = items.into_iter().find(|it| it.item == "workflow:notes");
    let item = item.expect("it is listed");
    let params = SetTrustParams {
        project_id: scene.project,
        items: vec![TrustedItem {
            item: item.item,
            digest: item.digest,
        }],
        trusted,
    };
    scene.call::<SetTrust>(&params).await;
}
