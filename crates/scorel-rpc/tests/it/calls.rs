//! Calls in flight: order, limits, access, failures.

use std::sync::atomic::Ordering;

use scorel_proto::ClientId;
use scorel_rpc::{AccessLevel, RpcLimits};
use serde_json::{Value, json};

use crate::peer::{Peer, caller, code};

fn slow(id: impl std::fmt::Display) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"slow","params":[{id}]}}"#)
}

#[tokio::test]
async fn handlers_begin_in_order_of_arrival() {
    let mut peer = Peer::new();
    let lines: String = (0..200)
        .map(|n| {
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{n},\"method\":\"note\",\"params\":[{n}]}}\n")
        })
        .collect();
    peer.write(lines).await;
    for _ in 0..200 {
        peer.read().await;
    }
    let expected: Vec<_> = (0..200).map(|n| format!("{{\"text\":{n}}}")).collect();
    assert_eq!(*peer.probe.notes.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_pending_call_does_not_delay_others() {
    let mut peer = Peer::new();
    peer.line(&slow(5)).await;
    assert_eq!(peer.call("echo", json!({})).await, json!({}));
    peer.probe.gate.add_permits(1);
    assert_eq!(peer.read().await["id"], 5);
}

#[tokio::test]
async fn an_id_in_flight_cannot_be_used_again() {
    let mut peer = Peer::new();
    peer.line(&slow(5)).await;
    let second = peer
        .ask(r#"{"jsonrpc":"2.0","id":5,"method":"echo"}"#)
        .await;
    assert_eq!(
        (code(&second), &second["id"]),
        ("invalid_request", &json!(5))
    );
    let text = peer
        .ask(r#"{"jsonrpc":"2.0","id":"5","method":"echo"}"#)
        .await;
    assert_eq!(text["result"], json!({}));
    peer.probe.gate.add_permits(1);
    assert_eq!(peer.read().await["result"], json!({"tag": 5}));
    let third = peer
        .ask(r#"{"jsonrpc":"2.0","id":5,"method":"echo"}"#)
        .await;
    assert_eq!(third["result"], json!({}));
    let batch = peer
        .ask(r#"[{"jsonrpc":"2.0","id":1,"method":"echo"},{"jsonrpc":"2.0","id":1,"method":"echo"}]"#)
        .await;
    assert_eq!(batch[0]["result"], json!({}));
    assert_eq!(code(&batch[1]), "invalid_request");
}

#[tokio::test]
async fn reading_stops_at_the_limit_of_calls_and_resumes_below_it() {
    let mut peer = Peer::limited(RpcLimits {
        calls: 4,
        ..RpcLimits::default()
    });
    let probe = peer.probe.clone();
    for id in 0..6 {
        peer.line(&slow(id)).await;
    }
    probe.until(&probe.begun, 4).await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(probe.begun.load(Ordering::SeqCst), 4);
    probe.gate.add_permits(1);
    peer.read().await;
    probe.until(&probe.begun, 5).await;
    probe.gate.add_permits(5);
    for _ in 0..5 {
        peer.read().await;
    }
    assert_eq!(probe.begun.load(Ordering::SeqCst), 6);
}

#[tokio::test]
async fn a_panicking_handler_gets_a_reply_and_the_connection_stays() {
    let mut peer = Peer::new();
    for method in ["panic", "panicLater"] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
        let reply = peer.ask(&line).await;
        assert_eq!(
            (code(&reply), reply["error"]["code"].as_i64()),
            ("internal_error", Some(-32603))
        );
        assert!(!reply.to_string().contains("purpose"));
    }
    assert_eq!(peer.call("echo", json!({})).await, json!({}));
}

#[tokio::test]
async fn errors_tell_the_cause_and_whether_to_retry() {
    let mut peer = Peer::new();
    let reply = peer
        .ask(r#"{"jsonrpc":"2.0","id":1,"method":"fail"}"#)
        .await;
    let expected = json!({
        "code": 1004,
        "message": "a turn is running",
        "data": {"code": "runtime_busy", "retryable": true, "details": {"phase": "running"}},
    });
    assert_eq!(reply["error"], expected);
}

#[tokio::test]
async fn a_caller_without_access_is_refused_before_the_handler_runs() {
    for (access, allowed) in [
        (AccessLevel::Read, false),
        (AccessLevel::Control, false),
        (AccessLevel::Admin, true),
    ] {
        let mut peer = Peer::with(RpcLimits::default(), caller(access));
        let reply = peer
            .ask(r#"{"jsonrpc":"2.0","id":1,"method":"admin","params":{}}"#)
            .await;
        match allowed {
            true => assert_eq!(reply["result"], 1),
            false => assert_eq!(code(&reply), "forbidden"),
        }
        assert_eq!(peer.call("echo", json!({})).await, json!({}));
    }
}

#[tokio::test]
async fn an_authenticated_client_id_overrides_a_claimed_one() {
    let (claimed, proven) = (ClientId::generate(), ClientId::generate());
    let mut peer = Peer::new();
    assert_eq!(peer.call("whoami", json!({})).await, Value::Null);
    assert_eq!(
        peer.call("whoami", json!({"claim": claimed})).await,
        json!(claimed)
    );
    assert_eq!(peer.call("whoami", json!({})).await, json!(claimed));
    let known = scorel_rpc::Caller {
        client_id: Some(proven),
        ..caller(AccessLevel::Read)
    };
    let mut peer = Peer::with(RpcLimits::default(), known);
    assert_eq!(
        peer.call("whoami", json!({"claim": claimed})).await,
        json!(proven)
    );
}

#[tokio::test]
async fn a_reply_above_the_limit_becomes_an_error() {
    let mut peer = Peer::limited(RpcLimits {
        frame_out: 256 * 1024,
        ..RpcLimits::default()
    });
    let largest = 256 * 1024 - r#"{"jsonrpc":"2.0","id":1,"result":""}"#.len();
    assert_eq!(
        peer.call("big", json!([largest]))
            .await
            .as_str()
            .unwrap()
            .len(),
        largest
    );
    let too_big = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"big","params":[{}]}}"#,
        largest + 1
    );
    let reply = peer.ask(&too_big).await;
    assert_eq!(
        (code(&reply), &reply["id"]),
        ("payload_too_large", &json!(1))
    );
    let entry = |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"big","params":[100000]}}"#);
    peer.line(&format!("[{},{},{}]", entry(1), entry(2), entry(3)))
        .await;
    let text = peer.read_line().await;
    assert!(text.len() <= 256 * 1024);
    let batch: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(batch[1]["result"].as_str().unwrap().len(), 100_000);
    assert_eq!(code(&batch[2]), "payload_too_large");
}

#[tokio::test]
async fn a_reply_larger_than_the_outbox_is_written_whole() {
    let mut peer = Peer::limited(RpcLimits {
        outbox: 64 * 1024,
        ..RpcLimits::default()
    });
    for _ in 0..3 {
        assert_eq!(
            peer.call("big", json!([3_000_000]))
                .await
                .as_str()
                .unwrap()
                .len(),
            3_000_000
        );
    }
}
