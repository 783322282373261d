//! The hooks of `selfish-pipeline` that are at no call: each does what its README says, or is named.

use std::os::unix::fs::PermissionsExt as _;

use scorel_proto::{
    Compact, CompactParams, DeleteSession, DeleteSessionParams, PermissionDecision,
    RespondPermission, RespondPermissionParams,
};
use serde_json::json;

use super::published::{add, call};
use super::*;
use crate::under_test::{NamedPipe, logged, send, until};

/// A window that four long messages fill.
const WINDOW: &str = "contextWindow = 60000\nmaxTokens = 4000\n";

/// Shows a notification to the test.
const NOTIFY: &str = "#!/bin/sh\necho \"$1: $2\" >> \"$HOME/shown\"; echo > \"$HOME/told\"\n";

/// A formatter of Python that says when it has written.
const BLACK: &str = "#!/bin/sh\necho formatted > \"$2\"; echo > \"$HOME/told\"\n";

/// A desk whose user has a home of their own, a formatter and notifications, in this mode, with the plugin and a pipeline at
/// this phase.
async fn pipeline(mode: &str, phase: &str) -> Option<(Desk, String)> {
    let daemon = DaemonUnderTest::new(SCORELD);
    let user = daemon.root().join("user");
    for (program, text) in [("bin/notify-send", NOTIFY), ("bin/black", BLACK)] {
        write_all(&user, &[(program, text)]);
        fs::set_permissions(user.join(program), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}/bin:{path}", user.display());
    let daemon = daemon
        .with_variable("HOME", user.to_str().unwrap())
        .with_variable("PATH", &path);
    let desk = Desk::on(daemon, |daemon| {
        daemon.configure_more(&format!("{WINDOW}[permissions]\nmode = '{mode}'\n"));
        let files = [
            (".claude/.selfish-active", "login\n"),
            (".claude/.selfish-phase", phase),
        ];
        write_all(&daemon.project(), &files);
    })
    .await;
    let added = add(&desk.daemon, "selfish-pipeline").await?;
    Some((desk, added))
}

fn user(desk: &Desk) -> std::path::PathBuf {
    desk.daemon.root().join("user")
}

#[tokio::test]
async fn prompts_are_told_the_phase_and_no_turn_ends_before_the_tests() {
    let Some((mut desk, _)) = pipeline("full", "implement\n").await else {
        return;
    };
    send(&desk.client, desk.id, "Go on.").await;
    desk.until_done().await;
    let requests: Vec<String> = desk
        .model
        .requests()
        .iter()
        .map(|it| it.json().to_string())
        .collect();
    assert_eq!(requests.len(), 2, "the turn goes on once");
    for part in [
        "[SELFISH PIPELINE ACTIVE] Feature: login",
        "[Pipeline: login] [Phase: implement]",
    ] {
        assert!(requests[0].contains(part), "{part}: {}", requests[0]);
    }
    let gate = "SELFISH GATE: CI has not been run. Pipeline 'login' Phase 'implement'";
    assert!(!requests[0].contains(gate));
    assert!(requests[1].contains(gate), "{}", requests[1]);

    let passed = desk.daemon.project().join(".claude/.selfish-ci-passed");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    fs::write(passed, now.unwrap().as_secs().to_string()).unwrap();
    send(&desk.client, desk.id, "And now?").await;
    desk.until_done().await;
    assert_eq!(desk.model.requests().len(), 3, "the tests have passed");
}

#[tokio::test]
async fn failures_are_explained_and_a_compaction_has_its_checkpoint() {
    let Some((mut desk, _)) = pipeline("full", "plan\n").await else {
        return;
    };
    let missing = json!({"command": "cat missing.txt"});
    let (_, result) = call(&mut desk, "Bash", &missing).await;
    let hint = "[SELFISH HINT] Check that the file or directory exists. (tool: Bash)";
    assert!(result.contains(hint), "{result}");
    let failures = desk.daemon.project().join(".claude/.selfish-failures.log");
    assert!(fs::read_to_string(failures).unwrap().contains("Bash: "));

    for _ in 0..4 {
        send(&desk.client, desk.id, &"long ".repeat(8_000)).await;
        desk.until_done().await;
    }
    let params = CompactParams {
        session_id: desk.id,
        instructions: None,
        command_id: None,
    };
    desk.client.call::<Compact>(&params).await.unwrap();
    desk.watch.until("compact").await;
    let project = desk
        .daemon
        .project()
        .display()
        .to_string()
        .replace('/', "-");
    let checkpoint = format!(".claude/projects/{project}/memory/checkpoint.md");
    let checkpoint = fs::read_to_string(user(&desk).join(checkpoint)).unwrap();
    assert!(checkpoint.contains("- Active: Yes (login)"), "{checkpoint}");
}

#[tokio::test]
async fn questions_are_shown_and_stay_with_the_user() {
    let Some((mut desk, added)) = pipeline("ask", "review\n").await else {
        return;
    };
    let named = "its `allow` answers no question without `mayAllow`";
    assert!(added.contains(named), "{added}");
    let mut told = NamedPipe::new(&user(&desk).join("told"));
    let ask = ScriptedChat::default()
        .tool_call("call_1", "Bash", r#"{"command": "npm test"}"#)
        .finish("tool_calls");
    desk.model.answer(ask);
    send(&desk.client, desk.id, "Test it.").await;
    let asked = desk.watch.until("permission_request").await.pop().unwrap();
    told.line().await;
    let params = RespondPermissionParams {
        session_id: desk.id,
        request_id: serde_json::from_value(asked["requestId"].clone()).unwrap(),
        decision: PermissionDecision::Deny,
        reason: None,
        command_id: None,
    };
    desk.client
        .call::<RespondPermission>(&params)
        .await
        .unwrap();
    desk.until_done().await;
    told.line().await;
    let shown = fs::read_to_string(user(&desk).join("shown")).unwrap();
    let shown: Vec<&str> = shown.lines().collect();
    assert!(
        shown[0].starts_with("Permission Approval Required: Bash asks"),
        "{shown:?}"
    );
    assert_eq!(shown[1], "Claude Task Complete: The turn has ended.");
}

#[tokio::test]
async fn a_written_file_is_formatted_later_and_a_session_ends_with_a_warning() {
    let Some((mut desk, _)) = pipeline("full", "plan\n").await else {
        return;
    };
    let mut told = NamedPipe::new(&user(&desk).join("told"));
    let input = json!({"path": "a.py", "content": "x=1"});
    let (_, result) = call(&mut desk, "Write", &input).await;
    assert!(!result.contains("E_"), "{result}");
    told.line().await;
    let written = fs::read_to_string(desk.daemon.project().join("a.py"));
    assert_eq!(written.unwrap(), "formatted\n");

    let params = DeleteSessionParams {
        session_id: desk.id,
        children: None,
        now: None,
        command_id: None,
    };
    desk.client.call::<DeleteSession>(&params).await.unwrap();
    let warning = "SELFISH PIPELINE: Session ending with feature 'login' incomplete.";
    until(|| logged(&desk.daemon).contains(warning)).await;
}
