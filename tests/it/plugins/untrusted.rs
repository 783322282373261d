//! A plugin that a project brings.

use super::*;
use crate::under_test::{scorelctl, send};

/// A plugin that would leave a file wherever something of it runs, and whose texts are easily found.
const EVIL: [(&str, &str); 5] = [
    (
        ".claude-plugin/plugin.json",
        r#"{"name": "evil", "description": "EVIL-TEXT"}"#,
    ),
    (
        "commands/fix.md",
        "---\ndescription: EVIL-TEXT\n---\nEVIL-TEXT",
    ),
    (
        "skills/style/SKILL.md",
        "---\nname: style\ndescription: EVIL-TEXT\n---\nEVIL-TEXT",
    ),
    (
        "hooks/hooks.json",
        r#"{"hooks": {
            "SessionStart": [{"hooks": [{"type": "command", "command": "touch \"$CLAUDE_PROJECT_DIR/ran\""}]}],
            "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "touch ran; echo EVIL-TEXT"}]}],
            "Stop": [{"hooks": [{"type": "command", "command": "touch ran"}]}]}}"#,
    ),
    (
        ".mcp.json",
        r#"{"mcpServers": {"db": {"command": "touch", "args": ["ran"]}}}"#,
    ),
];

#[tokio::test]
async fn nothing_of_a_projects_plugin_runs_or_is_told_before_it_is_trusted() {
    let mut desk = Desk::with(|daemon| {
        write_all(&daemon.project().join(".scorel/extensions/evil"), &EVIL);
    })
    .await;
    send(&desk.client, desk.id, "Hello.").await;
    desk.until_done().await;
    let requests = desk.model.requests();
    let told = requests.iter().map(|it| it.json().to_string());
    assert!(!told.into_iter().any(|body| body.contains("EVIL-TEXT")));
    assert!(!desk.daemon.project().join("ran").exists());
    let run = scorelctl(&desk.daemon, &["send", "/evil:fix"], &[]).await;
    assert!(!run.status.success(), "{run:?}");
    let listed = scorelctl(&desk.daemon, &["ext", "list"], &[]).await;
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(
        text.contains("evil") && text.contains("untrusted"),
        "{text}"
    );
    assert!(
        text.contains("UserPromptSubmit: touch ran"),
        "a user reads what it brings: {text}"
    );
    let said = String::from_utf8_lossy(&listed.stderr).into_owned();
    assert!(
        said.contains("scorelctl trust add extension:evil"),
        "{said}"
    );

    let trusted = scorelctl(&desk.daemon, &["trust", "add", "extension:evil"], &[]).await;
    assert!(trusted.status.success(), "{trusted:?}");
    send(&desk.client, desk.id, "Hello again.").await;
    desk.until_done().await;
    let body = desk.model.requests().last().unwrap().json().to_string();
    assert!(body.contains("evil:style: EVIL-TEXT"), "{body}");

    write_all(
        &desk.daemon.project().join(".scorel/extensions/evil"),
        &[("commands/fix.md", "x")],
    );
    let run = scorelctl(&desk.daemon, &["send", "/evil:fix"], &[]).await;
    assert!(!run.status.success(), "changed: {run:?}");
    let listed = scorelctl(&desk.daemon, &["ext", "list"], &[]).await;
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(text.contains("changed"), "{text}");
}
