//! Guards that others have published, after one command: `scorelctl hooks import`.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{calling, records, results, turn};
use crate::under_test::scorelctl;

/// The packages; `None` with a printed reason where they are not installed, which CI does not accept.
fn packages() -> Option<PathBuf> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("guards/node_modules");
    let mut node = Command::new("node");
    let node = node.arg("--version").stdout(Stdio::null());
    let reason = if !dir.join("cc-safety-net").exists() {
        "the packages are not installed: npm ci --prefix tests/guards --ignore-scripts"
    } else if !node.status().is_ok_and(|status| status.success()) {
        "node is not installed"
    } else {
        return Some(dir);
    };
    println!("skipped: {reason}");
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{reason}");
    None
}

#[tokio::test]
async fn published_guards_work_after_one_command() {
    let Some(packages) = packages() else { return };
    let bin = packages.join(".bin");
    let command = |name: &str, more: &str| {
        let line = format!("node '{}'{more}", bin.join(name).display());
        json!({"type": "command", "command": line})
    };
    let settings = json!({"hooks": {"PreToolUse": [
        {"matcher": "Bash", "hooks": [command("cc-safety-net", " hook --claude-code")]},
        {"matcher": "Bash", "hooks": [command("block-no-verify", "")]},
    ], "Stop": [{"hooks": [{"type": "prompt", "prompt": "Is all done?"}]}]}});
    let calls = ["git reset --hard", "git commit --no-verify -m x"];
    let calls = calls.map(|command| ("Bash", json!({"command": command})));
    let (daemon, _model) = calling("", &calls).await;
    let file = daemon.project().join("settings.json");
    std::fs::write(&file, settings.to_string()).unwrap();
    let arguments = ["--json", "hooks", "import", file.to_str().unwrap()];
    let imported = scorelctl(&daemon, &arguments, &[]).await;
    assert!(imported.status.success(), "{imported:?}");
    let imported: Value = serde_json::from_slice(&imported.stdout).unwrap();
    assert_eq!(imported["added"].as_array().unwrap().len(), 2, "{imported}");
    let notes = imported["notes"].to_string();
    assert!(notes.contains("type `prompt` are not run"), "{notes}");
    assert!(notes.contains("a guard that fails denies"), "{notes}");
    let again = scorelctl(&daemon, &arguments, &[]).await;
    let again: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(again["present"], 2, "{again}");

    let id = turn(&daemon).await;
    let log = daemon.log(&id.to_string());
    let results = results(&log);
    assert!(
        results[0].contains("git reset --hard destroys"),
        "{results:?}"
    );
    assert!(
        results[1].contains("--no-verify flag is not allowed"),
        "{results:?}"
    );
    assert!(records(&log, "tool_started").is_empty());
}
