//! Turns of each agent: what it is told and what it streams, its questions, its usage.

use scorel_proto::{PermissionDecision, SendMessage, SendMessageParams, WhileRunning};
use scorel_testkit::{AgentCli, ResponseGate};
use serde_json::Value;

use super::scene::{AgentScene, answer, runner, say};
use super::{answer_of, only, send_to};
use crate::under_test::{Watch, message, new_session, session};

fn outcome(events: &[Value]) -> (&str, u64, u64) {
    let outcome = only(events, "turn_outcome");
    let tokens = |name: &str| outcome["usage"][name].as_u64().unwrap();
    (
        outcome["reason"].as_str().unwrap(),
        tokens("inputTokens"),
        tokens("outputTokens"),
    )
}

#[tokio::test]
async fn codex_runs_turns_in_one_context() {
    turns_in_one_context(AgentCli::Codex).await;
}

#[tokio::test]
async fn claude_runs_turns_in_one_context() {
    turns_in_one_context(AgentCli::Claude).await;
}

#[tokio::test]
async fn gemini_runs_turns_in_one_context() {
    turns_in_one_context(AgentCli::Gemini).await;
}

/// Text is seen before its end; a question is asked and answered both ways; the usage is the model's.
async fn turns_in_one_context(cli: AgentCli) {
    let Some(scene) = AgentScene::start(&[cli], "", "").await else {
        return;
    };
    let (client, id) = new_session(&scene.daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    let gate = ResponseGate::new();
    scene.reply(say("first answer").stall(&gate));
    send_to(&client, id, runner(cli), "first question").await;
    if cli != AgentCli::Gemini {
        watch.until("text_delta").await;
    }
    gate.open();
    let events = watch.until("turn_outcome").await;
    assert_eq!(outcome(&events), ("completed", 100, 10), "{events:?}");

    scene.reply(cli.command("call_1", "touch made"));
    scene.reply(say("it is made"));
    send_to(&client, id, runner(cli), "make it").await;
    let asked = watch.until("permission_request").await;
    answer(&client, id, asked.last().unwrap(), PermissionDecision::Once).await;
    let events = watch.until("turn_outcome").await;
    assert_eq!(outcome(&events), ("completed", 200, 20), "{events:?}");
    assert!(scene.daemon.project().join("made").exists());
    assert_eq!(only(&asked, "runner_start")["context"], "resumed");
    let request = &scene.agents.requests()[1];
    assert!(
        request.contains("first question") && request.contains("first answer"),
        "{request}"
    );

    scene.reply(cli.command("call_2", "touch unwanted"));
    scene.reply(say("a pity"));
    send_to(&client, id, runner(cli), "make another").await;
    let asked = watch.until("permission_request").await;
    answer(&client, id, asked.last().unwrap(), PermissionDecision::Deny).await;
    watch.until("turn_outcome").await;
    assert!(!scene.daemon.project().join("unwanted").exists());

    let contexts = session(&client, id).await.runner_contexts;
    let said = answer_of(&events)["message"]["meta"]["runner"].clone();
    assert_eq!(said["contextId"], contexts[runner(cli)].context_id.as_str());
}

/// A message that comes while the agent starts reaches it once.
#[tokio::test]
async fn a_steer_at_the_start_is_not_lost() {
    for cli in [AgentCli::Codex, AgentCli::Claude] {
        let config = "[permissions]\nmode = \"full\"\n";
        let Some(scene) = AgentScene::start(&[cli], "", config).await else {
            continue;
        };
        let (client, id) = new_session(&scene.daemon).await;
        let mut watch = Watch::from_start(&client, id).await;
        scene.reply(cli.command("call_1", "sleep 1"));
        scene.reply(say("done"));
        scene.reply(say("done again"));
        send_to(&client, id, runner(cli), "go").await;
        let steer = SendMessageParams {
            while_running: Some(WhileRunning::Steer),
            ..message(id, "STEERED")
        };
        client.call::<SendMessage>(&steer).await.unwrap();
        let events = watch.until("turn_outcome").await;
        assert_eq!(only(&events, "turn_outcome")["reason"], "completed");
        let last = scene.agents.requests().pop().unwrap();
        assert_eq!(last.matches("STEERED").count(), 1, "{last}");
    }
}
