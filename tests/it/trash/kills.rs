//! Kills the daemon in the middle of deleting a session and of bringing it back.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;

use scorel_testkit::{DaemonUnderTest, Strace};
use serde_json::json;

use super::{files, in_trash, with_session};
use crate::raw::RawConnection;

const CLIENT: &str = "cli_01ARZ3NDEKTSV4RRFFQ69G5FAV";

/// A system call of the command on this file, relative to the home. `ID` stands for the session's.
const POINTS: [(&str, &str); 4] = [
    ("fdatasync", "receipts.jsonl"),
    ("rename", "sessions/ID"),
    ("fsync", "sessions"),
    ("fsync", "trash"),
];

#[tokio::test(flavor = "multi_thread")]
async fn killed_while_it_deletes_the_daemon_has_all_of_the_session_or_none() {
    if let Some(reason) = Strace::unavailable() {
        println!("skipped: {reason}");
        return;
    }
    for (call, file) in POINTS {
        let (mut daemon, _model, id) = with_session().await;
        daemon.stop().await;
        let before = files(&daemon.session_dir(&id));
        die(&mut daemon, "deleteSession", &id, (call, file)).await;
        let is_there = daemon.session_dir(&id).exists();
        assert_ne!(is_there, in_trash(&daemon, &id).len() == 1, "{call} {file}");
        again(&mut daemon, "deleteSession", &id).await;
        let trashed = in_trash(&daemon, &id).pop().unwrap();
        assert_eq!(files(&trashed), before, "{call} {file}");
        assert!(!daemon.session_dir(&id).exists(), "{call} {file}");
        daemon.stop().await;

        die(&mut daemon, "undeleteSession", &id, (call, file)).await;
        let is_there = daemon.session_dir(&id).exists();
        assert_ne!(is_there, in_trash(&daemon, &id).len() == 1, "{call} {file}");
        again(&mut daemon, "undeleteSession", &id).await;
        assert_eq!(in_trash(&daemon, &id), [] as [PathBuf; 0], "{call} {file}");
        assert_eq!(files(&daemon.session_dir(&id)), before, "{call} {file}");
    }
}

/// Sends a command to a daemon that dies in a system call of it.
async fn die(daemon: &mut DaemonUnderTest, method: &str, id: &str, (call, file): (&str, &str)) {
    // A command with a receipt, so that the file of receipts is there: `strace` knows it by its path.
    daemon.spawn().await;
    let register = json!({"workDir": daemon.project(), "commandId": "register"});
    connect(daemon).call("registerProject", &register);
    daemon.stop().await;
    // `strace -P` matches calls by the file that has the path when it starts.
    let path = match in_trash(daemon, id).pop() {
        Some(trashed) if file.ends_with("ID") => trashed,
        _ => daemon.home().join(file.replace("ID", id)),
    };
    let options = [
        "-e".to_owned(),
        format!("inject={call}:signal=KILL:when=1"),
        "-P".to_owned(),
        path.display().to_string(),
    ];
    let strace = Strace::new(daemon.root(), &options);
    daemon.run_under(strace.command());
    daemon.spawn().await;
    // Held to the end: a call ends with its connection.
    let mut raw = connect(daemon);
    command(&mut raw, method, id);
    let status = daemon.wait().await;
    assert_eq!(status.signal(), Some(9), "{method} {call} {file}");
    let _trace = strace.finish();
    daemon.run_under(Vec::new());
}

/// Repeats the command with the next daemon.
async fn again(daemon: &mut DaemonUnderTest, method: &str, id: &str) {
    daemon.spawn().await;
    let mut raw = connect(daemon);
    command(&mut raw, method, id);
    let reply = raw.reply().unwrap();
    assert_eq!(reply["result"]["sessionId"], json!(id), "{method}: {reply}");
}

fn connect(daemon: &DaemonUnderTest) -> RawConnection {
    let mut raw = RawConnection::connect(daemon);
    let hello = json!({"clientId": CLIENT, "protocol": {"min": 1, "max": 1}});
    raw.call("hello", &hello);
    raw
}

fn command(raw: &mut RawConnection, method: &str, id: &str) {
    let params = json!({"sessionId": id, "commandId": method});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": method, "params": params});
    raw.write(format!("{call}\n").as_bytes());
}
