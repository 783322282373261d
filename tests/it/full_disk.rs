//! A home on a full disk: a small tmpfs that only the daemon sees.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use scorel_client::{ClientError, Connection};
use scorel_proto::{
    Cancel, CancelParams, ErrorCode, GetEvents, GetEventsParams, GetStatus, ListSessions,
    ListSessionsParams, NoParams, Resync, ResyncParams, SendMessage, SendMessageResult, SessionId,
};
use scorel_testkit::{
    CheckedLog, DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat, ScriptedResponse,
};

use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr};
use tokio::time::timeout;

use crate::under_test::{
    PATIENCE, SCORELCTL, SCORELD, Watch, connect, create_session, message, send, session,
};

/// A shell script that mounts a tmpfs of 2 MiB over the home, with only the configuration in it,
/// and execs the daemon.
const SMALL_HOME: &str = r#"
home=$1; shift
cp "$home/config.toml" "$home/../config.toml" &&
mount -t tmpfs -o size=2m,mode=700 scorel "$home" &&
cp "$home/../config.toml" "$home/config.toml" &&
exec "$@"
"#;

/// Runs a shell script with arguments in a mount namespace of its own.
pub(crate) const WITH_MOUNTS: &str = r#"exec unshare -Urm /bin/sh -c "$0" sh "$@""#;

