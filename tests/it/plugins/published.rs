//! Whole plugins from npm, as they are: `tests/guards` pins them.

use serde_json::json;

use super::*;
use crate::under_test::{scorelctl, send};

/// The package below `tests/guards`, or `None` with the reason printed: it is fetched by `.ci/run`.
fn package(name: &str) -> Option<std::path::PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("guards/node_modules")
        .join(name);
    if path.is_dir() {
        return Some(path);
    }
    assert!(
        std::env::var("CI").as_deref() != Ok("true") || !has_npm(),
        "{name} is missing: `npm ci --ignore-scripts --prefix tests/guards`"
    );
    println!("skipped: {name} is not installed");
    None
}

fn has_npm() -> bool {
    let asked = std::process::Command::new("npm").arg("--version").output();
    asked.is_ok_and(|it| it.status.success())
}

/// Adds a package to the home by one command of ours. Returns the name that the model's turns see.
pub(crate) async fn add(daemon: &DaemonUnderTest, name: &str) -> Option<String> {
    let package = package(name)?;
    let added = scorelctl(daemon, &["ext", "add", package.to_str().unwrap()], &[]).await;
    assert!(added.status.success(), "{added:?}");
    Some(String::from_utf8(added.stdout).unwrap())
}

/// The result of a call that the model makes.
pub(super) async fn call(desk: &mut Desk, tool: &str, input: &Value) -> (Vec<Value>, String) {
    let call = ScriptedChat::default()
        .tool_call("call_1", tool, &input.to_string())
        .finish("tool_calls");
    desk.model.answer(call);
    send(&desk.client, desk.id, "Do it.").await;
    let events = desk.until_done().await;
    let result = events.iter().find(|it| it["message"]["toolName"] == tool);
    let text = result.unwrap()["message"].to_string();
    (events, text)
}

#[tokio::test]
async fn the_hooks_of_selfish_pipeline_do_what_its_readme_says() {
    let mut desk =
        Desk::with(|daemon| daemon.configure_more("\n[permissions]\nmode = \"full\"\n")).await;
    let Some(added) = add(&desk.daemon, "selfish-pipeline").await else {
        return;
    };
    for part in [
        "selfish: a plugin of Claude Code",
        "/selfish:auto",
        "commands with `user-invocable: false` (analyze, clarify, tasks)",
        "agents (selfish-architect, selfish-security)",
        "hooks of type `agent` are not run",
        "`TaskCompleted`: not taken over, there is no such event here",
        "`ConfigChange`: not taken over, there is no such event here",
        "`TeammateIdle`: not taken over, there is no such event here",
        "bin/ (cli)",
    ] {
        assert!(added.contains(part), "{part}\n{added}");
    }
    let project = desk.daemon.project();
    write_all(
        &project,
        &[
            (".claude/.selfish-active", "login\n"),
            (".claude/.selfish-phase", "plan\n"),
        ],
    );
    let (events, result) = call(&mut desk, "Bash", &json!({"command": "git reset --hard"})).await;
    assert!(
        result.contains("SELFISH GUARD: git reset --hard is blocked"),
        "{result}"
    );
    assert!(
        !events.iter().any(|it| it["type"] == "tool_started"),
        "the call never ran"
    );
    let (_, result) = call(&mut desk, "Bash", &json!({"command": "echo fine"})).await;
    assert!(result.contains("fine"), "{result}");
    let (_, result) = call(
        &mut desk,
        "Write",
        &json!({"path": "src/a.txt", "content": "x"}),
    )
    .await;
    assert!(!result.contains("E_"), "{result}");
    let log = fs::read_to_string(project.join(".claude/.selfish-changes.log")).unwrap();
    assert!(log.contains("src/a.txt"), "{log}");

    let sent = scorelctl(&desk.daemon, &["send", "/selfish:spec a login page"], &[]).await;
    assert!(sent.status.success(), "{sent:?}");
    assert!(desk.asked("a login page"), "{:?}", desk.texts());
}

#[tokio::test]
async fn a_guard_that_cannot_start_denies_and_says_why() {
    let node = std::process::Command::new("node").arg("--version").output();
    let Ok(node) = node else {
        println!("skipped: node is not installed");
        return;
    };
    let version = String::from_utf8_lossy(&node.stdout).into_owned();
    let is_old = version
        .trim_start_matches('v')
        .split('.')
        .next()
        .and_then(|it| it.parse().ok());
    let mut desk =
        Desk::with(|daemon| daemon.configure_more("\n[permissions]\nmode = \"full\"\n")).await;
    let Some(added) = add(&desk.daemon, "@coo-quack/sensitive-canary").await else {
        return;
    };
    assert!(
        added.contains("sensitive-canary: a plugin of Claude Code"),
        "{added}"
    );
    fs::write(desk.daemon.project().join("notes.txt"), "nothing secret\n").unwrap();
    let (_, result) = call(&mut desk, "Read", &json!({"path": "notes.txt"})).await;
    match is_old {
        Some(0..22) => {
            for part in ["E_HOOK_FAILED", "sensitive-canary-", "bad option"] {
                assert!(result.contains(part), "{part}: {result}");
            }
        }
        _ => assert!(result.contains("nothing secret"), "{result}"),
    }
}
