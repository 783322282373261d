//! Clients that read slowly or not at all.

use std::sync::atomic::Ordering;

use scorel_rpc::{ConnectionEnd, RpcLimits};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::peer::Peer;

const BOUND: usize = 128 * 1024;

fn limits() -> RpcLimits {
    RpcLimits {
        outbox: BOUND,
        calls: 8,
        ..RpcLimits::default()
    }
}

#[tokio::test]
async fn a_slow_reader_bounds_memory_and_loses_nothing() {
    let mut peer = Peer::limited(limits());
    let flood = r#"{"jsonrpc":"2.0","id":1,"method":"tick","params":[20000,500]}"#;
    peer.line(flood).await;
    peer.line(
        &flood
            .replace("20000", "20")
            .replace("500", "300000")
            .replace("\"id\":1", "\"id\":2"),
    )
    .await;
    let mut next = [0_u64; 2];
    let mut ids = Vec::<Value>::new();
    while next != [20_000, 20] {
        let message = peer.read().await;
        match message["id"].is_null() {
            false => ids.push(message["result"].clone()),
            true => {
                let from = ids
                    .iter()
                    .position(|id| *id == message["params"]["subscription"])
                    .unwrap();
                assert_eq!(message["params"]["result"]["n"], next[from]);
                next[from] += 1;
            }
        }
    }
    let peak = peer.probe.peak.load(Ordering::SeqCst);
    assert!(peak > BOUND / 2 && peak <= BOUND, "{peak} of {BOUND}");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_reads_is_disconnected() {
    let mut peer = Peer::limited(limits());
    let probe = peer.probe.clone();
    let started = Instant::now();
    peer.line(r#"{"jsonrpc":"2.0","id":1,"method":"slow"}"#)
        .await;
    peer.line(r#"{"jsonrpc":"2.0","id":2,"method":"tick","params":[1000000,500]}"#)
        .await;
    probe.until(&probe.ended, 2).await;
    assert_eq!(started.elapsed().as_secs(), 30);
    assert!(matches!(peer.end().await, ConnectionEnd::WriteFailed(_)));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_slowly_is_kept() {
    let mut peer = Peer::limited(limits());
    peer.line(r#"{"jsonrpc":"2.0","id":2,"method":"tick","params":[1000,500]}"#)
        .await;
    peer.read().await;
    for _ in 0..20 {
        tokio::time::advance(std::time::Duration::from_secs(20)).await;
        for _ in 0..50 {
            peer.read().await;
        }
    }
    assert_eq!(peer.call("echo", json!({})).await, json!({}));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_replies_is_no_longer_read() {
    let mut peer = Peer::limited(limits());
    let line = format!(
        "{}\n",
        r#"{"jsonrpc":"2.0","id":null,"method":"big","params":[10000]}"#
    );
    let mut written = 0;
    while tokio::io::AsyncWriteExt::write_all(&mut peer.writer, line.as_bytes())
        .await
        .is_ok()
    {
        written += line.len();
    }
    // What two pipes and the calls in flight hold. Then the write timeout ends the connection.
    assert!(written < 256 * 1024, "{written} bytes were read");
}
