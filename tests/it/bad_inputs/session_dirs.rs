//! Foreign entries in the sessions directory.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use scorel_testkit::DaemonUnderTest;
use serde_json::{Value, json};

use crate::raw::RawConnection;
use crate::under_test::{SCORELD, Watch, new_session, send};

const STRANGERS: [&str; 6] = [
    "ses_01ARZ3NDEKTSV4RRFFQ69G5FA0",
    "ses_01ARZ3NDEKTSV4RRFFQ69G5FA1",
    "ses_01ARZ3NDEKTSV4RRFFQ69G5FA2",
    "ses_01ARZ3NDEKTSV4RRFFQ69G5FA3",
    "ses_01ARZ3NDEKTSV4RRFFQ69G5FA4",
    "ses_01ARZ3NDEKTSV4RRFFQ69G5FA5",
];

fn code(reply: &Value) -> &str {
    reply["error"]["data"]["code"]
        .as_str()
        .unwrap_or("no error")
}

fn make_fifo(path: &Path) {
    let status = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(status.success());
}

/// A home with a session and foreign entries in `sessions/`.
async fn cluttered() -> (DaemonUnderTest, String) {
    let mut daemon = DaemonUnderTest::start(SCORELD).await;
    let (client, session) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, session).await;
    send(&client, session, "Hello?").await;
    watch.until("turn_outcome").await;
    daemon.stop().await;
    let session = session.to_string();
    let sessions = daemon.home().join("sessions");
    let stranger = |number: usize| sessions.join(STRANGERS[number]);
    for number in [0, 1, 2, 3, 5] {
        std::fs::create_dir(stranger(number)).unwrap();
    }
    // B-59: a directory, an empty file and a symlink out of the home in place of a log.
    std::fs::create_dir(stranger(0).join("events.jsonl")).unwrap();
    std::fs::write(stranger(1).join("events.jsonl"), "").unwrap();
    let outside = daemon.root().join("outside.jsonl");
    std::fs::copy(daemon.log_path(&session), &outside).unwrap();
    symlink(&outside, stranger(2).join("events.jsonl")).unwrap();
    // B-58: the log of another session.
    std::fs::copy(daemon.log_path(&session), stranger(3).join("events.jsonl")).unwrap();
    // B-59: a FIFO in place of a session, and one in place of a log.
    make_fifo(&stranger(4));
    make_fifo(&stranger(5).join("events.jsonl"));
    // B-63: names that are not ids.
    for name in [
        "a\nb",
        "\u{1b}[31mred",
        "..x",
        "ses_",
        "ses_short",
        "SES_01ARZ3NDEKTSV4RRFFQ69G5FAV",
    ] {
        std::fs::create_dir(sessions.join(name)).unwrap();
    }
    std::fs::write(sessions.join("events.jsonl"), "x").unwrap();
    symlink("/", sessions.join("root")).unwrap();
    let _derived: std::io::Result<()> = std::fs::remove_file(daemon.home().join("index"));
    let _derived: std::io::Result<()> = std::fs::remove_file(daemon.home().join("active"));
    (daemon, session)
}

#[tokio::test(flavor = "multi_thread")]
async fn clutter_among_the_sessions_blocks_nothing_and_is_not_followed() {
    let (mut daemon, session) = cluttered().await;
    daemon.spawn().await;
    let mut raw = RawConnection::connect(&daemon);
    for stranger in STRANGERS {
        for method in ["getSession", "getEvents", "sendMessage"] {
            let mut params = json!({"sessionId": stranger});
            if method == "sendMessage" {
                params["content"] = json!("x");
            }
            let reply = raw.call(method, &params);
            let typed = ["session_failed", "session_not_found", "filesystem_error"];
            assert!(
                typed.contains(&code(&reply)),
                "{method} {stranger}: {reply}"
            );
        }
    }
    let outside = std::fs::read(daemon.root().join("outside.jsonl")).unwrap();
    assert_eq!(
        outside,
        std::fs::read(daemon.log_path(&session)).unwrap(),
        "it was not followed"
    );
    let sent = raw.call(
        "sendMessage",
        &json!({"sessionId": session, "content": "more"}),
    );
    assert!(sent["result"]["seq"].is_u64(), "{sent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn clutter_among_the_sessions_does_not_keep_them_from_being_listed() {
    let (mut daemon, session) = cluttered().await;
    daemon.spawn().await;
    let mut raw = RawConnection::connect(&daemon);
    let listed = raw.call("listSessions", &json!({"limit": 1000}));
    let ids = |list: &str| -> Vec<String> {
        let sessions = listed["result"][list].as_array().expect("a list");
        let ids = sessions.iter().map(|session| session["sessionId"].as_str());
        ids.map(|id| id.expect("an id").to_owned()).collect()
    };
    assert_eq!(ids("sessions"), [session]);
    let mut unreadable = ids("unreadable");
    unreadable.sort_unstable();
    assert_eq!(unreadable, STRANGERS);
    let status = raw.call("getStatus", &json!({}));
    assert!(status["result"].is_object(), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blob_is_served_only_if_its_content_matches_its_name() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (_client, session) = new_session(&daemon).await;
    let mut raw = RawConnection::connect(&daemon);
    let put = raw.call(
        "putBlob",
        &json!({"sessionId": session, "data": "aGVsbG8="}),
    );
    let hash = put["result"]["sha256"].as_str().unwrap().to_owned();
    let get = json!({"sessionId": session, "sha256": hash});
    assert_eq!(raw.call("getBlob", &get)["result"]["data"], "aGVsbG8=");
    let path = daemon
        .session_dir(&session.to_string())
        .join("blobs")
        .join(&hash);
    let contents: [Option<&[u8]>; 3] = [Some(b"jello"), Some(b""), None];
    for content in contents {
        match content {
            Some(content) => std::fs::write(&path, content).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        let reply = raw.call("getBlob", &get);
        assert!(reply["error"].is_object(), "B-61: {content:?}: {reply}");
    }
    symlink("/etc/passwd", &path).unwrap();
    let reply = raw.call("getBlob", &get);
    assert!(reply["error"].is_object(), "B-61: a link: {reply}");
    for name in [
        "../../../config.toml",
        "..",
        "",
        "/etc/passwd",
        &hash.to_uppercase(),
    ] {
        let reply = raw.call("getBlob", &json!({"sessionId": session, "sha256": name}));
        assert_eq!(code(&reply), "invalid_params", "B-61: {name}: {reply}");
    }
}
