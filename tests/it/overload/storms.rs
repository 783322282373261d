//! Many requests in parallel.

use std::collections::HashSet;
use std::io::{ErrorKind, Write};
use std::time::Duration;

use scorel_testkit::DaemonUnderTest;
use serde_json::json;

use crate::raw::RawConnection;
use crate::under_test::{SCORELD, new_session};

/// The allowed growth of the daemon's memory for replies that are not read, in KiB. Without optimisation a
/// request in progress takes several KiB, and a busy machine has thousands of them in progress at once.
const GROWTH_KIB: u64 = 32 * 1024;

/// The allowed growth for unread descriptions of the protocol, in KiB. A description is some 200 KiB, and
/// each counts as 1 MiB of the 16 MiB that may be in flight; all of them would take more than 80 MiB.
const UNREAD_KIB: u64 = 16 * 1024;

/// The allowed growth for large replies, in KiB. Some are built before the daemon stops reading,
/// each in several steps; all of them would take more than twice as much.
const BLOBS_KIB: u64 = 160 * 1024;

fn request(id: usize, method: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method}).to_string() + "\n"
}

/// Reads until each of `count` requests has its reply.
fn read_replies(raw: &mut RawConnection, count: usize) {
    let mut answered = HashSet::new();
    while answered.len() < count {
        let reply = raw.reply().expect("an answer");
        assert!(reply["result"].is_object(), "{reply}");
        let id = reply["id"].as_u64().expect("a number");
        assert!(answered.insert(id), "B-09: {id} was answered twice");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_requests_at_once_are_all_answered_once() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let mut raw = RawConnection::connect(&daemon);
    let count = 10_000;
    let text: String = (0..count).map(|id| request(id, "getStatus")).collect();
    let mut writer = raw.stream().try_clone().unwrap();
    daemon.reset_peak();
    let before = daemon.resident_kib();
    let writes = std::thread::spawn(move || writer.write_all(text.as_bytes()).unwrap());
    read_replies(&mut raw, count);
    writes.join().unwrap();
    let grown = daemon.peak_kib().saturating_sub(before);
    println!("storm: {grown} KiB more memory");
    assert!(grown <= GROWTH_KIB, "{grown} KiB");
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_answers_stop_the_client_that_asks_for_them() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let mut raw = RawConnection::connect(&daemon);
    // A reply in advance, so that one-time allocations do not count.
    raw.call("rpc.discover", &json!({}));
    daemon.reset_peak();
    let before = daemon.resident_kib();
    raw.stream()
        .set_write_timeout(Some(Duration::from_millis(500)))
        .unwrap();
    let mut written = Vec::new();
    let mut stream = raw.stream();
    let mut asked = 0;
    let rest = loop {
        let text = request(asked, "rpc.discover");
        let mut left = text.as_bytes();
        let blocked = loop {
            match stream.write(left) {
                Ok(count) if count == left.len() => break false,
                Ok(count) => left = &left[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => break true,
                // A process of another test ended.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => panic!("{error}"),
            }
        };
        asked += 1;
        assert!(asked < 1_000_000, "the daemon reads for ever");
        if blocked {
            break left.to_vec();
        }
        written.push(asked);
    };
    let grown = daemon.peak_kib().saturating_sub(before);
    println!("unread answers: {asked} requests, {grown} KiB more memory");
    assert!(grown <= UNREAD_KIB, "{grown} KiB");
    assert!(RawConnection::connect(&daemon).works(), "others are served");
    let mut writer = raw.stream().try_clone().unwrap();
    writer.set_write_timeout(None).unwrap();
    let writes = std::thread::spawn(move || writer.write_all(&rest).unwrap());
    read_replies(&mut raw, asked);
    writes.join().unwrap();
    assert!(raw.works());
}

#[tokio::test(flavor = "multi_thread")]
async fn large_unread_answers_are_not_made_in_advance() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (_client, session) = new_session(&daemon).await;
    let mut raw = RawConnection::connect(&daemon);
    let zeros = "A".repeat(4 * 1024 * 1024 / 3 * 4);
    let stored = raw.call("putBlob", &json!({"sessionId": session, "data": zeros}));
    let params = json!({"sessionId": session, "sha256": stored["result"]["sha256"]});
    daemon.reset_peak();
    let before = daemon.resident_kib();
    let ask = |id: usize| {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "getBlob", "params": params});
        call.to_string() + "\n"
    };
    let asked: String = (0..64).map(ask).collect();
    assert!(raw.write(asked.as_bytes()));
    // While these are read, the daemon has had the time to build the others.
    for _ in 0..4 {
        let reply = raw.reply().expect("an answer");
        assert_eq!(
            reply["result"]["data"].as_str().map(str::len),
            Some(zeros.len())
        );
    }
    let grown = daemon.peak_kib().saturating_sub(before);
    println!("64 blobs: {grown} KiB more memory");
    assert!(grown <= BLOBS_KIB, "{grown} KiB");
    assert!(RawConnection::connect(&daemon).works());
}
