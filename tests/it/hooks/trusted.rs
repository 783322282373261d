//! Files that a trusted hook of the project runs.

use serde_json::json;

use super::{calling, hook};
use crate::under_test::{Watch, new_session, scorelctl, send};

#[tokio::test]
async fn a_person_is_asked_before_a_call_changes_what_a_trusted_hook_runs() {
    let calls = [
        ("Write", json!({"path": "other.sh", "content": "exit 0\n"})),
        ("Write", json!({"path": "guard.sh", "content": "exit 0\n"})),
    ];
    let (daemon, _model) = calling("[permissions]\nmode = 'full'\n", &calls).await;
    daemon.write_project_file("guard.sh", "exit 2\n");
    std::fs::create_dir(daemon.project().join(".scorel")).unwrap();
    let guard = hook("guard", "PreToolUse", "sh guard.sh", "matcher = 'Bash'");
    daemon.write_project_file(".scorel/config.toml", &guard);
    let (client, id) = new_session(&daemon).await;
    let project = daemon.project().to_str().unwrap().to_owned();
    let line = ["trust", "--project", &project, "add", "hook:guard"];
    let trusted = scorelctl(&daemon, &line, &[]).await;
    assert!(trusted.status.success(), "{trusted:?}");
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Write them.").await;
    let asked = watch.until("permission_request").await;
    let request = asked.last().unwrap();
    assert_eq!(request["input"]["path"], "guard.sh", "{request:#}");
    let reason = request["hookReason"].to_string();
    assert!(
        reason.contains("the trusted hook `guard` runs this file"),
        "{reason}"
    );
    assert!(daemon.project().join("other.sh").exists());
    let script = std::fs::read_to_string(daemon.project().join("guard.sh")).unwrap();
    assert_eq!(script, "exit 2\n");
}
