use std::fs;

use scorel_proto::{
    DeleteRun, DeleteRunParams, ErrorCode, Gc, GcParams, GetRun, GetRunParams, GetTrust,
    GetTrustParams, ListWorkflows, ListWorkflowsParams, RebindRun, RebindRunParams, SetTrust,
    SetTrustParams, StartRun, TrustState, TrustedItem,
};

use super::scene::{RunScene, write_package};

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
    let of_project = GetTrustParams {
        project_id: scene.project,
    };
    let items = scene.call::<GetTrust>(&of_project).await.items;
    let item = items
        .into_iter()
        .find(|it| it.item == "workflow:notes")
        .expect("it is listed");
    let trust = |trusted| SetTrustParams {
        project_id: scene.project,
        items: vec![TrustedItem {
            item: item.item.clone(),
            digest: item.digest.clone(),
        }],
        trusted,
    };
    scene.call::<SetTrust>(&trust(true)).await;
    let mut started = scene.start_with(&params).await;
    started.until("WaitingUser", "question").await;
    // A run keeps what it was started with.
    scene.call::<SetTrust>(&trust(false)).await;
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
    assert_eq!(error.details["missing"], serde_json::json!(["gone"]));
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
