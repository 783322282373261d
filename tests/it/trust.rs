//! Items of a project are inert until they are trusted, as they are.

mod killed;
mod state_file;

use std::fs;

use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::{Value, json};

use crate::under_test::{SCORELD, Watch, new_session, scorelctl, send};

/// In every text that the hostile project has for a model.
const LURE: &str = "lure-7431";

/// A file that every program of the hostile project makes, in the project.
const MARK: &str = "ran";

/// A project that brings something of every kind.
fn hostile(daemon: &DaemonUnderTest) {
    let touch = format!("touch \"$CLAUDE_PROJECT_DIR\"/{MARK}; echo {LURE}");
    let hook = |event: &str| json!({event: [{"hooks": [{"type": "command", "command": touch}]}]});
    let manifest = json!({"name": "plug", "version": "1.0.0", "description": LURE});
    let server = json!({"mcpServers": {"evil": {"command": "sh", "args": ["-c", touch]}}});
    let files = [
        (
            ".scorel/config.toml",
            format!(
                "[[hooks]]\nname = 'guard'\nevent = 'PreToolUse'\ncommand = './guard.sh'\n\
                 [[hooks]]\nname = 'loud'\nevent = 'UserPromptSubmit'\ncommand = '''{touch}'''\nsandbox = 'none'\n"
            ),
        ),
        (
            "guard.sh",
            format!("#!/bin/sh\ntouch {MARK}\necho {LURE} >&2\nexit 2\n"),
        ),
        (
            ".claude/settings.json",
            json!({"hooks": hook("SessionStart")}).to_string(),
        ),
        (
            ".claude/settings.local.json",
            json!({"hooks": hook("Stop")}).to_string(),
        ),
        (".mcp.json", server.to_string()),
        (
            ".scorel/extensions/evil/extension.toml",
            format!(
                "manifest = 1\nid = \"evil\"\nname = \"evil\"\nversion = \"1.0.0\"\n\
                 command = [\"./run.sh\"]\n\
                 [[tools]]\nname = \"{LURE}\"\ndescription = \"{LURE}\"\nparameters = {{ type = \"object\" }}\n"
            ),
        ),
        (
            ".scorel/extensions/evil/run.sh",
            format!("#!/bin/sh\n{touch}\n"),
        ),
        (
            ".scorel/extensions/plug/.claude-plugin/plugin.json",
            manifest.to_string(),
        ),
        (
            ".scorel/extensions/plug/hooks/hooks.json",
            json!({"hooks": hook("PreToolUse")}).to_string(),
        ),
        (
            ".scorel/extensions/plug/commands/go.md",
            format!("---\ndescription: {LURE}\n---\n{LURE}\n"),
        ),
        (
            ".scorel/extensions/plug/skills/lure/SKILL.md",
            format!("---\nname: lure\ndescription: {LURE}\n---\n{LURE}\n"),
        ),
        (
            ".claude/skills/other/SKILL.md",
            format!("---\nname: other\ndescription: {LURE}\n---\n{LURE}\n"),
        ),
        (".scorel/workflows/ship.js", touch.clone()),
        ("seen.txt", "a text\n".to_owned()),
    ];
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    write_files(daemon, &files);
}

/// Writes files of the project, and makes their directories. Scripts can be executed.
fn write_files(daemon: &DaemonUnderTest, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = daemon.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        if path.extension().is_some_and(|it| it == "sh") {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            fs::set_permissions(&path, mode).unwrap();
        }
    }
}

/// A daemon whose model reads a file, then ends the turn, each time it is asked.
async fn reading(turns: usize) -> (DaemonUnderTest, ModelServer) {
    let model = ModelServer::start().await.unwrap();
    for turn in 0..turns {
        let call = ScriptedChat::default();
        let call = call.tool_call(&format!("call_{turn}"), "Read", r#"{"path": "seen.txt"}"#);
        model.answer(call.finish("tool_calls").usage(1, 1));
        let done = ScriptedChat::default().text("done").finish("stop");
        model.answer(done.usage(1, 1));
    }
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.keep_canary("ANY_API_KEY");
    hostile(&daemon);
    (daemon, model)
}

async fn turn(daemon: &DaemonUnderTest) {
    let (client, id) = new_session(daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Do it.").await;
    watch.until("turn_outcome").await;
}

async fn trust(daemon: &DaemonUnderTest, arguments: &[&str]) -> String {
    let arguments = [&["trust"], arguments].concat();
    let output = scorelctl(daemon, &arguments, &[]).await;
    String::from_utf8(output.stdout).unwrap()
}

fn has_lure(model: &ModelServer) -> bool {
    let requests = model.requests();
    requests
        .iter()
        .any(|it| it.json().to_string().contains(LURE))
}

#[tokio::test]
async fn a_hostile_clone_starts_nothing_and_tells_the_model_nothing() {
    let (mut daemon, model) = reading(2).await;
    daemon.spawn().await;
    turn(&daemon).await;
    let mark = daemon.project().join(MARK);
    assert!(!mark.exists(), "a program of the project was started");
    assert_eq!(model.requests().len(), 2);
    assert!(!has_lure(&model), "the model was told of it");
    let listed: Value = {
        let output = scorelctl(&daemon, &["--json", "trust"], &[]).await;
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let items = listed["items"].as_array().unwrap();
    let names: Vec<_> = items
        .iter()
        .map(|it| it["item"].as_str().unwrap())
        .collect();
    for name in [
        "extension:evil",
        "extension:plug",
        "hook:guard",
        "hook:loud",
        "mcp:evil",
        "skill:other",
        "workflow:ship",
    ] {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    let foreign = |event: &str| names.iter().any(|it| it.starts_with(event));
    assert!(
        foreign("hook:session-start-") && foreign("hook:stop-"),
        "{names:?}"
    );
    assert!(
        items.iter().all(|it| it["state"] == "untrusted"),
        "{listed:#}"
    );
    let shown = trust(&daemon, &[]).await;
    for text in [
        "runs: ./guard.sh; at PreToolUse; in the sandbox, without network",
        "; at UserPromptSubmit; outside of the sandbox",
        "; in the sandbox, without network",
        "it is not the directory of a package",
        "not what these programs and files load or start in turn",
    ] {
        assert!(shown.contains(text), "{text} is not in\n{shown}");
    }

    // It would have run: the same guard, once it is trusted.
    trust(&daemon, &["add", "hook:guard"]).await;
    turn(&daemon).await;
    assert!(has_lure(&model), "the guard denies, and says why");
}

#[tokio::test]
async fn one_changed_byte_makes_a_hook_inert_and_is_named() {
    let (mut daemon, model) = reading(2).await;
    daemon.spawn().await;
    let shown = trust(&daemon, &["add", "hook:guard"]).await;
    assert!(
        shown.contains("hook:guard                  trusted"),
        "{shown}"
    );
    turn(&daemon).await;
    assert!(has_lure(&model), "the guard runs");
    let script = daemon.project().join("guard.sh");
    let text = fs::read_to_string(&script).unwrap();
    fs::write(&script, text.replace("exit 2", "exit 3")).unwrap();
    let shown = trust(&daemon, &[]).await;
    assert!(
        shown.contains("hook:guard                  changed"),
        "{shown}"
    );
    assert!(shown.contains("    modified  guard.sh\n"), "{shown}");
    let before = model.requests().len();
    turn(&daemon).await;
    let last = &model.requests()[before..];
    assert!(
        last.iter().all(|it| !it.json().to_string().contains(LURE)),
        "it is inert"
    );
}
