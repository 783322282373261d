//! Calls that a hook denies or changes, and results that one adds to.

use scorel_proto::{PermissionDecision, RespondPermission, RespondPermissionParams};
use scorel_testkit::CANARY;
use serde_json::{Value, json};

use super::{calling, hook, records, results, turn, writing};
use crate::under_test::{Watch, connect, new_session, send};

#[tokio::test]
async fn a_denied_call_is_never_begun_whatever_its_spelling() {
    let guard = r#"grep -q '"command":"rm' && { echo "no rm here" >&2; exit 2; }; exit 0"#;
    let hooks = hook("guard", "PreToolUse", guard, "matcher = 'Bash'");
    let calls = [
        ("Bash", json!({"command": "rm -rf x"})),
        ("bash", json!({"cmd": "rm -rf x"})),
    ];
    let (daemon, _model) = calling(&hooks, &calls).await;
    let id = turn(&daemon).await;
    let log = daemon.log(&id.to_string());
    let denied = "E_HOOK_DENIED: not run: guard: no rm here";
    assert_eq!(results(&log), [denied, denied]);
    assert!(records(&log, "tool_started").is_empty());
}

#[tokio::test]
async fn a_changed_input_that_fits_no_tool_is_denied_and_names_its_hook() {
    let change = |name: &str, input: &str| {
        let answer = format!(r#"{{"hookSpecificOutput": {{"updatedInput": {input}}}}}"#);
        let rule = format!("if = 'Write({name}.txt)'");
        hook(name, "PreToolUse", &format!("echo '{answer}'"), &rule)
    };
    let hooks = change("number", r#"{"content": 7}"#)
        + &change("unknown", r#"{"colour": "red"}"#)
        + &change("removed", r#"{"content": null}"#)
        + &change("list", "[1]");
    let names = ["number", "unknown", "removed", "list"];
    let calls = names.map(|name| (format!("{name}.txt"), "asked"));
    let (daemon, _model) = writing(&hooks, &calls).await;
    let id = turn(&daemon).await;
    let log = daemon.log(&id.to_string());
    let results = results(&log);
    for (name, result) in names.iter().zip(&results) {
        let begin = format!("E_HOOK_FAILED: not run: {name}: ");
        assert!(result.starts_with(&begin), "{result}");
        assert!(!daemon.project().join(format!("{name}.txt")).exists());
    }
    for (result, part) in results.iter().zip(["content", "colour", "content"]) {
        let fit = result.contains("its arguments for the call do not fit: ");
        assert!(fit && result.contains(part), "{result}");
    }
    assert_eq!(results.len(), names.len());
    assert!(records(&log, "tool_started").is_empty());
}

#[tokio::test]
async fn a_changed_input_is_asked_about_and_run_also_after_a_kill() {
    let change = r#"echo run >> runs.txt; echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "permissionDecision": "ask", "permissionDecisionReason": "it looks odd",
        "updatedInput": {"content": "changed"}}}'"#;
    let hooks = hook("change", "PreToolUse", change, "matcher = 'Write|Edit'");
    let (mut daemon, _model) = writing(&hooks, &[("out.txt".to_owned(), "asked")]).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Write it.").await;
    let asked = watch.until("permission_request").await;
    let request = asked.last().unwrap().clone();
    assert!(
        request["hookReason"].to_string().contains("it looks odd"),
        "{request}"
    );
    assert_eq!(request["changedBy"], json!(["change"]), "{request}");
    daemon.kill().await;
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    let mut watch = Watch::from_start(&client, id).await;
    watch.until("sync_end").await;
    let params = RespondPermissionParams {
        session_id: id,
        request_id: serde_json::from_value(request["requestId"].clone()).unwrap(),
        decision: PermissionDecision::Once,
        reason: None,
        command_id: None,
    };
    client.call::<RespondPermission>(&params).await.unwrap();
    watch.until("turn_outcome").await;
    let written = std::fs::read_to_string(daemon.project().join("out.txt")).unwrap();
    assert_eq!(written, "changed");
    let runs = std::fs::read_to_string(daemon.project().join("runs.txt")).unwrap();
    assert_eq!(runs, "run\n", "the hook has looked at the call once");
    let log = daemon.log(&id.to_string());
    let started = records(&log, "tool_started");
    assert_eq!(started.len(), 1);
    assert_eq!(started[0]["input"]["content"], "changed", "{}", started[0]);
    assert_eq!(started[0]["changedBy"], json!(["change"]));
}

#[tokio::test]
async fn a_hook_after_a_call_adds_to_its_result_and_sees_no_secret() {
    let look = r#"env > env.txt; tr '\0' ' ' < /proc/self/cmdline >> env.txt; cat > seen.json
        echo '{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "formatted it"}}'"#;
    let hooks = hook("look", "PostToolUse", look, "matcher = 'Write'");
    let (daemon, _model) = writing(&hooks, &[("out.txt".to_owned(), "x")]).await;
    let id = turn(&daemon).await;
    let result = results(&daemon.log(&id.to_string())).remove(0);
    assert!(result.ends_with("[hook look] formatted it"), "{result}");
    let read = |name: &str| std::fs::read_to_string(daemon.project().join(name)).unwrap();
    let seen: Value = serde_json::from_str(&read("seen.json")).unwrap();
    let path = daemon.project().join("out.txt").canonicalize().unwrap();
    assert_eq!(seen["tool_input"]["file_path"], path.to_str().unwrap());
    assert_eq!(seen["hook_event_name"], "PostToolUse");
    assert_eq!(seen["scorel"]["input"]["path"], "out.txt");
    assert_eq!(seen["tool_response"]["success"], true);
    let environment = read("env.txt");
    assert!(environment.contains("CLAUDE_PROJECT_DIR="), "{environment}");
    assert!(!environment.contains(CANARY), "{environment}");
    assert!(!seen.to_string().contains(CANARY));
}
