//! Questions of agents are for people, wherever they look.

use scorel_proto::{PermissionDecision, RespondPermission, RespondPermissionParams, RuntimeStatus};
use serde_json::json;

use super::scene::{AGENTS, AgentScene};
use crate::under_test::{connect, has_sandbox, session};

#[tokio::test]
async fn a_question_is_shown_by_the_session_that_gave_the_task_and_answered_in_another_client() {
    if !has_sandbox() {
        return;
    }
    let config = format!("{AGENTS}\n[permissions]\nmode = \"ask\"\n");
    let scene = AgentScene::with(&config).await;
    let command = json!({"command": "touch asked.txt"});
    scene.parts.call("one", "Bash", &command);
    let spawned = scene.spawn("developer", "one").await;
    let mut watch = scene.watch().await;
    let asked = loop {
        let seen = watch.until("runtime_status_changed").await;
        let last = seen.last().unwrap().clone();
        if last["status"] == "waiting_input" {
            break last;
        }
    };
    assert_eq!(
        asked["waitingFor"]["sessionId"],
        spawned.session_id.to_string()
    );
    assert_eq!(asked["waitingFor"]["toolName"], "Bash");
    let described = session(&scene.client, scene.lead).await;
    assert_eq!(described.child_questions.len(), 1);
    let question = described.child_questions[0].clone();

    let other = connect(&scene.daemon.socket()).await;
    let params = RespondPermissionParams {
        session_id: question.session_id,
        request_id: question.request_id,
        decision: PermissionDecision::Once,
        reason: None,
        command_id: None,
    };
    other.call::<RespondPermission>(&params).await.unwrap();
    watch.until("runtime_finished").await;
    assert!(scene.daemon.project().join("asked.txt").exists());
    let described = session(&scene.client, scene.lead).await;
    assert!(described.child_questions.is_empty());
    let runtime = scene.runtime(spawned.runtime_id).await.runtime;
    assert_eq!(runtime.status, RuntimeStatus::Completed);
}
