//! Runners whose turn meets a full disk.

use std::fs;

use tokio::time::timeout;

use super::double::script_runner;
use super::pipes::NamedPipe;
use super::{answer_of, only, send_to};
use crate::full_disk::{configured, fill, inside, spawn_on_small_disk};
use crate::under_test::{PATIENCE, Watch, connect, create_session, session};

/// Waits in the middle of its answer. The rest of it is short, since a full disk still takes what fits into
/// the last page of the session's log; the runner's log is long, so that its blob has no room.
const WAITING: &str = "echo begun; read -r _ <go; echo ended; seq 50000 >&2";

/// The log of the runner is a blob, which is stored before the record that names it.
#[tokio::test(flavor = "multi_thread")]
async fn the_answer_and_the_log_of_a_runner_wait_for_a_full_disk() {
    let Some((_model, mut daemon)) = configured().await else {
        return;
    };
    let runner = script_runner("waits", "command", WAITING, "trustOwn = true");
    daemon.configure_more(&runner);
    let socket = spawn_on_small_disk(&mut daemon).await;
    let client = connect(&socket).await;
    let id = create_session(&client, &daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    let mut go = NamedPipe::make(&daemon.project().join("go"));
    send_to(&client, id, "waits", "go").await;
    watch.until("text_delta").await;

    let filler = inside(&daemon, &daemon.home().join("filler"));
    fill(&filler);
    go.write_line().await;
    let stalled = async {
        while session(&client, id).await.storage_stalled.is_none() {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, stalled).await.expect("it waits");
    fs::remove_file(filler).unwrap();

    let events = watch.until("turn_outcome").await;
    assert_eq!(only(&events, "turn_outcome")["reason"], "completed");
    let answer = answer_of(&events);
    let text = answer["message"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(text, "begun\nended\n");
    let exit = only(&events, "runner_exit");
    assert_eq!(exit["code"], 0);
    assert!(exit["log"]["bytes"].as_u64().unwrap() > 4096, "{exit}");
}
