//! `fsck` of a home while its daemon is at work.

use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use scorel_client::{ClientError, Connection};
use scorel_proto::{
    AcceptDamage, AcceptDamageParams, ClientId, CreateSession, CreateSessionParams, DeleteSession,
    DeleteSessionParams, GetEvents, GetEventsParams, Hello, HelloParams, ProjectId, ProtocolRange,
    PutBlob, PutBlobParams, SendMessage, SessionId, UpdateSession, UpdateSessionParams,
};
use scorel_testkit::{DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat};
use serde_json::Value;
use tokio::process::Command;
use tokio::time::timeout;

use crate::under_test::{
    PATIENCE, SCORELCTL, SCORELD, Watch, connect, message, new_session, send, session, title,
};

/// The minimum number of checks while the daemon works.
const CHECKS: usize = 25;

/// The minimum amount of work in the meantime.
const BUSY: u64 = 50;

/// Work that goes on until stopped, counted.
#[derive(Clone, Default)]
struct CountedWork {
    ends: Arc<AtomicBool>,
    done: Arc<AtomicU64>,
}

impl CountedWork {
    fn goes_on(&self) -> bool {
        self.done.fetch_add(1, Ordering::Relaxed);
        !self.ends.load(Ordering::Relaxed)
    }

    fn is_much(&self) -> bool {
        self.done.load(Ordering::Relaxed) > BUSY
    }
}

/// Streamed turns, started by long messages.
async fn talk(daemon: DaemonPaths, session: SessionId, work: CountedWork) {
    let client = connect(&daemon.socket).await;
    let mut watch = Watch::from_start(&client, session).await;
    let text = "long ".repeat(60_000);
    while work.goes_on() {
        send(&client, session, &text).await;
        watch.until("turn_outcome").await;
    }
}

/// Small records in quick succession.
async fn rename(daemon: DaemonPaths, session_id: SessionId, work: CountedWork) {
    let client = connect(&daemon.socket).await;
    while work.goes_on() {
        let params = UpdateSessionParams {
            session_id,
            title: Some("title".to_owned()),
            runner: None,
            model: None,
            thinking_level: None,
            tools: None,
            on_restart: None,
            refresh_instructions: None,
            command_id: None,
        };
        client.call::<UpdateSession>(&params).await.unwrap();
    }
}

/// Sessions with blobs and receipts, created and deleted.
async fn come_and_go(daemon: DaemonPaths, project_id: ProjectId, work: CountedWork) {
    let client = connect(&daemon.socket).await;
    let hello = HelloParams {
        client_id: Some(ClientId::generate()),
        name: None,
        protocol: ProtocolRange::SUPPORTED,
    };
    client.call::<Hello>(&hello).await.unwrap();
    let mut round = 0;
    while work.goes_on() {
        round += 1;
        let create = CreateSessionParams {
            project_id,
            title: Some("comes and goes".to_owned()),
            runner: None,
            model: None,
            thinking_level: None,
            tools: None,
            command_id: Some(format!("create-{round}").parse().unwrap()),
        };
        let created = client.call::<CreateSession>(&create).await.unwrap();
        let session_id = created.session_id;
        put_blob(&client, session_id).await;
        let delete = DeleteSessionParams {
            now: None,
            children: None,
            session_id,
            command_id: Some(format!("delete-{round}").parse().unwrap()),
        };
        client.call::<DeleteSession>(&delete).await.unwrap();
    }
}

async fn put_blob(client: &Connection, session_id: SessionId) {
    let blob = PutBlobParams {
        session_id,
        data: "YmxvYmJs".repeat(10_000),
        command_id: None,
    };
    client.call::<PutBlob>(&blob).await.unwrap();
}

#[derive(Clone)]
struct DaemonPaths {
    socket: std::path::PathBuf,
}

async fn fsck(home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(SCORELCTL);
    command
        .env_clear()
        .env("SCORELD", SCORELD)
        .args(["--json", "fsck", "--home"])
        .arg(home)
        .args(arguments)
        .kill_on_drop(true);
    let output = timeout(PATIENCE, command.output()).await;
    output.expect("it ends in time").unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_beside_a_busy_daemon_finds_nothing() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let paths = DaemonPaths {
        socket: daemon.socket(),
    };
    let (client, talking) = new_session(&daemon).await;
    let (_, renamed) = new_session(&daemon).await;
    let project = session(&client, talking).await.project_id;
    let work = CountedWork::default();
    let workers = [
        tokio::spawn(talk(paths.clone(), talking, work.clone())),
        tokio::spawn(rename(paths.clone(), renamed, work.clone())),
        tokio::spawn(come_and_go(paths, project, work.clone())),
    ];
    let mut checks = 0;
    while checks < CHECKS || !work.is_much() {
        let output = fsck(&daemon.home(), &[]).await;
        let found = lines(&output);
        assert_eq!(output.status.code(), Some(0), "{found:?}");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0]["daemonRunning"], true);
        checks += 1;
    }
    work.ends.store(true, Ordering::Relaxed);
    for worker in workers {
        worker.await.unwrap();
    }
}

