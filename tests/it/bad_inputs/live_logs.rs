//! Logs modified by another process while the daemon uses them.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use scorel_testkit::DaemonUnderTest;
use serde_json::{Value, json};

use crate::raw::RawConnection;
use crate::under_test::{SCORELD, Watch, new_session, send};

/// The modification.
type Change = fn(&Path);

const CHANGES: [(&str, Change); 6] = [
    ("replaced by a copy", |path| {
        let copy = path.with_extension("copy");
        fs::copy(path, &copy).unwrap();
        fs::rename(copy, path).unwrap();
    }),
    ("truncated", |path| {
        let file = OpenOptions::new().write(true).open(path).unwrap();
        let len = file.metadata().unwrap().len();
        file.set_len(len / 2).unwrap();
    }),
    ("emptied", |path| drop(fs::write(path, ""))),
    ("made longer", |path| {
        let mut file = OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(b"another program was here\n").unwrap();
    }),
    ("deleted", |path| fs::remove_file(path).unwrap()),
    ("moved away with its directory", |path| {
        let dir = path.parent().unwrap();
        fs::rename(dir, dir.with_extension("moved")).unwrap();
    }),
];

fn code(reply: &Value) -> &str {
    reply["error"]["data"]["code"]
        .as_str()
        .unwrap_or("no error")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_another_program_changed_is_not_written_any_more() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (client, healthy) = new_session(&daemon).await;
    for (name, change) in CHANGES {
        let (client, session) = new_session(&daemon).await;
        let mut watch = Watch::from_start(&client, session).await;
        send(&client, session, "Hello?").await;
        watch.until("turn_outcome").await;
        let path = daemon.log_path(&session.to_string());
        change(&path);
        let after = state(&path);
        let mut raw = RawConnection::connect(&daemon);
        let reply = raw.call(
            "sendMessage",
            &json!({"sessionId": session, "content": "more"}),
        );
        assert_eq!(code(&reply), "session_failed", "D-18: {name}: {reply}");
        assert_eq!(
            state(&path),
            after,
            "D-18: {name}: it was written or made again"
        );
        assert_eq!(
            watch.next().await["type"],
            "end",
            "D-18: {name}: subscribers are told"
        );
        let again = raw.call(
            "sendMessage",
            &json!({"sessionId": session, "content": "more"}),
        );
        assert_eq!(code(&again), "session_failed", "D-18: {name}: {again}");
        assert_eq!(state(&path), after, "D-18: {name}");
    }
    let mut watch = Watch::from_start(&client, healthy).await;
    send(&client, healthy, "And you?").await;
    watch.until("turn_outcome").await;
}

/// Inode, length and allocated size.
fn state(path: &Path) -> Option<(u64, u64, u64, Vec<u8>)> {
    let metadata = fs::metadata(path).ok()?;
    Some((
        metadata.ino(),
        metadata.len(),
        metadata.blocks(),
        fs::read(path).unwrap(),
    ))
}
