//! A login shell whose start-up files take long.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};
use scorel_proto::{Cancel, CancelParams, GetSession, GetSessionParams, SessionId};
use scorel_testkit::ScriptedChat;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::Stage;
use crate::under_test::{PATIENCE, Watch, connect, new_session, send};

/// Less than the ten seconds that the shell has.
const CONFIG: &str = "[permissions]\nmode = \"full\"\n[service]\nparkSeconds = 5\n";

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

/// A turn whose call needs the shell: a daemon that a service manager has started, as this one, has no umask
/// of the user's.
async fn with_call(
    (name, input): (&str, Value),
) -> (
    Stage,
    scorel_client::Connection,
    scorel_proto::SessionId,
    Watch,
) {
    let stage = Stage::new(CONFIG, PROFILE).await;
    let call = ScriptedChat::default().tool_call("call_a", name, &input.to_string());
    stage
        .model
        .answer(call.finish("tool_calls"))
        .fallback(ScriptedChat::default().text("Done.").finish("stop"));
    let (client, id) = new_session(&stage.daemon).await;
    let watch = Watch::from_start(&client, id).await;
    send(&client, id, "Do it.").await;
    (stage, client, id, watch)
}

async fn with_command() -> (
    Stage,
    scorel_client::Connection,
    scorel_proto::SessionId,
    Watch,
) {
    with_call(("Bash", json!({ "command": "true" }))).await
}

/// The calls that need the shell.
fn calls() -> [(&'static str, Value); 3] {
    [
        ("Bash", json!({ "command": "touch made" })),
        (
            "Bash",
            json!({ "command": "touch made", "background": true }),
        ),
        ("Write", json!({ "path": "made", "content": "x" })),
    ]
}

async fn problem(client: &scorel_client::Connection, session_id: SessionId) -> Option<String> {
    let params = GetSessionParams { session_id };
    let found = client.call::<GetSession>(&params).await.unwrap();
    found.session.problem
}

#[tokio::test]
async fn a_cancel_does_not_wait_for_it() {
    for call in calls() {
        let (stage, client, session_id, mut watch) = with_call(call).await;
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
}

/// The turn is at a boundary: its call has not started, and the next daemon runs it.
#[tokio::test]
async fn a_restart_does_not_wait_for_it() {
    for call in calls() {
        let (mut stage, client, id, _watch) = with_call(call).await;
        let home = user_home(&stage);
        let mut go = waiting_shell(&home).await;
        stage.daemon.park().await;
        drop(client);
        let log = stage.daemon.log(&id.to_string());
        assert_eq!(log.last().unwrap()["kind"], "restart", "{log:?}");
        assert!(
            log.iter().all(|line| line["type"] != "tool_started"),
            "{log:?}"
        );
        // The shell of the first daemon has ended: it may not take what is for the second one's.
        _ = go.write_all(b"\n");
        std::fs::write(home.join(".bash_profile"), "").unwrap();
        stage.daemon.spawn().await;
        let client = connect(&stage.daemon.socket()).await;
        let mut watch = Watch::from_start(&client, id).await;
        let items = watch.until("turn_outcome").await;
        assert_eq!(items.last().unwrap()["reason"], "completed");
        until(|| stage.daemon.project().join("made").exists().then_some(())).await;
    }
}

#[tokio::test]
async fn the_session_says_that_it_is_waited_for() {
    let (stage, client, id, mut watch) = with_command().await;
    let mut go = waiting_shell(&user_home(&stage)).await;
    let mut changes = client.subscribe_host().await.unwrap();
    let told = loop {
        if let Some(problem) = problem(&client, id).await {
            break problem;
        }
        let change = timeout(PATIENCE, changes.next()).await;
        change.unwrap().expect("the subscription goes on");
    };
    assert!(told.contains("login shell /bin/bash"), "{told}");
    go.write_all(b"\n").unwrap();
    watch.until("tool_started").await;
    assert_eq!(problem(&client, id).await, None);
    watch.until("turn_outcome").await;
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
