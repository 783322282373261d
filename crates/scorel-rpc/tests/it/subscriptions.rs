//! Subscriptions: order, ownership, limits.

use std::sync::atomic::Ordering;

use scorel_rpc::{ConnectionEnd, RpcLimits};
use serde_json::{Value, json};

use crate::peer::{Peer, code};

fn tick(count: usize) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tick","params":[{count}]}}"#)
}

#[tokio::test]
async fn the_reply_precedes_the_first_event_and_events_come_in_order() {
    let mut peer = Peer::new();
    for _ in 0..20 {
        let reply = peer.ask(&tick(100)).await;
        let id = reply["result"].as_str().unwrap().to_owned();
        for n in 0..100 {
            let event = peer.read().await;
            let expected = json!({
                "jsonrpc": "2.0",
                "method": "ticked",
                "params": {"subscription": id, "result": {"n": n, "padding": ""}},
            });
            assert_eq!(event, expected);
        }
        assert_eq!(peer.call("untick", json!([id])).await, true);
    }
}

#[tokio::test]
async fn no_event_follows_the_reply_of_unsubscribe() {
    let mut peer = Peer::new();
    let id = peer.ask(&tick(usize::MAX)).await["result"]
        .as_str()
        .unwrap()
        .to_owned();
    peer.line(&format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"untick","params":["{id}"]}}"#
    ))
    .await;
    while peer.read().await["id"] != 2 {}
    let probe = peer.probe.clone();
    probe.until(&probe.ended, 1).await;
    assert_eq!(peer.call("untick", json!([id])).await, false);
    peer.finish().await;
    assert_eq!(peer.rest().await, "");
}

#[tokio::test]
async fn a_subscription_belongs_to_its_connection() {
    let mut peer = Peer::new();
    let mut other = Peer::new();
    let id = peer.ask(&tick(0)).await["result"].clone();
    assert_eq!(other.call("untick", json!([id])).await, false);
    assert_eq!(peer.call("untick", json!([id])).await, true);
    assert_eq!(peer.call("untick", json!(["unknown"])).await, false);
}

#[tokio::test]
async fn subscriptions_are_limited_until_one_ends() {
    let mut peer = Peer::limited(RpcLimits {
        subscriptions: 3,
        ..RpcLimits::default()
    });
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(peer.ask(&tick(0)).await["result"].clone());
    }
    for _ in 0..100 {
        let reply = peer.ask(&tick(0)).await;
        assert_eq!(
            (code(&reply), &reply["error"]["data"]["retryable"]),
            ("overloaded", &json!(true))
        );
    }
    assert_eq!(peer.call("untick", json!([ids[0]])).await, true);
    assert!(peer.ask(&tick(0)).await["result"].is_string());
}

#[tokio::test]
async fn a_subscription_whose_call_fails_never_sends() {
    let mut peer = Peer::limited(RpcLimits {
        subscriptions: 1,
        ..RpcLimits::default()
    });
    for _ in 0..5 {
        let reply = peer
            .ask(r#"{"jsonrpc":"2.0","id":1,"method":"tickThenFail"}"#)
            .await;
        assert_eq!(code(&reply), "conflict");
    }
    assert_eq!(
        peer.probe.ended.load(Ordering::SeqCst),
        0,
        "the pump never began"
    );
    let reply = peer
        .ask(r#"{"jsonrpc":"2.0","id":1,"method":"undeclared"}"#)
        .await;
    assert_eq!(code(&reply), "internal_error");
}

#[tokio::test]
async fn a_panicking_pump_closes_its_connection() {
    let mut peer = Peer::new();
    let reply = peer
        .ask(r#"{"jsonrpc":"2.0","id":1,"method":"tickThenPanic"}"#)
        .await;
    assert!(reply["result"].is_string());
    assert_eq!(peer.rest().await, "");
    assert!(matches!(peer.end().await, ConnectionEnd::Closed));
}

#[tokio::test]
async fn pumps_end_with_their_connection() {
    let mut peer = Peer::new();
    let probe = peer.probe.clone();
    for _ in 0..10 {
        assert!(peer.ask(&tick(0)).await["result"].is_string());
    }
    drop(peer);
    probe.until(&probe.ended, 10).await;
}

#[tokio::test]
async fn replies_and_events_share_one_order() {
    let mut peer = Peer::new();
    peer.write(format!("{}\n", tick(50)).repeat(1)).await;
    peer.line(r#"{"jsonrpc":"2.0","id":2,"method":"slow"}"#)
        .await;
    let mut seen = Vec::new();
    while seen.len() < 51 {
        seen.push(peer.read().await);
    }
    peer.probe.gate.add_permits(1);
    assert_eq!(seen[0]["id"], 1);
    assert!(seen[1..].iter().all(|event| event["id"] == Value::Null));
    assert_eq!(peer.read().await["id"], 2);
}
