//! The first `listSessions` of a daemon says what the one before had acknowledged, however that ended.

use std::fs;
use std::os::unix::process::ExitStatusExt;

use scorel_testkit::{DaemonUnderTest, Strace};
use serde_json::{Value, json};

use crate::raw::RawConnection;
use crate::under_test::SCORELD;

/// The steps of a daemon's first record, each with its file in the home. `ID` stands for the session's.
const POINTS: [(&str, &str); 3] = [
    ("unlink", "index.clean"),
    ("write", "sessions/ID/events.jsonl"),
    ("fdatasync", "sessions/ID/events.jsonl"),
];

fn call(raw: &mut RawConnection, method: &str, params: &Value) -> Value {
    let reply = raw.call(method, params);
    assert!(reply["error"].is_null(), "{method}: {reply}");
    reply["result"].clone()
}

/// A daemon with two sessions, and the id of one.
async fn with_sessions() -> (DaemonUnderTest, Value, String) {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let mut raw = RawConnection::connect(&daemon);
    let registered = call(
        &mut raw,
        "registerProject",
        &json!({"workDir": daemon.project()}),
    );
    let project = registered["project"]["projectId"].clone();
    let mut id = Value::Null;
    for title in ["one", "two"] {
        let params = json!({"projectId": project, "title": title});
        id = call(&mut raw, "createSession", &params)["sessionId"].clone();
    }
    (daemon, project, id.as_str().unwrap().to_owned())
}

/// Every session of the home, on a connection of its own.
fn listed(daemon: &DaemonUnderTest) -> Vec<Value> {
    let mut raw = RawConnection::connect(daemon);
    let filters = [
        json!({}),
        json!({"archived": true}),
        json!({"deleted": true}),
    ];
    let mut sessions = Vec::new();
    for filter in filters {
        let page = call(&mut raw, "listSessions", &filter);
        assert!(page["unreadable"].as_array().is_none_or(Vec::is_empty));
        sessions.extend(page["sessions"].as_array().unwrap().clone());
    }
    sessions
}

#[tokio::test]
async fn what_was_acknowledged_before_a_kill_is_listed_first() {
    let (mut daemon, project, id) = with_sessions().await;
    let steps = [
        (
            "createSession",
            json!({"projectId": project, "title": "three"}),
        ),
        ("updateSession", json!({"sessionId": id, "title": "other"})),
        ("cloneSession", json!({"sessionId": id, "eventId": null})),
        ("archiveSession", json!({"sessionId": id})),
        (
            "archiveSession",
            json!({"sessionId": id, "archived": false}),
        ),
        ("deleteSession", json!({"sessionId": id})),
        ("undeleteSession", json!({"sessionId": id})),
        ("deleteSession", json!({"sessionId": id, "now": true})),
    ];
    let mut before = listed(&daemon);
    for (method, params) in steps {
        daemon.stop().await;
        assert!(daemon.home().join("index.clean").exists());
        daemon.spawn().await;
        assert_eq!(listed(&daemon), before, "before {method}");
        call(&mut RawConnection::connect(&daemon), method, &params);
        let told = listed(&daemon);
        assert_ne!(told, before, "{method}");
        daemon.kill().await;
        daemon.spawn().await;
        assert_eq!(listed(&daemon), told, "{method}");
        before = told;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_in_its_first_record_the_daemon_lists_what_the_logs_say() {
    if let Some(reason) = Strace::unavailable() {
        println!("skipped: {reason}");
        return;
    }
    for (name, file) in POINTS {
        let (mut daemon, _project, id) = with_sessions().await;
        daemon.stop().await;
        let path = daemon.home().join(file.replace("ID", &id));
        let options = [
            "-e".to_owned(),
            format!("inject={name}:signal=KILL:when=1"),
            "-P".to_owned(),
            path.display().to_string(),
        ];
        let strace = Strace::new(daemon.root(), &options);
        daemon.run_under(strace.command());
        daemon.spawn().await;
        let mut raw = RawConnection::connect(&daemon);
        let params = json!({"sessionId": id, "title": "other"});
        let rename =
            json!({"jsonrpc": "2.0", "id": 1, "method": "updateSession", "params": params});
        raw.write(format!("{rename}\n").as_bytes());
        let status = daemon.wait().await;
        assert_eq!(status.signal(), Some(9), "{name} {file}");
        let _trace = strace.finish();
        daemon.run_under(Vec::new());
        daemon.spawn().await;
        let told = listed(&daemon);
        // What was written is there, although it was not acknowledged.
        let renamed = told.iter().filter(|session| session["title"] == "other");
        assert_eq!(renamed.count(), usize::from(name == "fdatasync"));
        let mut raw = RawConnection::connect(&daemon);
        for session in told {
            let id = json!({"sessionId": session["sessionId"]});
            let opened = call(&mut raw, "getSession", &id);
            assert_eq!(opened["session"], session, "{name} {file}");
        }
    }
}

#[tokio::test]
async fn the_index_may_be_lost_damaged_or_older_and_sessions_may_come_and_go() {
    let (mut daemon, project, _id) = with_sessions().await;
    daemon.stop().await;
    let index = daemon.home().join("index");
    let older = fs::read(&index).unwrap();
    daemon.spawn().await;
    let params = json!({"projectId": project, "title": "three"});
    let mut raw = RawConnection::connect(&daemon);
    let third = call(&mut raw, "createSession", &params)["sessionId"].clone();
    let told = listed(&daemon);
    for damage in [None, Some(older), Some(Vec::new()), Some(b"[{}]".to_vec())] {
        daemon.stop().await;
        match &damage {
            None => fs::remove_file(&index).unwrap(),
            Some(content) => fs::write(&index, content).unwrap(),
        }
        daemon.spawn().await;
        assert_eq!(listed(&daemon), told, "{damage:?}");
    }
    let dir = daemon.session_dir(third.as_str().unwrap());
    let aside = daemon.root().join("aside");
    daemon.stop().await;
    fs::rename(&dir, &aside).unwrap();
    daemon.spawn().await;
    assert_eq!(listed(&daemon).len(), told.len() - 1);
    daemon.stop().await;
    fs::rename(&aside, &dir).unwrap();
    daemon.spawn().await;
    assert_eq!(listed(&daemon), told);
}
