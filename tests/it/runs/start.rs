use std::fs;

use scorel_proto::{
    ErrorCode, GetSession, GetSessionParams, ListRuns, ListRunsParams, RegisterProject,
    RegisterProjectParams, RunPhase, RunReason, SessionKind, StartRun,
};
use serde_json::{Map, json};

use super::scene::RunScene;
use crate::raw::RawConnection;
use crate::under_test::scorelctl;
use crate::under_test::title;

#[tokio::test]
async fn a_run_begins_with_the_plan_that_was_shown_and_waits_for_an_answer() {
    let scene = RunScene::new().await;
    let mut other = scene.plan().await;
    other.confirm = "0".repeat(64);
    let error = scene.refused::<StartRun>(&other).await;
    assert_eq!(
        (error.code, &error.details["kind"]),
        (ErrorCode::Conflict, &json!("plan"))
    );
    assert_eq!(error.details["digest"], scene.digest().await);
    assert!(
        !scene.daemon.home().join("runs").exists(),
        "nothing was started"
    );

    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let told = &scene.told()[0];
    for part in [
        "RUN_DIRECTIVE\n- runType: bmad-micro\n- intent: start\n- workflow: notes\n",
        "- graph: @pkg/graph.json\n",
        "- currentNodeId: ask\n- effectiveAgentId: ann\n- autopilot: false\n",
        "NODE_BRIEF\n- currentNodeId: ask\n- stepFile: @pkg/ask.md\n",
        "write (label=next)",
        "AGENT_PERSONA\n- agentId: ann\n",
    ] {
        assert!(told.contains(part), "no {part:?} in {told}");
    }
    let params = GetSessionParams {
        session_id: started.session_id,
    };
    let session = scene.call::<GetSession>(&params).await.session;
    assert_eq!(session.kind, SessionKind::Workflow);
    let run = session.run.expect("it belongs to one");
    assert_eq!(
        (run.run_id, run.phase),
        (started.run_id, RunPhase::WaitingUser)
    );
    assert_eq!(
        (run.reason, run.node_id.as_str()),
        (RunReason::Question, "ask")
    );
    let found = scene.get(started.run_id).await;
    let at: Vec<&str> = found
        .nodes
        .iter()
        .filter(|it| it.current)
        .map(|it| it.id.as_str())
        .collect();
    assert_eq!(at, ["ask"]);
    assert_eq!(found.run.agent_id.as_deref(), Some("ann"));
    // A list may be behind the events of a session until its next step.
    title(&scene.client, started.session_id, "Mine").await;
    let listed = scene.call::<ListRuns>(&ListRunsParams::default()).await;
    assert_eq!(listed.runs, [found.run]);
    let other = scene.daemon.project().join("other");
    fs::create_dir(&other).unwrap();
    let other = RegisterProjectParams {
        work_dir: other.to_str().unwrap().to_owned(),
        display_name: None,
        command_id: None,
    };
    let other = scene.call::<RegisterProject>(&other).await.project;
    for (project, count) in [(scene.project, 1), (other.project_id, 0)] {
        let params = ListRunsParams {
            project_id: Some(project),
            limit: None,
        };
        let listed = scene.call::<ListRuns>(&params).await;
        assert_eq!(listed.runs.len(), count);
    }
}

#[tokio::test]
async fn a_persons_words_are_for_the_current_node() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    started
        .send("Write of RUN_DIRECTIVE\n- intent: start")
        .await;
    started.until("WaitingUser", "question").await;
    let told = &scene.told()[1];
    assert!(told.contains("- intent: continue\n"), "{told}");
    let (_, input) = told
        .split_once("USER_INPUT\n")
        .expect("the words are marked");
    assert!(
        input.starts_with("- forNodeId: ask\nWrite of RUN_DIRECTIVE\n"),
        "{input}"
    );
    assert!(
        !told.contains("AGENT_PERSONA"),
        "it was told that before: {told}"
    );
    let phases = scene.records(started.session_id, "workflow.phase");
    let reasons: Vec<&str> = phases
        .iter()
        .map(|it| it["reason"].as_str().unwrap())
        .collect();
    assert_eq!(reasons, ["question", "message", "question"]);
}

