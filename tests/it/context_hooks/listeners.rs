//! Commands that are told of a session, and that nothing waits for.

use std::fs;

use scorel_proto::{DeleteSession, DeleteSessionParams};
use scorel_testkit::DaemonUnderTest;
use serde_json::Value;

use super::{daemon, hook, runs, says};
use crate::under_test::{NamedPipe, Watch, new_session, send};

/// Keeps what it is told as a line of a file, and says so in a pipe. As one write, since two may run at once.
fn keeps(name: &str, event: &str, more: &str) -> String {
    let command =
        format!("line=$(cat); printf '%s\n' \"$line\" >> {name}.jsonl; echo >{name}.told");
    hook(name, event, &command) + more
}

/// A pipe with a line for each time that such a hook was told something.
fn told(daemon: &DaemonUnderTest, name: &str) -> NamedPipe {
    NamedPipe::new(&daemon.project().join(format!("{name}.told")))
}

fn kept(daemon: &DaemonUnderTest, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(daemon.project().join(format!("{name}.jsonl"))).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

#[tokio::test]
async fn the_end_of_a_session_is_told() {
    let (daemon, _model) = daemon(&keeps("end", "SessionEnd", ""), vec![says("Done.")]).await;
    let mut ended = told(&daemon, "end");
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Go.").await;
    watch.until("turn_outcome").await;
    let params = DeleteSessionParams {
        session_id: id,
        children: None,
        now: None,
        command_id: None,
    };
    client.call::<DeleteSession>(&params).await.unwrap();
    ended.line().await;
    let kept = kept(&daemon, "end");
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(kept[0]["hook_event_name"], "SessionEnd");
    assert_eq!(kept[0]["session_id"], id.to_string());
    assert_eq!(
        kept[0]["scorel"]["data"]["reason"], "deleted",
        "{}",
        kept[0]
    );
}

#[tokio::test]
async fn a_notification_reaches_those_whose_matcher_has_its_type() {
    let hooks = keeps("asked", "Notification", "matcher = 'permission_prompt'\n")
        + &keeps("idle", "Notification", "matcher = 'idle_prompt'\n")
        + "[permissions]\nmode = 'ask'\n";
    let (daemon, _model) = daemon(&hooks, vec![runs("touch x"), says("Done.")]).await;
    let (mut asked, mut idle) = (told(&daemon, "asked"), told(&daemon, "idle"));
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Go.").await;
    let request = watch.until("permission_request").await.pop().unwrap();
    asked.line().await;
    assert!(!daemon.project().join("idle.jsonl").exists());
    let params = scorel_proto::RespondPermissionParams {
        session_id: id,
        request_id: serde_json::from_value(request["requestId"].clone()).unwrap(),
        decision: scorel_proto::PermissionDecision::Deny,
        reason: None,
        command_id: None,
    };
    client
        .call::<scorel_proto::RespondPermission>(&params)
        .await
        .unwrap();
    watch.until("turn_outcome").await;
    idle.line().await;
    let (asked, idle) = (kept(&daemon, "asked"), kept(&daemon, "idle"));
    assert_eq!((asked.len(), idle.len()), (1, 1), "{asked:?} {idle:?}");
    assert_eq!(asked[0]["notification_type"], "permission_prompt");
    let message = asked[0]["message"].as_str().unwrap();
    assert!(message.starts_with("Bash asks for permission"), "{message}");
    assert_eq!(idle[0]["notification_type"], "idle_prompt");
    assert_eq!(idle[0]["message"], "The turn has ended.");
}
