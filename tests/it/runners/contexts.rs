//! Contexts that are lost, rewound away or given up.

use std::fs;

use scorel_client::Connection;
use scorel_proto::{ForgetContext, ForgetContextParams, Rewind, RewindParams, SessionId};
use scorel_testkit::AgentCli;
use serde_json::Value;

use super::scene::{AgentScene, runner, say};
use super::{only, processes, send_to};
use crate::under_test::{Watch, new_session, session};

#[tokio::test]
async fn a_context_of_codex_that_is_lost_is_replaced() {
    lost(AgentCli::Codex).await;
}

#[tokio::test]
async fn a_context_of_claude_that_is_lost_is_replaced() {
    lost(AgentCli::Claude).await;
}

#[tokio::test]
async fn a_context_of_gemini_that_is_lost_is_replaced() {
    lost(AgentCli::Gemini).await;
}

/// A turn to its end, with one reply.
async fn turn(
    scene: &AgentScene,
    (client, id, watch): (&Connection, SessionId, &mut Watch),
    cli: AgentCli,
    (question, reply): (&str, &str),
) -> Vec<Value> {
    scene.reply(say(reply));
    send_to(client, id, runner(cli), question).await;
    let events = watch.until("turn_outcome").await;
    assert_eq!(
        only(&events, "turn_outcome")["reason"],
        "completed",
        "{events:?}"
    );
    events
}

/// Its home is emptied between two turns.
async fn lost(cli: AgentCli) {
    let Some(scene) = AgentScene::start(&[cli], "keepSeconds = 0", "").await else {
        return;
    };
    let (client, id) = new_session(&scene.daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    let place = (&client, id, &mut watch);
    turn(&scene, place, cli, ("FIRST-QUESTION", "FIRST-ANSWER")).await;
    let before = session(&client, id).await.runner_contexts;
    // It may write its transcript when it ends.
    processes::wait_until_gone(scene.home.path());
    for entry in fs::read_dir(scene.home.path()).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => fs::remove_dir_all(path).unwrap(),
            false => fs::remove_file(path).unwrap(),
        }
    }
    cli.prepare_home(scene.home.path());
    let place = (&client, id, &mut watch);
    let events = turn(&scene, place, cli, ("second", "SECOND-ANSWER")).await;
    let contexts: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "runner_context")
        .collect();
    assert!(contexts[0]["contextId"].is_null(), "{contexts:?}");
    let is_notice = |event: &&Value| {
        let code = event["code"].as_str().unwrap_or_default();
        event["type"] == "notice" && code.starts_with("runner_context_lost")
    };
    assert_eq!(events.iter().filter(is_notice).count(), 1);
    let last = scene.agents.requests().pop().unwrap();
    for word in ["FIRST-QUESTION", "FIRST-ANSWER", "second"] {
        assert!(last.contains(word), "{word}: {last}");
    }
    let after = session(&client, id).await.runner_contexts;
    assert_ne!(
        before[runner(cli)].context_id,
        after[runner(cli)].context_id
    );
}

#[tokio::test]
async fn what_was_rewound_reaches_no_model() {
    for cli in AgentCli::ALL {
        let Some(scene) = AgentScene::start(&[cli], "", "").await else {
            continue;
        };
        let (client, id) = new_session(&scene.daemon).await;
        let mut watch = Watch::from_start(&client, id).await;
        let place = (&client, id, &mut watch);
        turn(&scene, place, cli, ("kept question", "kept answer")).await;
        let target = session(&client, id).await.active_leaf_id;
        let place = (&client, id, &mut watch);
        turn(&scene, place, cli, ("ABANDONED-ONE", "ABANDONED-TWO")).await;
        let params = RewindParams {
            session_id: id,
            target_event_id: target,
            expected_leaf_id: session(&client, id).await.active_leaf_id,
            restore_files: None,
            command_id: None,
        };
        client.call::<Rewind>(&params).await.unwrap();
        let place = (&client, id, &mut watch);
        let events = turn(&scene, place, cli, ("other way", "fine")).await;
        assert_eq!(only(&events, "runner_start")["context"], "new");
        let last = scene.agents.requests().pop().unwrap();
        assert!(!last.contains("ABANDONED"), "{last}");
        assert!(
            last.contains("kept question") && last.contains("kept answer"),
            "{last}"
        );
    }
}

#[tokio::test]
async fn a_context_that_is_given_up_is_not_resumed() {
    let cli = AgentCli::Codex;
    let Some(scene) = AgentScene::start(&[cli], "", "").await else {
        return;
    };
    let (client, id) = new_session(&scene.daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    let place = (&client, id, &mut watch);
    turn(&scene, place, cli, ("first", "FIRST-ANSWER")).await;
    let params = ForgetContextParams {
        session_id: id,
        runner: runner(cli).to_owned(),
        command_id: None,
    };
    let forgotten = client.call::<ForgetContext>(&params).await.unwrap();
    assert!(forgotten.seq.is_some());
    assert_eq!(session(&client, id).await.runner_contexts.len(), 0);
    processes::wait_until_gone(scene.home.path());
    let again = client.call::<ForgetContext>(&params).await.unwrap();
    assert_eq!(again.seq, None);
    let place = (&client, id, &mut watch);
    let events = turn(&scene, place, cli, ("second", "fine")).await;
    let start = only(&events, "runner_start");
    assert_eq!(start["context"], "new");
    assert!(start["handover"]["bytes"].as_u64().unwrap() > 0, "{start}");
}
