//! Limits of requests: values, members, bytes in flight.

use std::sync::atomic::Ordering;
use std::time::Duration;

use scorel_rpc::RpcLimits;
use serde_json::json;
use tokio::time::timeout;

use crate::peer::{Peer, code};

const KIB: usize = 1024;

/// A pending call in a frame of `size` bytes.
fn slow(id: u64, size: usize) -> String {
    let frame =
        |tag: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"slow","params":["{tag}"]}}"#);
    frame(&"x".repeat(size - frame("").len()))
}

fn limits() -> RpcLimits {
    RpcLimits {
        frame_in: 256 * KIB,
        in_flight: 64 * KIB,
        ..RpcLimits::default()
    }
}

/// Checks that nothing was sent once all tasks are idle.
async fn nothing_comes(peer: &mut Peer) {
    let mut byte = [0];
    let read = tokio::io::AsyncReadExt::read(&mut peer.reader, &mut byte);
    assert!(timeout(Duration::from_secs(3600), read).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn large_calls_in_flight_delay_further_ones_without_an_error() {
    let mut peer = Peer::limited(limits());
    let probe = peer.probe.clone();
    peer.line(&slow(1, 32 * KIB - 1)).await;
    peer.line(&slow(2, 32 * KIB)).await;
    let small = r#"{"jsonrpc":"2.0","id":9,"method":"echo"}"#;
    assert_eq!(peer.ask(small).await["id"], 9, "one byte is left");
    peer.line(&slow(3, 100)).await;
    peer.line(r#"{"jsonrpc":"2.0","id":4,"method":"note","params":["later"]}"#)
        .await;
    nothing_comes(&mut peer).await;
    assert_eq!(probe.begun.load(Ordering::SeqCst), 3);
    probe.gate.add_permits(1);
    assert_eq!(peer.read().await["id"], 1);
    assert_eq!(peer.read().await["id"], 4, "there is room again");
    probe.gate.add_permits(2);
    assert_eq!(peer.read().await["id"], 2);
    assert_eq!(peer.read().await["id"], 3);
}

#[tokio::test(start_paused = true)]
async fn a_call_above_the_limit_in_flight_is_served_alone() {
    let mut peer = Peer::limited(limits());
    let probe = peer.probe.clone();
    let mut writer =
        std::mem::replace(&mut peer.writer, tokio::io::split(tokio::io::duplex(1).0).1);
    let writing = tokio::spawn(async move {
        let lines = format!("{}\n{}\n", slow(1, 200 * KIB), slow(2, 200 * KIB));
        tokio::io::AsyncWriteExt::write_all(&mut writer, lines.as_bytes())
            .await
            .unwrap();
        writer
    });
    for id in 1..=2 {
        probe.until(&probe.begun, id).await;
        nothing_comes(&mut peer).await;
        assert_eq!(probe.begun.load(Ordering::SeqCst), id);
        probe.gate.add_permits(1);
        assert_eq!(peer.read().await["id"], id);
    }
    writing.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_large_batch_in_flight_counts_as_its_frame() {
    let mut peer = Peer::limited(limits());
    let probe = peer.probe.clone();
    let batch = format!("[{},{}]", slow(1, 100), slow(2, 63 * KIB));
    peer.line(&batch.replace("[{", &format!("[{}{{", " ".repeat(KIB))))
        .await;
    peer.line(r#"{"jsonrpc":"2.0","id":3,"method":"echo"}"#)
        .await;
    nothing_comes(&mut peer).await;
    probe.gate.add_permits(2);
    let batch = peer.read().await;
    assert_eq!((&batch[0]["id"], &batch[1]["id"]), (&json!(1), &json!(2)));
    assert_eq!(peer.read().await["id"], 3);
}

#[tokio::test(start_paused = true)]
async fn declared_reply_sizes_count_while_calls_are_in_flight() {
    let call = |id: u64| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"slowAndLarge"}}"#);
    let mut peer = Peer::limited(limits());
    let probe = peer.probe.clone();
    for id in 1..=9 {
        peer.line(&call(id)).await;
    }
    for begun in [2, 3] {
        nothing_comes(&mut peer).await;
        assert_eq!(probe.begun.load(Ordering::SeqCst), begun);
        probe.gate.add_permits(1);
        assert!(peer.read().await["result"].is_string());
    }
    let mut peer = Peer::limited(limits());
    let probe = peer.probe.clone();
    peer.line(&format!("[{},{}]", call(1), call(2))).await;
    peer.line(&call(3)).await;
    nothing_comes(&mut peer).await;
    assert_eq!(
        probe.begun.load(Ordering::SeqCst),
        1,
        "a batch counts as a whole"
    );
}

#[tokio::test]
async fn params_with_too_many_values_fail_only_their_call() {
    let mut peer = Peer::limited(RpcLimits {
        values: 300,
        ..RpcLimits::default()
    });
    let call = |id: u64, values: usize| {
        // The params themselves and an array are two more.
        let zeros = vec!["0"; values - 2].join(",");
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"echo","params":{{"a":[{zeros}]}}}}"#)
    };
    assert!(peer.ask(&call(1, 300)).await["result"].is_object());
    let refused = peer.ask(&call(2, 301)).await;
    assert_eq!(
        (code(&refused), &refused["id"]),
        ("invalid_params", &json!(2))
    );
    assert_eq!(refused["error"]["data"]["details"]["limit"], 300);
    let batch = format!("[{},{},{}]", call(3, 301), call(4, 300), call(5, 300));
    let replies = peer.ask(&batch).await;
    assert_eq!(code(&replies[0]), "invalid_params");
    assert!(replies[1]["result"].is_object() && replies[2]["result"].is_object());
    let text = format!(
        r#"{{"jsonrpc":"2.0","id":6,"method":"echo","params":["{}"]}}"#,
        ",[".repeat(999)
    );
    assert!(peer.ask(&text).await["result"].is_object());
}

#[tokio::test]
async fn unknown_members_are_limited_in_number_and_length() {
    let mut peer = Peer::new();
    let request = |others: usize| {
        let others: String = (0..others).map(|n| format!(r#","x{n}":0"#)).collect();
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"echo"{others}}}"#)
    };
    assert!(peer.ask(&request(64)).await["result"].is_object());
    assert_eq!(code(&peer.ask(&request(65)).await), "invalid_request");
    let long = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":{{"{}":0}}}}"#,
        "x".repeat(1025)
    );
    assert_eq!(code(&peer.ask(&long).await), "parse_error");
    let name = long.replacen('x', "", 1);
    assert!(peer.ask(&name).await["result"].is_object());
}
