//! Logs modified by another process while the daemon uses them.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{FileExt as _, MetadataExt};
use std::path::Path;

use scorel_client::Connection;
use scorel_proto::{SessionId, SubscribeEventsParams};
use scorel_testkit::DaemonUnderTest;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::raw::RawConnection;
use crate::under_test::{PATIENCE, SCORELD, Watch, new_session, send};

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

/// A session that has had a turn.
async fn answered(daemon: &DaemonUnderTest) -> (Connection, SessionId, Watch) {
    let (client, session) = new_session(daemon).await;
    let mut watch = Watch::from_start(&client, session).await;
    send(&client, session, "Hello?").await;
    watch.until("turn_outcome").await;
    (client, session, watch)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_another_program_changed_is_not_written_any_more() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (client, healthy) = new_session(&daemon).await;
    for (name, change) in CHANGES {
        let (_client, session, mut watch) = answered(&daemon).await;
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

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_whose_log_cannot_be_read_ends_and_says_so() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    // The watch keeps the session loaded.
    let (client, session, _watch) = answered(&daemon).await;
    let path = daemon.log_path(&session.to_string());
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    let params = SubscribeEventsParams {
        session_id: session,
        persistent_last_seq: None,
        stream_last_seq: None,
        persistent_last_id: None,
    };
    let mut subscription = client.subscribe_events(&params).await.unwrap();
    let end = loop {
        let item = timeout(PATIENCE, subscription.next()).await;
        let item = item.expect("the client is told").expect("an end");
        let item: Value = serde_json::from_str(item.get()).unwrap();
        assert_ne!(item["type"], "sync_end", "the log is too short");
        if item["type"] == "end" {
            break item;
        }
    };
    assert_eq!(end["reason"], "failed", "{end}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_with_damaged_records_only_does_not_end_a_reading() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (_client, session, _watch) = answered(&daemon).await;
    let path = daemon.log_path(&session.to_string());
    let mut raw = RawConnection::connect(&daemon);
    let mut page = |place: &str, seq: u64| {
        let mut params = json!({"sessionId": session, "limit": 1});
        params[place] = json!(seq);
        let mut reply = raw.call("getEvents", &params);
        reply["result"].take()
    };
    let mut seqs: Vec<u64> = Vec::new();
    loop {
        let page = page("afterSeq", seqs.last().copied().unwrap_or(0));
        seqs.push(page["events"][0]["seq"].as_u64().unwrap());
        if page["more"] == false {
            break;
        }
    }
    assert!(seqs.len() >= 4, "{seqs:?}");
    let [first, second, third] = [seqs[0], seqs[1], seqs[2]];
    damage(&path, second);
    let forward = page("afterSeq", first);
    assert_eq!(forward["events"][0]["seq"], third, "{forward}");
    damage(&path, third);
    let backward = page("beforeSeq", seqs[3]);
    assert_eq!(backward["events"][0]["seq"], first, "{backward}");
    assert_eq!(backward["more"], false, "{backward}");
}

/// Changes a byte in the middle of a record.
fn damage(path: &Path, seq: u64) {
    let mut log = fs::read(path).unwrap();
    let mut start = 0;
    let line = log.split_inclusive(|byte| *byte == b'\n').find_map(|line| {
        let range = start..start + line.len();
        start = range.end;
        let record: Value = serde_json::from_slice(line).ok()?;
        (record["seq"] == seq).then_some(range)
    });
    let line = line.expect("the record");
    let middle = usize::midpoint(line.start, line.end);
    log[middle] = if log[middle] == b'a' { b'b' } else { b'a' };
    // In place: a log that is replaced is another one.
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(&log, 0).unwrap();
}

/// Inode, length and content. Not the allocated size: file systems allocate later.
fn state(path: &Path) -> Option<(u64, u64, Vec<u8>)> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.ino(), metadata.len(), fs::read(path).unwrap()))
}
