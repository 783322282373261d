//! Taking over the servers of other agents.

use std::fs;

use scorel_testkit::DaemonUnderTest;
use serde_json::Value;

use crate::under_test::{SCORELD, scorelctl};

#[tokio::test]
async fn servers_are_shown_then_written_and_their_secrets_are_not() {
    let daemon = DaemonUnderTest::new(SCORELD);
    let user = daemon.root().join("user");
    let codex = "[mcp_servers.docs]\nurl = 'https://docs.example/mcp'\n";
    for (path, text) in [
        (
            ".claude.json",
            r#"{"mcpServers": {"My DB": {"command": "db", "env": {"DB_TOKEN": "hunter2!", "LANG": "C"}}}}"#,
        ),
        (".codex/config.toml", codex),
        (
            ".gemini/settings.json",
            r#"{"mcpServers": {"docs": {"command": "x"}, "old": {"url": "http://a/"}}}"#,
        ),
        (".claude/settings.json", "{"),
    ] {
        let path = user.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let home = user.to_str().unwrap();
    let run = async |arguments: &[&str]| scorelctl(&daemon, arguments, &[("HOME", home)]).await;
    let shown = run(&["--json", "mcp", "import"]).await;
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    let servers = shown["servers"].as_array().unwrap();
    let told: Vec<_> = servers
        .iter()
        .map(|it| (it["name"].as_str().unwrap(), it["state"].as_str().unwrap()))
        .collect();
    assert_eq!(told, [("my-db", "would add"), ("docs", "would add")]);
    let notes = shown["notes"].to_string();
    for note in [
        "`DB_TOKEN`",
        "another of this name",
        "sse",
        "settings.json",
        "--write",
    ] {
        assert!(notes.contains(note), "{note}: {notes}");
    }
    assert!(!notes.contains("hunter2!"));
    let config = daemon.home().join("config.toml");
    assert!(
        !fs::read_to_string(&config)
            .unwrap_or_default()
            .contains("my-db")
    );
    let written = run(&["mcp", "import", "--write"]).await;
    let written = String::from_utf8(written.stdout).unwrap();
    assert!(written.contains("added: my-db  db"), "{written}");
    let kept = fs::read_to_string(&config).unwrap();
    assert!(
        kept.contains("DB_TOKEN") && kept.contains("docs.example"),
        "{kept}"
    );
    assert!(!kept.contains("hunter2!"), "{kept}");
    let again = run(&["mcp", "import", "--write"]).await;
    let again = String::from_utf8(again.stdout).unwrap();
    assert!(again.contains("there already: docs"), "{again}");
}
