//! Every exit code is reached, and with `--json` each but 0 comes with an error on standard error.

use std::process::{Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use scorel_testkit::{DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat, ScriptedResponse};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::UnixListener;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::under_test::{PATIENCE, SCORELCTL, SCORELD, daemon, scorelctl};

/// Starts `scorelctl --json` with these arguments.
fn started(daemon: &DaemonUnderTest, arguments: &[&str]) -> Child {
    let mut command = Command::new(SCORELCTL);
    command
        .env_clear()
        .env("SCORELD", SCORELD)
        .env("SCOREL_HOME", daemon.home())
        .current_dir(daemon.project())
        .arg("--json")
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command.spawn().unwrap()
}

fn interrupt(child: &Child) {
    let pid = Pid::from_raw(child.id().unwrap().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
}

async fn ended(child: Child) -> Output {
    timeout(PATIENCE, child.wait_with_output())
        .await
        .expect("it ends in time")
        .unwrap()
}

/// The output of a command that ends by itself.
async fn run(daemon: &DaemonUnderTest, arguments: &[&str]) -> Output {
    scorelctl(daemon, &[&["--json"], arguments].concat(), &[]).await
}

/// The code, and the error that says the same.
fn check(output: &Output, exit: i32, code: &str) {
    assert_eq!(output.status.code(), Some(exit), "{output:?}");
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("one object: {text}"));
    let error = value["error"].as_object().unwrap();
    assert_eq!(error["exitCode"], exit, "{text}");
    assert_eq!(error["code"], code, "{text}");
    assert!(!error["message"].as_str().unwrap().is_empty(), "{text}");
    let known = ["code", "message", "exitCode", "hint", "details"];
    assert!(error.keys().all(|key| known.contains(&&**key)), "{text}");
}

#[tokio::test]
async fn commands_that_are_not_accepted_say_why_in_their_exit_code() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let fine = run(&daemon, &["status"]).await;
    assert_eq!(fine.status.code(), Some(0));
    assert!(fine.stderr.is_empty(), "{fine:?}");
    check(&run(&daemon, &["man", "/proc/pages"]).await, 1, "io");
    check(&run(&daemon, &["dance"]).await, 2, "usage");
    check(&run(&daemon, &["show"]).await, 3, "session_not_found");
    let nowhere = ["--home", "/nonexistent/home", "--no-start", "sessions"];
    check(&run(&daemon, &nowhere).await, 7, "unreachable");
    check(&run(&daemon, &["config", "dance"]).await, 2, "usage");
    check(&run(&daemon, &["fsck", "--dance"]).await, 2, "usage");
    check(
        &run(&daemon, &["service", "install"]).await,
        3,
        "other_home",
    );
}

#[tokio::test]
async fn a_turn_that_does_not_end_well_says_so_in_the_exit_code() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    model.answer(ScriptedResponse::json(
        400,
        r#"{"error": {"message": "no such parameter"}}"#,
    ));
    model.answer(ScriptedChat::default().text("half").wait(&gate));
    let daemon = daemon(&model, "").await;
    let failed = run(&daemon, &["send", "--session", "new", "one"]).await;
    check(&failed, 5, "turn_failed");
    let said = String::from_utf8(failed.stderr.clone()).unwrap();
    assert!(said.contains("no such parameter"), "{said}");

    let running = started(&daemon, &["send", "two"]);
    gate.reached().await;
    check(
        &run(&daemon, &["wait", "--timeout", "0.01"]).await,
        8,
        "timeout",
    );
    let mut queued = started(&daemon, &["send", "three"]);
    let mut lines = BufReader::new(queued.stdout.take().unwrap()).lines();
    let line = timeout(PATIENCE, lines.next_line())
        .await
        .expect("a line")
        .unwrap();
    assert!(line.unwrap().contains("queued"));
    interrupt(&queued);
    check(&ended(queued).await, 4, "detached");
    let cancelled = run(&daemon, &["cancel", "--clear-queue"]).await;
    assert!(cancelled.status.success(), "{cancelled:?}");
    check(&ended(running).await, 6, "turn_cancelled");
}

#[tokio::test]
async fn ctrl_c_before_the_message_is_accepted_has_a_code_of_its_own() {
    let daemon = DaemonUnderTest::new(SCORELD);
    std::fs::create_dir_all(daemon.home()).unwrap();
    let silent = UnixListener::bind(daemon.socket()).unwrap();
    let sending = started(&daemon, &["send", "hello"]);
    let connected = timeout(PATIENCE, silent.accept())
        .await
        .expect("it connects")
        .unwrap();
    interrupt(&sending);
    check(&ended(sending).await, 130, "interrupted");
    drop(connected);
}
