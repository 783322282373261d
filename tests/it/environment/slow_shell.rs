//! A login shell whose start-up files take long.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};
use scorel_proto::{Cancel, CancelParams};
use scorel_testkit::ScriptedChat;
use serde_json::json;
use tokio::time::timeout;

use super::Stage;
use crate::under_test::{PATIENCE, Watch, new_session, send};

const CONFIG: &str = "[permissions]\nmode = \"full\"\n";

/// Waits for the test, and says when its end has run.
const PROFILE: &str =
    "mkfifo \"$HOME/go\"\ntrap 'touch \"$HOME/ended\"' EXIT\nread -r _ < \"$HOME/go\"\n";

fn user_home(stage: &Stage) -> PathBuf {
    stage.daemon.project().join("../user")
}

async fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let found = timeout(PATIENCE, async {
        loop {
            if let Some(found) = look() {
                return found;
            }
            tokio::task::yield_now().await;
        }
    });
    found.await.unwrap()
}

/// The writing end of what the shell waits for, once it does.
async fn waiting_shell(home: &Path) -> File {
    let mut options = OpenOptions::new();
    options
        .write(true)
        .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    until(|| options.open(home.join("go")).ok()).await
}

async fn with_command() -> (
    Stage,
    scorel_client::Connection,
    scorel_proto::SessionId,
    Watch,
) {
    let stage = Stage::new(CONFIG, PROFILE).await;
    let call = ScriptedChat::default().tool_call(
        "call_a",
        "Bash",
        &json!({"command": "true"}).to_string(),
    );
    stage.model.answer(call.finish("tool_calls"));
    let (client, id) = new_session(&stage.daemon).await;
    let watch = Watch::from_start(&client, id).await;
    send(&client, id, "Do it.").await;
    (stage, client, id, watch)
}

#[tokio::test]
async fn a_cancel_does_not_wait_for_it() {
    let (stage, client, session_id, mut watch) = with_command().await;
    let mut go = waiting_shell(&user_home(&stage)).await;
    let params = CancelParams {
        children: None,
        session_id,
        expected_turn_id: None,
        clear_queue: None,
        command_id: None,
    };
    client.call::<Cancel>(&params).await.unwrap();
    let items = watch.until("turn_outcome").await;
    assert_eq!(items.last().unwrap()["reason"], "cancelled");
    go.write_all(b"\n").expect("the shell still waits");
}

#[tokio::test]
async fn an_interrupt_does_not_wait_for_it() {
    let (mut stage, _client, id, _watch) = with_command().await;
    let home = user_home(&stage);
    let _go = waiting_shell(&home).await;
    let pid = Pid::from_raw(stage.daemon.pid().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    stage.daemon.wait().await;
    let log = stage.daemon.log(&id.to_string());
    let outcome = log.last().unwrap();
    assert_eq!(
        (&outcome["type"], &outcome["reason"]),
        (&json!("turn_outcome"), &json!("interrupted"))
    );
}

#[tokio::test]
async fn it_goes_on_to_its_end_when_the_daemon_is_killed() {
    let (mut stage, _client, _, _watch) = with_command().await;
    let home = user_home(&stage);
    let mut go = waiting_shell(&home).await;
    stage.daemon.kill().await;
    go.write_all(b"\n").expect("the shell still waits");
    until(|| home.join("ended").exists().then_some(())).await;
}
