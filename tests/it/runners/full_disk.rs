//! Runners whose turn meets a full disk.

use std::fs;

use scorel_testkit::{DaemonUnderTest, ModelServer};

use super::double::script_runner;
use super::pipes::NamedPipe;
use super::{answer_of, only, send_to};
use crate::full_disk::{cannot_mount, fill, inside, spawn_on_small_disk};
use crate::under_test::{SCORELD, Watch, connect, create_session, session};

/// Waits in the middle of its answer, and logs something at its end.
const WAITING: &str = "echo begun; read -r _ <go; echo ended; echo 'a log' >&2";

/// The log of the runner is a blob, which is stored before the record that names it.
#[tokio::test(flavor = "multi_thread")]
async fn the_answer_and_the_log_of_a_runner_wait_for_a_full_disk() {
    if let Some(reason) = cannot_mount() {
        println!("skipped: no file system of our own: {reason}");
        return;
    }
    let model = ModelServer::start().await.unwrap();
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.configure_more(&script_runner(
        "waits",
        "command",
        WAITING,
        "trustOwn = true",
    ));
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
    while session(&client, id).await.storage_stalled.is_none() {
        tokio::task::yield_now().await;
    }
    fs::remove_file(filler).unwrap();

    let events = watch.until("turn_outcome").await;
    assert_eq!(only(&events, "turn_outcome")["reason"], "completed");
    let text = &answer_of(&events)["message"]["content"][0]["text"];
    assert_eq!(text, "begun\nended\n");
    let exit = only(&events, "runner_exit");
    assert_eq!(
        (&exit["code"], &exit["log"]["bytes"]),
        (&0.into(), &6.into())
    );
}
