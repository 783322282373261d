//! Commands outside the sandbox, and commands that it stopped.

use std::path::Path;

use scorel_proto::PermissionDecision;
use serde_json::{Value, json};

use super::Calls;
use crate::under_test::has_sandbox;

const REASON: &str = "it writes to the shared directory";

fn touch(path: &Path) -> String {
    format!("touch {}", path.display())
}

fn outside(command: &str) -> (&'static str, Value) {
    let input = json!({ "command": command, "outside": true, "reason": REASON });
    ("Bash", input)
}

#[tokio::test]
async fn a_stopped_command_is_told_its_wish_and_runs_outside_after_a_yes() {
    if !has_sandbox() {
        return;
    }
    let shared = tempfile::tempdir().unwrap();
    let file = shared.path().canonicalize().unwrap().join("made");
    let rules = "[permissions]\nallow = [\"Bash(touch *)\"]\n";
    let calls = Calls::new(rules).await;
    let sandboxed = ("Bash", json!({ "command": touch(&file) }));
    let answered = calls.play(&[sandboxed], PermissionDecision::Deny).await;
    let stopped = answered.error(0);
    assert!(
        stopped.contains("the sandbox may have stopped this"),
        "{stopped}"
    );
    assert!(stopped.contains("`outside: true`"), "{stopped}");
    let denied = &answered.results[0]["details"]["sandboxDenied"];
    assert_eq!(denied["denied"], "write");
    assert_eq!(denied["wish"], "outside");
    assert_eq!(denied["path"], json!(file));

    let wish = outside(&touch(&file));
    let answered = calls
        .play(std::slice::from_ref(&wish), PermissionDecision::Deny)
        .await;
    assert_eq!(answered.asked.len(), 1);
    answered.error(0);
    assert!(!file.exists());
    let answered = calls.play(&[wish], PermissionDecision::Once).await;
    let reason = answered.asked[0]["reason"].as_str().unwrap();
    assert!(reason.contains("outside the sandbox"), "{reason}");
    assert!(reason.contains(REASON), "{reason}");
    let rule = format!("Outside({})", touch(&file));
    assert_eq!(answered.asked[0]["rules"], json!([rule]));
    assert!(
        answered.ok(0).contains("ran unsandboxed"),
        "{}",
        answered.ok(0)
    );
    assert!(file.exists());
}

#[tokio::test]
async fn only_its_own_rule_or_full_runs_it_unasked_and_readonly_never() {
    if !has_sandbox() {
        return;
    }
    let shared = tempfile::tempdir().unwrap();
    let made = |name: &str| shared.path().canonicalize().unwrap().join(name);
    for (name, config, questions, runs) in [
        ("bash", "allow = [\"Bash\"]", 1, false),
        ("words", "allow = [\"Outside(touch *)\"]", 1, false),
        ("rule", "allow = [\"Outside(touch /*)\"]", 0, true),
        ("full", "mode = \"full\"", 0, true),
        (
            "readonly",
            "mode = \"readonly\"\nallow = [\"Outside\"]",
            0,
            false,
        ),
        (
            "denied",
            "mode = \"full\"\ndeny = [\"Outside(touch *)\"]",
            0,
            false,
        ),
    ] {
        let calls = Calls::new(&format!("[permissions]\n{config}\n")).await;
        let call = outside(&touch(&made(name)));
        let answered = calls.play(&[call], PermissionDecision::Deny).await;
        assert_eq!(answered.asked.len(), questions, "{name}");
        assert_eq!(made(name).exists(), runs, "{name}: {:#?}", answered.results);
    }
}
