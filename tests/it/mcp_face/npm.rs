//! The npm SDK as client: `tests/mcp` pins it.

use std::path::{Path, PathBuf};
use std::process::Output;

use scorel_testkit::{DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat};
use serde_json::json;
use tokio::process::Command;

use crate::under_test::{
    SCORELCTL, SCORELD, Watch, connect, create_session, daemon, has_sandbox, new_session, output,
    send,
};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/it/mcp_face/sdk.mjs");

/// The directory of the SDK, or `None` with the reason printed: `.ci/run` fetches it.
fn sdk() -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = found.join("mcp/node_modules/@modelcontextprotocol/sdk");
    if found.exists() {
        return Some(found);
    }
    assert_ne!(
        std::env::var("CI").as_deref(),
        Ok("true"),
        "the npm SDK is missing in tests/mcp: `.ci/run` installs it"
    );
    println!("skipped: the npm SDK is not installed");
    None
}

fn client(sdk: &Path, daemon: &DaemonUnderTest) -> Command {
    let mut client = Command::new("node");
    client
        .arg(SCRIPT)
        .arg(sdk)
        .args([SCORELCTL, "--no-start", "mcp", "serve"])
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .env("SCORELD", SCORELD)
        .env("SCOREL_HOME", daemon.home());
    client
}

fn text(output: &Output) -> String {
    let text = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it).into_owned());
    text.concat()
}

#[tokio::test]
async fn a_client_lists_creates_sends_waits_reads_and_cancels() {
    let Some(sdk) = sdk() else { return };
    let model = ModelServer::start().await.unwrap();
    let never = ResponseGate::new();
    let says = |text: &str| {
        ScriptedChat::default()
            .text(text)
            .finish("stop")
            .usage(1, 1)
    };
    model
        .answer(says("hello"))
        .answer(ScriptedChat::default().text("late").wait(&never));
    let daemon = daemon(&model, "").await;
    create_session(&connect(&daemon.socket()).await, &daemon).await;
    let ended = output(&mut client(&sdk, &daemon)).await;
    assert!(ended.status.success(), "{}", text(&ended));
}

#[tokio::test]
async fn a_client_that_a_running_command_starts_is_refused() {
    let Some(sdk) = sdk().filter(|_| has_sandbox()) else {
        return;
    };
    for mode in ["workspace", "full"] {
        let model = ModelServer::start().await.unwrap();
        let mut daemon = DaemonUnderTest::new(SCORELD);
        daemon.configure_model(&model.base_url());
        daemon.configure_more(&format!(
            "[permissions]\nmode = \"{mode}\"\nallow = [\"Bash\"]\ntimeoutSeconds = 1\natTimeout = \"allow\"\n"
        ));
        let home = daemon.home();
        let command = format!(
            "PATH={path:?} node {SCRIPT} {sdk} {SCORELCTL} --no-start --home {home} mcp serve && echo SERVED; echo tried",
            path = std::env::var("PATH").unwrap(),
            sdk = sdk.display(),
            home = home.display(),
        );
        let call = ScriptedChat::default().tool_call(
            "c",
            "Bash",
            &json!({"command": command}).to_string(),
        );
        model.answer(call.finish("tool_calls").usage(1, 1));
        model.fallback(
            ScriptedChat::default()
                .text("Done.")
                .finish("stop")
                .usage(1, 1),
        );
        daemon.spawn().await;
        let (session_client, id) = new_session(&daemon).await;
        let mut watch = Watch::from_start(&session_client, id).await;
        send(&session_client, id, "Do it.").await;
        watch.until("turn_outcome").await;
        let request = model.requests()[1].json();
        let result = request["messages"].as_array().unwrap().last().unwrap();
        let result = result["content"].to_string();
        assert!(
            result.contains("tried") && !result.contains("SERVED"),
            "{mode}: {result}"
        );
        assert!(result.contains("Connection closed"), "{mode}: {result}");
    }
}
