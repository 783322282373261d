//! What runners do to files: recorded by comparison, and taken back.

use std::fs;
use std::path::Path;

use scorel_client::Connection;
use scorel_proto::{
    EventId, GetTree, GetTreeParams, RestoreFiles, RestoreFilesParams, RestoreScope, SessionId,
};
use scorel_testkit::{AgentCli, DaemonUnderTest, ModelServer};
use serde_json::Value;

use super::scene::{AgentScene, runner, say};
use super::{only, send_to};
use crate::under_test::{Watch, connect, daemon, new_session};

/// Changes a file, makes one and deletes one. With a prompt that says so it does not end by itself.
const WORKER: &str = r#"
[runners.worker]
type = "command"
trustOwn = true
command = ["/bin/bash", "-c", """
    read -r prompt
    echo new >made; echo more >>kept; rm gone
    echo done
    [[ $prompt != wait* ]] || exec sleep 4000
"""]
"#;

fn fill(daemon: &DaemonUnderTest) {
    daemon.write_project_file("kept", "as before\n");
    daemon.write_project_file("gone", "it was here\n");
}

fn is_as_before(project: &Path) -> bool {
    let kept = fs::read_to_string(project.join("kept")).unwrap();
    let gone = fs::read_to_string(project.join("gone")).unwrap_or_default();
    kept == "as before\n" && gone == "it was here\n" && !project.join("made").exists()
}

/// The paths that an event says a runner has changed.
fn changed(exit: &Value) -> Vec<&str> {
    let files = exit["files"].as_array().map_or(&[][..], Vec::as_slice);
    assert!(files.iter().all(|file| file["by"] == "runner"), "{exit}");
    files
        .iter()
        .filter_map(|file| file["path"].as_str())
        .collect()
}

async fn restore(client: &Connection, id: SessionId, before: &Value, scope: RestoreScope) {
    let before: EventId = serde_json::from_value(before["id"].clone()).unwrap();
    let params = RestoreFilesParams {
        session_id: id,
        before_event_id: before,
        scope: Some(scope),
        on_conflict: None,
        command_id: None,
    };
    client.call::<RestoreFiles>(&params).await.unwrap();
}

#[tokio::test]
async fn a_run_is_compared_and_taken_back() {
    let model = ModelServer::start().await.unwrap();
    let daemon = daemon(&model, WORKER).await;
    fill(&daemon);
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, "worker", "go").await;
    let events = watch.until("turn_outcome").await;
    assert_eq!(
        changed(only(&events, "runner_exit")),
        ["gone", "kept", "made"]
    );
    let params = GetTreeParams {
        session_id: id,
        after_seq: None,
        limit: None,
        previews: Some(true),
    };
    let tree = client.call::<GetTree>(&params).await.unwrap();
    assert_eq!(tree.nodes.last().unwrap().file_changes, Some(3));

    let start = only(&events, "runner_start");
    // Another program may have made them: only on demand.
    restore(&client, id, start, RestoreScope::Tools).await;
    assert!(!is_as_before(&daemon.project()));
    restore(&client, id, start, RestoreScope::All).await;
    assert!(is_as_before(&daemon.project()));
}

#[tokio::test]
async fn an_interrupted_run_is_compared_by_the_next_daemon() {
    let model = ModelServer::start().await.unwrap();
    let mut daemon = daemon(&model, WORKER).await;
    fill(&daemon);
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, "worker", "wait").await;
    watch.until("text_delta").await;
    daemon.kill().await;
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    let mut watch = Watch::from_start(&client, id).await;
    let events = watch.until("turn_outcome").await;
    assert_eq!(
        changed(only(&events, "runner_exit")),
        ["gone", "kept", "made"]
    );
    let start = only(&events, "runner_start");
    restore(&client, id, start, RestoreScope::All).await;
    assert!(is_as_before(&daemon.project()));
}

#[tokio::test]
async fn what_the_calls_of_agents_change_is_recorded() {
    for cli in AgentCli::ALL {
        let config = "[permissions]\nmode = \"full\"\n";
        let Some(scene) = AgentScene::start(&[cli], "", config).await else {
            continue;
        };
        fill(&scene.daemon);
        let (client, id) = new_session(&scene.daemon).await;
        let mut watch = Watch::from_start(&client, id).await;
        let command = "echo new >made; echo more >>kept; rm gone";
        scene.reply(cli.command("call_1", command));
        scene.reply(say("done"));
        send_to(&client, id, runner(cli), "go").await;
        let events = watch.until("turn_outcome").await;
        assert_eq!(
            changed(only(&events, "runner_exit")),
            ["gone", "kept", "made"]
        );
        restore(
            &client,
            id,
            only(&events, "runner_start"),
            RestoreScope::All,
        )
        .await;
        assert!(is_as_before(&scene.daemon.project()));
    }
}