#[tokio::test]
async fn a_session_goes_on_after_a_repair() {
    let mut daemon = DaemonUnderTest::start(SCORELD).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Look around.").await;
    watch.until("turn_outcome").await;
    let last = session(&client, id).await.current_seq;
    let refused = fsck(&daemon.home(), &["--repair"]).await;
    assert_eq!(refused.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("scorelctl stop"));
    daemon.stop().await;
    let path = daemon.log_path(&id.to_string());
    let mut log = std::fs::read(&path).unwrap();
    // Inside a string of the last record, the turn's outcome: the line stays JSON whatever its
    // checksum is.
    let word = b"completed";
    let at = log.windows(word.len()).rposition(|part| part == word);
    log[at.unwrap()] ^= 1;
    std::fs::write(&path, &log).unwrap();
    let session_id = id.to_string();
    let only = ["--session", &session_id[..20]];
    let output = fsck(&daemon.home(), &only).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(lines(&output)[0]["code"], "checksum");
    let output = fsck(&daemon.home(), &["--repair"]).await;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    let repaired = session(&client, id).await;
    assert_eq!(repaired.problem, None);
    assert!(repaired.current_seq > last);
    let mut watch = Watch::from_start(&client, id).await;
    watch.until("sync_end").await;
    send(&client, id, "Go on.").await;
    let outcome = watch.until("turn_outcome").await;
    assert_eq!(outcome.last().unwrap()["reason"], "completed");
    let output = fsck(&daemon.home(), &[]).await;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// Alters a byte of the first record that contains a text.
fn alter(path: &Path, text: &str) {
    let mut log = std::fs::read(path).unwrap();
    let at = log
        .windows(text.len())
        .position(|part| part == text.as_bytes());
    log[at.unwrap()] ^= 1;
    std::fs::write(path, &log).unwrap();
}

/// Repairs a log in which the answer with a tool call was damaged, and returns the messages of the next
/// request.
async fn next_request_after(repair: bool) -> Vec<Value> {
    let model = ModelServer::start().await.unwrap();
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    let answer = |text: &str| {
        model.answer(ScriptedChat::default().text(text).finish("stop"));
    };
    answer("the first answer");
    let call = ScriptedChat::default().text("a look around");
    model.answer(call.tool_call("call_1", "Glob", "{}").finish("tool_calls"));
    for text in ["the second answer", "the third answer", "the last answer"] {
        answer(text);
    }
    for text in ["first", "second", "third"] {
        send(&client, id, text).await;
        watch.until("turn_outcome").await;
    }
    daemon.stop().await;
    let log = daemon.log_path(&id.to_string());
    alter(&log, "a look around");
    // With it the damage would be found by the next turn only.
    std::fs::remove_file(log.with_file_name("checkpoint")).unwrap();
    if repair {
        let output = fsck(&daemon.home(), &["--repair"]).await;
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    if !repair {
        accept_all(&client, id).await;
    }
    let mut watch = Watch::from_start(&client, id).await;
    watch.until("sync_end").await;
    send(&client, id, "last").await;
    watch.until("turn_outcome").await;
    let request = model.requests().pop().unwrap().json();
    request["messages"].as_array().unwrap().clone()
}

/// Accepts the damage that an attempt to write names.
async fn accept_all(client: &Connection, session_id: SessionId) {
    let refused = client
        .call::<SendMessage>(&message(session_id, "more"))
        .await;
    let Err(ClientError::Rpc(refused)) = refused else {
        panic!("the damage is not noticed: {refused:?}");
    };
    for place in refused.details["damage"].as_array().unwrap() {
        let accept = AcceptDamageParams {
            session_id,
            offset: place["offset"].as_u64().unwrap(),
            length: place["length"].as_u64().unwrap(),
            command_id: None,
        };
        client.call::<AcceptDamage>(&accept).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_precedes_a_damaged_message_stays_in_the_conversation() {
    for repair in [true, false] {
        let messages = next_request_after(repair).await;
        let said: Vec<String> = messages
            .iter()
            .filter(|message| message["role"] != "system")
            .map(|message| format!("{} {}", message["role"], message["content"]))
            .collect();
        let expected = [
            r#""user" "first""#,
            r#""assistant" "the first answer""#,
            r#""user" "second""#,
            r#""assistant" "the second answer""#,
            r#""user" "third""#,
            r#""assistant" "the third answer""#,
            r#""user" "last""#,
        ];
        // The result of the call that was lost is left out: endpoints refuse it alone.
        assert_eq!(said, expected, "repair: {repair}");
    }
}

#[tokio::test]
async fn one_flipped_bit_under_a_running_daemon_is_one_place_to_accept() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (client, session_id) = new_session(&daemon).await;
    for name in ["first", "second", "third"] {
        title(&client, session_id, name).await;
    }
    let path = daemon.log_path(&session_id.to_string());
    let log = std::fs::read_to_string(&path).unwrap();
    let line = log.lines().find(|line| line.contains("second")).unwrap();
    let (offset, length) = (log.find(line).unwrap() as u64, line.len() as u64);
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(&[line.as_bytes()[20] ^ 1], offset + 20)
        .unwrap();
    let params = GetEventsParams {
        session_id,
        after_seq: None,
        before_seq: None,
        limit: None,
        kinds: None,
    };
    let read = client.call::<GetEvents>(&params).await.unwrap().events;
    assert_eq!(read.len(), log.lines().count() - 2, "what stands around it");
    let problem = session(&client, session_id).await.problem.unwrap();
    assert!(problem.contains(&format!("offset {offset}")), "{problem}");
    let output = fsck(&daemon.home(), &[]).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");

    let accept = AcceptDamageParams {
        session_id,
        offset,
        length,
        command_id: None,
    };
    client.call::<AcceptDamage>(&accept).await.unwrap();
    assert_eq!(session(&client, session_id).await.problem, None);
    title(&client, session_id, "fourth").await;
    let output = fsck(&daemon.home(), &[]).await;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// The checker that docs/journal-format.md documents.
fn documented_checker() -> &'static str {
    let page = include_str!("../../docs/journal-format.md");
    let (_, rest) = page.split_once("```python\n").unwrap();
    rest.split_once("```").unwrap().0
}

#[tokio::test]
async fn a_lost_newline_is_damage_at_one_offset_for_daemon_fsck_and_the_documented_checker() {
    let mut daemon = DaemonUnderTest::start(SCORELD).await;
    let (client, session_id) = new_session(&daemon).await;
    for name in ["first", "second", "third"] {
        title(&client, session_id, name).await;
    }
    daemon.stop().await;
    let path = daemon.log_path(&session_id.to_string());
    let log = std::fs::read_to_string(&path).unwrap();
    let first = log.lines().find(|line| line.contains("first")).unwrap();
    let offset = log.find(first).unwrap() + first.len();
    let joined = [&log[..offset], &log[offset + 1..]].concat();
    std::fs::write(&path, joined).unwrap();

    let output = fsck(&daemon.home(), &[]).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let found = lines(&output);
    assert_eq!(found[0]["code"], "joined", "{found:?}");
    assert_eq!(found[0]["offset"], offset, "{found:?}");

    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    let problem = session(&client, session_id).await.problem.unwrap();
    assert!(problem.contains(&format!("offset {offset},")), "{problem}");

    let mut python = Command::new("python3");
    python.arg("-c").arg(documented_checker()).arg(&path);
    let checked = timeout(PATIENCE, python.kill_on_drop(true).output()).await;
    match checked.expect("it ends in time") {
        Ok(output) => {
            let printed = String::from_utf8(output.stdout).unwrap();
            assert_eq!(printed, format!("damage at offset {offset}\n"));
        }
        Err(error) => println!("skipped: the documented checker: {error}"),
    }
}

#[tokio::test]
async fn an_open_turn_after_a_crash_is_a_note() {
    let model = ModelServer::start().await.unwrap();
    let never = ResponseGate::default();
    model.answer(ScriptedChat::default().text("half an answer").wait(&never));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Look around.").await;
    watch.until("text_delta").await;
    daemon.kill().await;
    for _ in 0..2 {
        let output = fsck(&daemon.home(), &["--repair"]).await;
        let found = lines(&output);
        assert_eq!(output.status.code(), Some(0), "{found:?}");
        assert_eq!(found[0]["code"], "open_turn", "{found:?}");
        assert_eq!(found.len(), 2, "{found:?}");
    }
    daemon.spawn().await;
    session(&connect(&daemon.socket()).await, id).await;
    daemon.stop().await;
    let found = lines(&fsck(&daemon.home(), &[]).await);
    assert_eq!(found.len(), 1, "{found:?}");
}
