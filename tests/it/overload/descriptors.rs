//! A daemon that has run out of file descriptors.

use std::process::Command;
use std::time::Duration;

use scorel_testkit::{CheckedLog, DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat};
use tokio::time::timeout;

use crate::raw::RawConnection;
use crate::under_test::{SCORELD, Watch, new_session, send};

/// The number of descriptors that the daemon may still open.
const SPARE: usize = 4;

fn limit_descriptors(daemon: &DaemonUnderTest, count: usize) -> Result<(), String> {
    let pid = daemon.pid().to_string();
    let limit = format!("--nofile={count}:");
    let output = Command::new("prlimit")
        .args(["--pid", &pid, &limit])
        .output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_descriptors_turns_go_on_and_accepting_waits() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    model.answer(
        ScriptedChat::default()
            .text("half ")
            .wait(&gate)
            .text("whole")
            .finish("stop"),
    );
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    let (client, session) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, session).await;
    send(&client, session, "Talk.").await;
    watch.until("text_delta").await;
    if let Err(reason) = limit_descriptors(&daemon, daemon.descriptors() + SPARE) {
        println!("skipped: {reason}");
        return;
    }
    let waiting: Vec<RawConnection> = (0..40).map(|_| RawConnection::connect(&daemon)).collect();
    let before = daemon.cpu_ticks();
    // Nothing must arrive: the model waits, and so must the daemon.
    let quiet = timeout(Duration::from_secs(1), watch.next()).await;
    assert!(quiet.is_err(), "{quiet:?}");
    let used = daemon.cpu_ticks() - before;
    println!("no descriptors: {used} ticks of processor time in a second");
    assert!(used <= 20, "{used} ticks of 100");
    gate.open();
    let seen = watch.until("turn_outcome").await;
    assert_eq!(seen.last().unwrap()["reason"], "completed");
    drop(waiting);
    assert!(
        RawConnection::connect(&daemon).works(),
        "places are free again"
    );
    let log = CheckedLog::read(&daemon.log_path(&session.to_string())).unwrap();
    assert_eq!(log.outcomes().count(), 1);
}
