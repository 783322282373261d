//! Ends of connections: end of file, shutdown, close.

use std::sync::atomic::Ordering;

use scorel_rpc::ConnectionEnd;
use serde_json::json;
use tokio::time::Instant;

use crate::peer::Peer;

const SLOW: &str = r#"{"jsonrpc":"2.0","id":5,"method":"slow","params":["x"]}"#;

#[tokio::test]
async fn calls_in_flight_are_answered_after_end_of_file() {
    let mut peer = Peer::new();
    let probe = peer.probe.clone();
    peer.line(SLOW).await;
    peer.finish().await;
    probe.until(&probe.begun, 1).await;
    probe.gate.add_permits(1);
    assert_eq!(
        peer.rest().await,
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"tag\":\"x\"}}\n"
    );
    assert!(matches!(peer.end().await, ConnectionEnd::PeerClosed));
}

#[tokio::test(start_paused = true)]
async fn calls_of_a_disconnected_client_are_dropped() {
    let mut peer = Peer::new();
    let probe = peer.probe.clone();
    peer.line(SLOW).await;
    probe.until(&probe.begun, 1).await;
    drop(peer);
    probe.until(&probe.ended, 1).await;
}

#[tokio::test(start_paused = true)]
async fn at_shutdown_calls_finish_and_no_further_frame_is_read() {
    let mut peer = Peer::new();
    let probe = peer.probe.clone();
    let started = Instant::now();
    peer.line(SLOW).await;
    probe.until(&probe.begun, 1).await;
    peer.shutdown.cancel();
    peer.line(&SLOW.replace('5', "6")).await;
    probe.gate.add_permits(9);
    assert_eq!(peer.read().await["id"], 5);
    assert_eq!(peer.rest().await, "");
    assert_eq!(probe.begun.load(Ordering::SeqCst), 1);
    assert!(started.elapsed().as_secs() < 5);
    assert!(matches!(peer.end().await, ConnectionEnd::Shutdown));
}

#[tokio::test(start_paused = true)]
async fn at_shutdown_calls_are_dropped_after_the_drain_timeout() {
    let mut peer = Peer::new();
    let started = Instant::now();
    peer.line(SLOW).await;
    peer.line(r#"{"jsonrpc":"2.0","id":1,"method":"tick","params":[3]}"#)
        .await;
    peer.read().await;
    peer.shutdown.cancel();
    let rest = peer.rest().await;
    assert_eq!(
        rest.lines().count(),
        3,
        "events that were queued are written: {rest}"
    );
    assert_eq!(started.elapsed().as_secs(), 5);
    let probe = peer.probe.clone();
    assert!(matches!(peer.end().await, ConnectionEnd::Shutdown));
    assert_eq!(probe.ended.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_reads_does_not_delay_the_shutdown() {
    let mut peer = Peer::new();
    let probe = peer.probe.clone();
    peer.line(r#"{"jsonrpc":"2.0","id":1,"method":"tick","params":[100000,500]}"#)
        .await;
    peer.read().await;
    let started = Instant::now();
    peer.shutdown.cancel();
    probe.until(&probe.ended, 1).await;
    peer.probe = probe;
    let (reader, _writer) = (&mut peer.reader, &peer.writer);
    let _ = reader;
    peer.end().await;
    assert!(started.elapsed().as_secs() <= 10, "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_handle_can_close_its_connection() {
    let mut peer = Peer::new();
    peer.call("whoami", json!({})).await;
    let connection = peer.probe.connection.lock().unwrap().take().unwrap();
    connection.close();
    assert_eq!(peer.rest().await, "");
    assert!(matches!(peer.end().await, ConnectionEnd::Closed));
}
