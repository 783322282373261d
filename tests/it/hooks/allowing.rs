//! Hooks that answer questions.

use serde_json::{Value, json};

use super::{calling, hook, records, turn};
use crate::under_test::{Watch, new_session, send};

/// The mode that asks about commands that change something.
const ASKS: &str = "[permissions]\nmode = 'ask'\n";

const ALLOW: &str = r#"echo '{"hookSpecificOutput": {"permissionDecision": "allow"}}'"#;

/// An answer to a question, as Claude Code has it.
const REPLY: &str = r#"echo '{"hookSpecificOutput": {"hookEventName": "PermissionRequest",
    "decision": {"behavior": "allow"}}}'"#;

fn touch(path: &str) -> (&'static str, Value) {
    ("Bash", json!({"command": format!("touch {path}")}))
}

#[tokio::test]
async fn a_yes_is_recorded_with_the_hook_that_may_say_it() {
    let other = "mayAllow = true\nif = 'Bash(touch asked.txt)'";
    let own = "mayAllow = true\nif = 'Bash(touch before.txt)'";
    let hooks = hook("yes", "PreToolUse", ALLOW, own)
        + &hook("reply", "PermissionRequest", REPLY, other)
        + ASKS;
    let calls = [touch("before.txt"), touch("asked.txt")];
    let (daemon, _model) = calling(&hooks, &calls).await;
    let id = turn(&daemon).await;
    let log = daemon.log(&id.to_string());
    let requests = records(&log, "permission_request");
    let decisions = records(&log, "permission_decision");
    let by: Vec<_> = decisions.iter().map(|it| &it["by"]).collect();
    assert_eq!(by, ["yes", "reply"], "{decisions:?}");
    for (request, decision) in requests.iter().zip(decisions) {
        assert_eq!(decision["requestId"], request["requestId"]);
        assert_eq!(decision["decision"], "once");
    }
    for file in ["before.txt", "asked.txt"] {
        assert!(daemon.project().join(file).exists(), "{file}");
    }
}

#[tokio::test]
async fn a_yes_that_no_user_has_granted_answers_nothing() {
    let hooks = hook("yes", "PreToolUse", ALLOW, "")
        + &hook("reply", "PermissionRequest", REPLY, "")
        + ASKS;
    let (daemon, _model) = calling(&hooks, &[touch("out.txt")]).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Do it.").await;
    watch.until("permission_request").await;
    let log = daemon.log(&id.to_string());
    assert!(records(&log, "permission_decision").is_empty());
    assert!(!daemon.project().join("out.txt").exists());
}