/// The reason why mounting is impossible here, if so.
pub(crate) fn cannot_mount() -> Option<String> {
    let mount = "mount -t tmpfs -o size=1m scorel /tmp";
    let probe = Command::new("/bin/sh")
        .args(["-c", WITH_MOUNTS, mount])
        .output();
    match probe {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

/// A model and a daemon configured for it, not started yet. None where mounting is impossible.
pub(crate) async fn configured() -> Option<(ModelServer, DaemonUnderTest)> {
    if let Some(reason) = cannot_mount() {
        println!("skipped: no file system of our own: {reason}");
        return None;
    }
    let model = ModelServer::start().await.unwrap();
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    Some((model, daemon))
}

/// Starts a configured daemon with its home on the small disk, and returns its socket.
pub(crate) async fn spawn_on_small_disk(daemon: &mut DaemonUnderTest) -> PathBuf {
    let home = daemon.home().display().to_string();
    let wrapper = ["/bin/sh", "-c", WITH_MOUNTS, SMALL_HOME, &home];
    daemon.run_under(wrapper.map(str::to_owned).to_vec());
    daemon.spawn().await;
    inside(daemon, &daemon.socket())
}

/// A file of the home in the daemon's mount namespace.
pub(crate) fn inside(daemon: &DaemonUnderTest, path: &Path) -> PathBuf {
    let root = format!("/proc/{}/root", daemon.pid());
    Path::new(&root).join(path.strip_prefix("/").unwrap())
}

/// Runs a shell script in the daemon's mount namespace, with a path as its argument.
pub(crate) fn in_namespace(daemon: &DaemonUnderTest, script: &str, path: &Path) {
    let done = Command::new("nsenter")
        .args(["--user", "--mount", "--preserve-credentials", "--target"])
        .arg(daemon.pid().to_string())
        .args(["/bin/sh", "-c", script, "sh"])
        .arg(path)
        .output()
        .unwrap();
    assert!(done.status.success(), "{script}: {done:?}");
}

/// A `scorelctl tail` that sees the daemon's home.
struct Tail {
    _process: Child,
    notes: Lines<BufReader<ChildStderr>>,
}

impl Tail {
    fn of(daemon: &DaemonUnderTest, session_id: SessionId) -> Self {
        let mut process = tokio::process::Command::new("nsenter")
            .args(["--user", "--mount", "--preserve-credentials", "--target"])
            .arg(daemon.pid().to_string())
            .args([SCORELCTL, "--no-start", "--home"])
            .arg(daemon.home())
            .args(["tail", "--session", &session_id.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let notes = BufReader::new(process.stderr.take().unwrap()).lines();
        Self {
            _process: process,
            notes,
        }
    }

    async fn says(&mut self, part: &str) {
        let found = async {
            let mut said = Vec::new();
            while let Some(line) = self.notes.next_line().await.unwrap() {
                if line.contains(part) {
                    return;
                }
                said.push(line);
            }
            panic!("tail ended without {part:?}: {said:?}");
        };
        timeout(PATIENCE, found).await.expect("tail says it");
    }
}

/// Fills the disk.
pub(crate) fn fill(path: &Path) {
    let mut file = File::create(path).unwrap();
    let full = loop {
        if let Err(error) = file.write_all(&[0; 4096]) {
            break error;
        }
    };
    assert_eq!(full.kind(), ErrorKind::StorageFull);
}

/// Sends once; returns the sequence number if accepted.
async fn try_send(client: &Connection, session_id: SessionId) -> Result<u64, ErrorCode> {
    let sent = client
        .call::<SendMessage>(&message(session_id, "more"))
        .await;
    match sent {
        Ok(SendMessageResult::Accepted { seq, .. } | SendMessageResult::Queued { seq, .. }) => {
            Ok(seq.get())
        }
        Err(ClientError::Rpc(error)) => Err(error.code),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_stalls_writes_until_there_is_room_and_nothing_else() {
    let Some((model, mut daemon)) = configured().await else {
        return;
    };
    model.fallback(ScriptedChat::default().text("Yes.").finish("stop"));
    let socket = spawn_on_small_disk(&mut daemon).await;
    let client = connect(&socket).await;
    let id = create_session(&client, &daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Is there room?").await;
    watch.until("turn_outcome").await;

    let filler = inside(&daemon, &daemon.home().join("filler"));
    fill(&filler);
    let mut accepted = Vec::new();
    // The last block of the log still has room.
    let refused = loop {
        match try_send(&client, id).await {
            Ok(seq) => accepted.push(seq),
            Err(code) => break code,
        }
    };
    assert_eq!(refused, ErrorCode::StorageStalled);
    println!("full disk: {} sends before it was full", accepted.len());
    reads_work(&client, id).await;

    fs::remove_file(filler).unwrap();
    loop {
        match try_send(&client, id).await {
            Ok(seq) => break accepted.push(seq),
            Err(code) => assert_eq!(code, ErrorCode::StorageStalled),
        }
    }
    // A cancelled turn holds the queue until the next message.
    while session(&client, id).await.turn_id.is_some() {
        watch.until("turn_outcome").await;
    }
    let log = CheckedLog::read(&inside(&daemon, &daemon.log_path(&id.to_string()))).unwrap();
    assert_eq!(log.torn(), 0, "nothing is left of what was written in part");
    for seq in accepted {
        assert!(log.record(seq).is_some(), "{seq} was accepted");
    }
    assert!(!daemon.errors().contains("panicked"), "{}", daemon.errors());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_meets_a_full_disk_is_recorded_once_there_is_room() {
    let Some((model, mut daemon)) = configured().await else {
        return;
    };
    let socket = spawn_on_small_disk(&mut daemon).await;
    let client = connect(&socket).await;
    let id = create_session(&client, &daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    let gate = ResponseGate::new();
    let long = "an answer ".repeat(20_000);
    let answer = ScriptedChat::default().text(&long).finish("stop");
    model.answer(ScriptedResponse::from(answer).hold(&gate));
    send(&client, id, "Say much.").await;
    gate.reached().await;
    let filler = inside(&daemon, &daemon.home().join("filler"));
    fill(&filler);
    let mut tail = Tail::of(&daemon, id);
    gate.open();
    tail.says("waits in memory and is written as soon as").await;
    let stall = loop {
        if let Some(stall) = session(&client, id).await.storage_stalled {
            break stall;
        }
        tokio::task::yield_now().await;
    };
    let unsaved = stall.unsaved.expect("a record waits");
    assert_eq!(unsaved.kind, "message");
    assert!(unsaved.bytes > long.len() as u64);
    let status = client.call::<GetStatus>(&NoParams {}).await.unwrap();
    assert!(status.active[0].storage_stalled.is_some());
    reads_work(&client, id).await;

    fs::remove_file(filler).unwrap();
    // The cancel was taken while the answer waited, so it counts. The answer is whole all the same.
    let outcome = watch.until("turn_outcome").await;
    assert_eq!(outcome.last().unwrap()["reason"], "cancelled");
    let log = daemon.log_path(&id.to_string());
    let log = fs::read_to_string(inside(&daemon, &log)).unwrap();
    assert!(log.contains(&long), "the whole answer is in the log");
    assert_eq!(session(&client, id).await.storage_stalled, None);
}

/// Checks that everything that only reads works, and cancelling.
pub(crate) async fn reads_work(client: &Connection, id: SessionId) {
    session(client, id).await;
    let all = ListSessionsParams::default();
    let listed = client.call::<ListSessions>(&all).await.unwrap();
    assert_eq!(listed.sessions.len(), 1);
    let read = GetEventsParams {
        session_id: id,
        after_seq: None,
        before_seq: None,
        limit: None,
        kinds: None,
    };
    assert!(
        !client
            .call::<GetEvents>(&read)
            .await
            .unwrap()
            .events
            .is_empty()
    );
    let resync = serde_json::json!({"sessionId": id});
    let resync: ResyncParams = serde_json::from_value(resync).unwrap();
    assert!(
        !client
            .call::<Resync>(&resync)
            .await
            .unwrap()
            .events
            .is_empty()
    );
    let cancel = serde_json::json!({"sessionId": id});
    let cancel: CancelParams = serde_json::from_value(cancel).unwrap();
    client.call::<Cancel>(&cancel).await.unwrap();
}
