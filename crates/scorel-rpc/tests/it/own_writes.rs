//! A connection reads its own writes.

use serde_json::{Value, json};

use crate::peer::Peer;

fn change(id: u32, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": "change", "params": params}).to_string()
}

fn read(id: u32, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": "echo", "params": params}).to_string()
}

#[tokio::test]
async fn a_read_waits_for_the_mutation_of_its_session_before_it_and_for_no_other() {
    for params in [json!({"sessionId": "s"}), json!(["s"])] {
        let mut peer = Peer::new();
        let mine = json!({"sessionId": "s", "runtimeId": null});
        peer.line(&read(1, &mine)).await;
        peer.line(&change(2, &params)).await;
        peer.line(&read(3, &mine)).await;
        peer.line(&change(4, &params)).await;
        for (id, other) in [
            (5, json!({"sessionId": "t"})),
            (6, json!({})),
            (7, json!([1, 2])),
        ] {
            peer.line(&read(id, &other)).await;
        }
        for expected in [1, 5, 6, 7] {
            assert_eq!(peer.read().await["id"], expected);
        }
        peer.probe.gate.add_permits(1);
        assert_eq!(peer.read().await["id"], 2);
        assert_eq!(
            peer.read().await["id"],
            3,
            "the second mutation came after it"
        );
        peer.probe.gate.add_permits(1);
        assert_eq!(peer.read().await["id"], 4);
        let after = peer.call("echo", mine.clone()).await;
        assert_eq!(after, mine);
    }
}

#[tokio::test]
async fn a_read_waits_for_notifications_and_batches() {
    let notification = r#"{"jsonrpc":"2.0","method":"change","params":{"sessionId":"s"}}"#;
    let batch = format!("[{notification},{notification}]");
    for (mutation, count) in [(notification, 1), (&*batch, 2)] {
        let mut peer = Peer::new();
        peer.line(mutation).await;
        peer.line(&read(1, &json!({"sessionId": "s"}))).await;
        peer.line(&read(2, &json!({}))).await;
        assert_eq!(peer.read().await["id"], 2);
        peer.probe.gate.add_permits(count);
        assert_eq!(peer.read().await["id"], 1);
    }
}

#[tokio::test]
async fn a_read_waits_for_the_write_and_not_for_what_the_call_does_after_it() {
    let mut peer = Peer::new();
    let params = json!({"sessionId": "s"});
    let slow = json!({"jsonrpc": "2.0", "id": 1, "method": "changeSlowly", "params": params});
    peer.line(&slow.to_string()).await;
    let answer = peer.ask(&read(2, &params)).await;
    assert_eq!(answer["id"], 2);
    peer.probe.gate.add_permits(1);
    assert_eq!(peer.read().await["id"], 1);
}
