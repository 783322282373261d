//! A daemon that has run out of file descriptors.

use std::fs;
use std::process::Command;
use std::time::Duration;

use futures_util::future::join_all;
use scorel_client::{ClientError, Connection};
use scorel_proto::{SendMessage, SessionId};
use scorel_testkit::{CheckedLog, DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat, runs};
use tokio::time::timeout;

use crate::raw::RawConnection;
use crate::under_test::{
    SCORELD, Watch, connect, create_session, indexed, message, new_session, send,
};

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

/// How many sessions work at the same time.
const AT_ONCE: usize = 4;

/// Uses sessions `AT_ONCE` at a time, each for one turn, and checks that no call and no turn fails.
async fn use_in_turn(client: &Connection, sessions: &[SessionId]) {
    for some in sessions.chunks(AT_ONCE) {
        let turns = some.iter().map(async |session| {
            let mut watch = Watch::from(client, *session, None, None).await;
            let turn = send(client, *session, "Talk.").await;
            // The stream begins with the previous turn, if there was one.
            loop {
                let seen = watch.until("turn_outcome").await;
                let outcome = seen.last().unwrap();
                assert_eq!(outcome["reason"], "completed", "{seen:?}");
                if outcome["turnId"] == turn.to_string() {
                    return;
                }
            }
        });
        join_all(turns).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_sessions_are_used_in_turn_with_few_descriptors() {
    let count = runs("SCOREL_SESSIONS", 150);
    // As for 2,000 sessions and a limit of 1,024; the limit leaves room for the turns.
    let limit = (count * 1024 / 2000).max(128);
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("fine").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.run_under(vec!["prlimit".into(), format!("--nofile={limit}:{limit}")]);
    if Command::new("prlimit").arg("--version").output().is_err() {
        println!("skipped: there is no prlimit");
        return;
    }
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    let mut sessions = Vec::new();
    for _ in 0..count {
        sessions.push(create_session(&client, &daemon).await);
    }
    let mut most = daemon.descriptors();
    for _ in 0..2 {
        for some in sessions.chunks(50) {
            use_in_turn(&client, some).await;
            most = most.max(daemon.descriptors());
        }
    }
    println!("{count} sessions, limit {limit}: at most {most} descriptors between turns");
    assert!(most <= limit * 3 / 4, "{most} of {limit}");
    for session in sessions {
        let log = CheckedLog::read(&daemon.log_path(&session.to_string())).unwrap();
        assert_eq!(log.outcomes().count(), 2);
    }
}

/// Sends as a client does that takes `retryable` at its word.
async fn send_patiently(client: &Connection, session: SessionId) {
    loop {
        match client.call::<SendMessage>(&message(session, "Talk.")).await {
            Ok(_) => return,
            Err(ClientError::Rpc(error)) if error.code.retryable() => {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_that_need_more_descriptors_than_there_are_wait_for_each_other() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    let answer = ScriptedChat::default().text("half ").wait(&gate);
    model.fallback(answer.text("whole").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    if Command::new("prlimit").arg("--version").output().is_err() {
        println!("skipped: there is no prlimit");
        return;
    }
    // A session that is followed has two, a turn two or three more.
    daemon.run_under(vec!["prlimit".into(), "--nofile=160:160".into()]);
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    let mut sessions = Vec::new();
    for _ in 0..60 {
        sessions.push(create_session(&client, &daemon).await);
    }
    // All of them first: a subscription is not retried when the turns have taken the descriptors.
    let watches = sessions
        .iter()
        .map(|session| Watch::from_start(&client, *session));
    let watches = join_all(watches).await;
    let turns = sessions.iter().zip(watches);
    let turns = turns.map(async |(session, mut watch)| {
        send_patiently(&client, *session).await;
        let seen = watch.until("turn_outcome").await;
        assert_eq!(seen.last().unwrap()["reason"], "completed", "{seen:?}");
    });
    let opened = async {
        let begun = model.wait_for_requests(10).await.len();
        println!("{begun} of 60 turns have asked the model; limit 160");
        gate.open();
    };
    let all = async { tokio::join!(join_all(turns), opened) };
    timeout(Duration::from_secs(600), all)
        .await
        .expect("in time");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_daemon_raises_its_limit_and_gives_commands_the_old_one() {
    let model = ModelServer::start().await.unwrap();
    let call = r#"{"command":"ulimit -Sn"}"#;
    let call = ScriptedChat::default().tool_call("call_1", "Bash", call);
    model.answer(call.finish("tool_calls"));
    model.answer(ScriptedChat::default().text("done").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.configure_more("[permissions]\nmode = \"full\"\n");
    daemon.run_under(vec!["prlimit".into(), "--nofile=200:400".into()]);
    if Command::new("prlimit").arg("--version").output().is_err() {
        println!("skipped: there is no prlimit");
        return;
    }
    daemon.spawn().await;
    let limits = fs::read_to_string(format!("/proc/{}/limits", daemon.pid())).unwrap();
    let files = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let numbers: Vec<&str> = files.unwrap().split_whitespace().skip(3).collect();
    assert_eq!(numbers[..2], ["400", "400"]);
    let (client, session) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, session).await;
    send(&client, session, "How many files?").await;
    let seen = watch.until("turn_outcome").await;
    let told = serde_json::to_string(&seen).unwrap();
    assert!(told.contains("200\\n"), "{told}");
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
    // Before the turn also: to open the index takes descriptors.
    indexed(&daemon).await;
    send(&client, session, "Talk.").await;
    watch.until("text_delta").await;
    indexed(&daemon).await;
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