#[tokio::test]
async fn what_a_run_begins_with_is_in_its_document() {
    let scene = RunScene::new().await;
    let mut params = scene.plan().await;
    params.variables = Some(Map::from_iter([("story".to_owned(), json!("1-2"))]));
    params.agent_id = Some("bob".to_owned());
    params.input = Some("Of cats.".to_owned());
    let mut started = scene.start_with(&params).await;
    started.until("WaitingUser", "question").await;
    let text = fs::read_to_string(scene.document(started.run_id)).unwrap();
    assert!(
        text.starts_with("---\n# Mine\nschemaVersion: '1.1'\n"),
        "{text}"
    );
    assert!(
        text.contains(&format!("runId: \"{}\"", started.run_id)),
        "{text}"
    );
    assert!(
        text.contains("activeAgentId: \"bob\"") && text.ends_with("---\nNotes.\n"),
        "{text}"
    );
    let found = scene.get(started.run_id).await;
    assert_eq!(found.variables["story"], "1-2");
    assert_eq!(found.run.agent_id.as_deref(), Some("bob"));
    assert!(
        scene.told()[0]
            .trim_end()
            .ends_with("USER_INPUT\n- forNodeId: ask\nOf cats."),
        "{:?}",
        scene.told()
    );
    params.agent_id = Some("eve".to_owned());
    let error = scene.refused::<StartRun>(&params).await;
    assert_eq!(error.details["field"], "agentId");
}

#[tokio::test]
async fn a_start_that_is_repeated_starts_one_run_also_after_a_kill() {
    let mut scene = RunScene::new().await;
    let params = json!(scene.plan().await);
    let command = |params: &serde_json::Value| {
        let mut params = params.clone();
        params["commandId"] = json!("start-1");
        params
    };
    let started = |scene: &RunScene| {
        let mut raw = RawConnection::connect(&scene.daemon);
        let client = "cli_01ARZ3NDEKTSV4RRFFQ69G5FAV";
        raw.call(
            "hello",
            &json!({"clientId": client, "protocol": {"min": 1, "max": 1}}),
        );
        let reply = raw.call("startRun", &command(&params));
        assert!(reply["result"]["runId"].is_string(), "{reply}");
        reply["result"].clone()
    };
    let first = started(&scene);
    assert_eq!(started(&scene), first);
    scene.kill().await;
    assert_eq!(started(&scene), first);
    let runs = fs::read_dir(scene.daemon.home().join("runs")).unwrap();
    assert_eq!(runs.count(), 1);
    let session = first["sessionId"].as_str().unwrap();
    let log = scene.daemon.log(session);
    let started = log
        .iter()
        .filter(|it| it["kind"] == "workflow.started")
        .count();
    let said = log
        .iter()
        .filter(|it| it["message"]["role"] == "user")
        .count();
    assert_eq!((started, said), (1, 1));
}

#[tokio::test]
async fn a_message_without_a_session_is_told_of_the_run_that_waits() {
    let scene = RunScene::new().await;
    let sent = async || {
        let project = scene.daemon.project();
        let arguments = ["send", "--project", project.to_str().unwrap(), "Cats."];
        let sent = scorelctl(&scene.daemon, &arguments, &[]).await;
        assert!(sent.status.success(), "{sent:?}");
        String::from_utf8(sent.stderr).unwrap()
    };
    assert!(!sent().await.contains("a run waits"));
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let told = sent().await;
    let session = started.session_id.to_string();
    let end = &session[session.len() - 6..];
    assert!(
        told.contains(&format!("`--session {end}` sends it there")),
        "{told}"
    );
    assert!(
        !sent().await.contains("a run waits"),
        "the other session is the latest"
    );
}
