//! Limits and their errors, and that slots are released.

use std::io::{ErrorKind, Write};
use std::net::Shutdown;
use std::path::PathBuf;

use scorel_testkit::DaemonUnderTest;
use serde_json::json;

use crate::raw::RawConnection;
use crate::under_test::{SCORELD, Watch, new_session, send};

async fn configured(rpc: &str) -> DaemonUnderTest {
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure(&format!("[rpc]\n{rpc}\n"));
    daemon.spawn().await;
    daemon
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_too_many_is_refused_and_a_freed_place_is_usable() {
    let daemon = configured("maxSubscriptions = 4").await;
    let (_client, session) = new_session(&daemon).await;
    let mut raw = RawConnection::connect(&daemon);
    let params = json!({"sessionId": session});
    let subscribed: Vec<_> = (0..4)
        .map(|_| raw.call("subscribeEvents", &params))
        .collect();
    let refused = raw.call("subscribeEvents", &params);
    assert_eq!(refused["error"]["data"]["code"], "overloaded", "{refused}");
    assert_eq!(refused["error"]["data"]["retryable"], true);
    let freed = json!({"subscription": subscribed[0]["result"]});
    assert_eq!(raw.call("unsubscribeEvents", &freed)["result"], true);
    assert!(raw.call("subscribeEvents", &params)["result"].is_string());
    assert_eq!(
        raw.call("unsubscribeEvents", &freed)["result"],
        false,
        "it is known no more"
    );
    assert!(RawConnection::connect(&daemon).call("subscribeEvents", &params)["result"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_subscriptions_are_not_more_than_the_limit() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (_client, session) = new_session(&daemon).await;
    let mut raw = RawConnection::connect(&daemon);
    // Without pages of the program's file: a busy system maps more or fewer of them at a time.
    let before = daemon.anonymous_kib();
    let count = 10_000;
    let call = |id| {
        let params = json!({"sessionId": session});
        json!({"jsonrpc": "2.0", "id": id, "method": "subscribeEvents", "params": params})
    };
    let text: String = (0..count).map(|id| call(id).to_string() + "\n").collect();
    let mut writer = raw.stream().try_clone().unwrap();
    let writes = std::thread::spawn(move || writer.write_all(text.as_bytes()).unwrap());
    let replies: Vec<_> = (0..count)
        .map(|_| raw.reply().expect("an answer"))
        .collect();
    writes.join().unwrap();
    let made = replies
        .iter()
        .filter(|reply| reply["result"].is_string())
        .count();
    assert_eq!(made, 64, "B-34");
    let refused = replies
        .iter()
        .filter(|reply| reply["error"]["data"]["code"] == "overloaded");
    assert_eq!(refused.count(), count - made);
    let grown = daemon.anonymous_kib().saturating_sub(before);
    assert!(grown <= 16 * 1024, "{grown} KiB");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_is_never_finished_ends_its_connection_and_no_other() {
    let daemon = configured("partialFrameSeconds = 1").await;
    let mut others = RawConnection::connect(&daemon);
    let mut slow = RawConnection::connect(&daemon);
    let mut headers = RawConnection::connect(&daemon);
    slow.write(b"{\"jsonrpc\":\"2.0\",");
    headers.write(b"Content-Length: 10\r\n\r\n{");
    assert!(others.works());
    let told = String::from_utf8(slow.read_to_end()).unwrap();
    println!("a slow sender is told: {told:?}");
    headers.read_to_end();
    assert!(others.works(), "B-03: an idle connection lives on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_may_come_byte_by_byte() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let mut raw = RawConnection::connect(&daemon);
    for byte in json!({"jsonrpc": "2.0", "id": 7, "method": "getStatus"})
        .to_string()
        .bytes()
    {
        raw.write(&[byte]);
    }
    raw.write(b"\n");
    assert_eq!(raw.reply().unwrap()["id"], 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_halves_of_frames_leave_nothing_behind() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let sockets = || {
        let open = daemon.open_files();
        let is_socket = |file: &&PathBuf| file.to_string_lossy().starts_with("socket:");
        open.iter().filter(is_socket).count()
    };
    assert!(RawConnection::connect(&daemon).works());
    let before = sockets();
    for _ in 0..1000 {
        let mut raw = RawConnection::connect(&daemon);
        raw.write(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"getSta");
    }
    // The daemon notices closed connections asynchronously; each poll gives it time.
    let mut looks = 0;
    while sockets() > before + 1 {
        looks += 1;
        let now = sockets();
        assert!(looks < 10_000, "{now} sockets instead of {before}");
        RawConnection::connect(&daemon).works();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_reads_nothing_is_disconnected_in_time_and_its_place_is_free() {
    let daemon = configured("writeTimeoutSeconds = 1\nmaxConnections = 1").await;
    let deaf = RawConnection::connect(&daemon);
    let ask = b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"rpc.discover\"}\n";
    let mut asked = 0;
    let end = loop {
        if let Err(error) = deaf.stream().write_all(ask) {
            break error.kind();
        }
        asked += 1;
        assert!(asked < 1_000_000, "the daemon reads for ever");
    };
    let closed = [ErrorKind::BrokenPipe, ErrorKind::ConnectionReset];
    assert!(closed.contains(&end), "{end}");
    // Until the daemon has noticed the close, it may refuse the new connection.
    while !RawConnection::connect(&daemon).works() {}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_half_closed_peer_is_served_to_its_end_and_no_longer() {
    let daemon = configured("maxConnections = 2").await;
    let (client, session) = new_session(&daemon).await;
    let subscribe = json!({"sessionId": session});

    let mut says_no_more = RawConnection::connect(&daemon);
    assert!(says_no_more.call("subscribeEvents", &subscribe)["result"].is_string());
    says_no_more.write(b"{\"jsonrpc\":\"2.0\",\"id\":\"last\",\"method\":\"getStatus\"}\n");
    says_no_more.stream().shutdown(Shutdown::Write).unwrap();
    assert_eq!(says_no_more.reply().unwrap()["id"], "last");
    assert_eq!(
        says_no_more.reply(),
        None,
        "what it has subscribed to ends too"
    );

    // Until the daemon has noticed the close, it may refuse the new connection.
    let mut hears_no_more = loop {
        let mut raw = RawConnection::connect(&daemon);
        if raw.works() {
            break raw;
        }
    };
    assert!(hears_no_more.call("subscribeEvents", &subscribe)["result"].is_string());
    hears_no_more.stream().shutdown(Shutdown::Read).unwrap();
    send(&client, session, "Hello?").await;
    let ask = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"getStatus\"}\n";
    let mut asked = 0;
    while hears_no_more.write(ask) {
        asked += 1;
        assert!(asked < 1_000_000, "the connection does not end");
    }
    while !RawConnection::connect(&daemon).works() {}
    let mut watch = Watch::from_start(&client, session).await;
    watch.until("turn_outcome").await;
}
