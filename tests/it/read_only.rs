//! A home on a read-only file system, and on one that is made writable again.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use scorel_client::Connection;
use scorel_proto::{Search, SearchParams, SessionId};
use scorel_testkit::{CheckedLog, DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::{Value, json};

use crate::full_disk::{WITH_MOUNTS, cannot_mount, reads_work};
use crate::under_test::{
    SCORELCTL, SCORELD, Watch, connect, indexed, new_session, scorelctl, send, session,
};

/// A shell script that mounts the home over itself, read-only, and execs the daemon.
const READ_ONLY_HOME: &str = r#"
home=$1; shift
mount --bind "$home" "$home" && mount -o remount,bind,ro "$home" && exec "$@"
"#;

/// Makes the home of a running daemon writable.
fn make_writable(daemon: &DaemonUnderTest) {
    let entered = Command::new("nsenter")
        .args(["--user", "--mount", "--preserve-credentials", "--target"])
        .arg(daemon.pid().to_string())
        .args(["mount", "-o", "remount,bind,rw"])
        .arg(daemon.home())
        .status();
    assert!(entered.unwrap().success(), "the home is made writable");
}

/// The socket in the runtime directory.
fn socket_in(dir: &Path) -> PathBuf {
    let entries = fs::read_dir(dir).unwrap();
    let mut paths = entries.map(|entry| entry.unwrap().path());
    let socket = paths.find(|path| path.extension().is_some_and(|end| end == "sock"));
    socket.expect("a socket")
}

/// The code of the error with which a call is answered.
async fn refused(client: &Connection, method: &str, params: Value) -> Value {
    let params = serde_json::value::to_raw_value(&params).unwrap();
    match client.call_raw(method, Some(&params)).await {
        Err(scorel_client::ClientError::Rpc(error)) => json!(error.code),
        Err(error) => panic!("{method}: {error}"),
        Ok(result) => panic!("{method} worked: {result}"),
    }
}

/// A stopped daemon with a session, whose log ends with half a line.
async fn with_a_session() -> (DaemonUnderTest, ModelServer, SessionId) {
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("Yes.").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Is it there?").await;
    watch.until("turn_outcome").await;
    indexed(&daemon).await;
    daemon.stop().await;
    let path = daemon.log_path(&id.to_string());
    let log = fs::read(&path).unwrap();
    fs::write(&path, [&log[..], b"{\"torn\""].concat()).unwrap();
    (daemon, model, id)
}

/// Checks that a search finds text that was indexed before.
async fn search_works(client: &Connection) {
    let params = SearchParams {
        query: "there".to_owned(),
        ..SearchParams::default()
    };
    let found = client.call::<Search>(&params).await.unwrap();
    assert_eq!(found.hits.len(), 1);
}

/// What `doctor` says of the home that the daemon sees.
fn home_check(daemon: &DaemonUnderTest) -> Value {
    let output = Command::new("nsenter")
        .args(["--user", "--mount", "--preserve-credentials", "--target"])
        .arg(daemon.pid().to_string())
        .args([SCORELCTL, "--json", "doctor", "--home"])
        .arg(daemon.home())
        .env("SCORELD", SCORELD)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut checks = report["checks"].as_array().unwrap().iter();
    checks
        .find(|check| check["name"] == "home")
        .unwrap()
        .clone()
}

/// Every change is answered with `storage_stalled`.
async fn changes_are_refused(daemon: &DaemonUnderTest, client: &Connection, id: SessionId) {
    let listed = client.call_raw("listProjects", None).await.unwrap();
    let listed: Value = serde_json::from_str(listed.get()).unwrap();
    let project = &listed["projects"][0]["projectId"];
    let inner = daemon.project().join("inner");
    fs::create_dir(&inner).unwrap();
    let changes = [
        ("sendMessage", json!({"sessionId": id, "content": "more"})),
        ("updateSession", json!({"sessionId": id, "title": "new"})),
        ("archiveSession", json!({"sessionId": id})),
        ("putBlob", json!({"sessionId": id, "data": "aGVsbG8="})),
        ("deleteSession", json!({"sessionId": id})),
        ("createSession", json!({"projectId": project})),
        ("registerProject", json!({"workDir": inner})),
    ];
    for (method, params) in changes {
        assert_eq!(
            refused(client, method, params).await,
            "storage_stalled",
            "{method}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_home_on_a_read_only_file_system_is_served_for_reading_until_it_can_be_written() {
    if let Some(reason) = cannot_mount() {
        println!("skipped: no file system of our own: {reason}");
        return;
    }
    let (daemon, _model, id) = with_a_session().await;
    let runtime = daemon.root().join("run");
    fs::create_dir(&runtime).unwrap();
    fs::set_permissions(&runtime, fs::Permissions::from_mode(0o700)).unwrap();
    let mut daemon = daemon.with_variable("XDG_RUNTIME_DIR", runtime.to_str().unwrap());
    let home = daemon.home().display().to_string();
    let wrapper = ["/bin/sh", "-c", WITH_MOUNTS, READ_ONLY_HOME, &home];
    daemon.run_under(wrapper.map(str::to_owned).to_vec());
    let log = daemon.log_path(&id.to_string());
    let before = fs::read(&log).unwrap();
    daemon.spawn().await;
    let client = connect(&socket_in(&runtime)).await;
    reads_work(&client, id).await;
    assert_eq!(session(&client, id).await.problem, None);
    changes_are_refused(&daemon, &client, id).await;
    search_works(&client).await;
    let check = home_check(&daemon);
    assert_eq!(check["level"], "warn", "{check}");
    reads_work(&client, id).await;
    assert_eq!(fs::read(&log).unwrap(), before, "nothing was changed");

    make_writable(&daemon);
    // For the test, which does not see the mount, the home could be written all the time.
    let variables = [("XDG_RUNTIME_DIR", runtime.to_str().unwrap())];
    let status = scorelctl(&daemon, &["status"], &variables).await;
    assert!(status.status.success(), "{status:?}");
    let mut watch = Watch::from_start(&client, id).await;
    watch.until("sync_end").await;
    send(&client, id, "And now?").await;
    let seen = watch.until("turn_outcome").await;
    assert_eq!(seen.last().unwrap()["reason"], "completed");
    let log = CheckedLog::read(&log).unwrap();
    assert_eq!((log.outcomes().count(), log.torn()), (2, 0));
    assert!(!daemon.errors().contains("panicked"), "{}", daemon.errors());
}
