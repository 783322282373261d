//! Calls of a handler to the client.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::methods::QUESTION_LIMIT;
use crate::peer::{Peer, code};

const ASK: &str = r#"{"jsonrpc":"2.0","id":"a","method":"askBack","params":["why"]}"#;

/// Has the daemon ask, and returns its question.
async fn question(peer: &mut Peer) -> Value {
    let question = peer.ask(ASK).await;
    assert_eq!(question["method"], "question");
    assert_eq!(question["params"], json!({"text": "why"}));
    question
}

#[tokio::test]
async fn a_handler_gets_the_answer_of_the_client() {
    let mut peer = Peer::new();
    let question = question(&mut peer).await;
    peer.line(r#"{"jsonrpc":"2.0","id":"other","result":"not asked for"}"#)
        .await;
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": "because"});
    let reply = peer.ask(&answer.to_string()).await;
    assert_eq!(
        reply,
        json!({"jsonrpc": "2.0", "id": "a", "result": "because"})
    );
    // It counts once.
    peer.line(&answer.to_string()).await;
    assert_eq!(peer.call("echo", json!([1])).await["a"], 1);
}

#[tokio::test]
async fn an_answer_may_be_in_a_batch_and_an_error() {
    let mut peer = Peer::new();
    let question = question(&mut peer).await;
    let error = json!({"code": 1002, "message": "no idea", "data": null});
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "error": error});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "echo"});
    peer.line(&json!([answer, call]).to_string()).await;
    let replies = [peer.read().await, peer.read().await];
    let of = |id: &Value| {
        let is_it = |reply: &&Value| match reply {
            Value::Array(batch) => batch[0]["id"] == *id,
            reply => reply["id"] == *id,
        };
        replies.iter().find(is_it).unwrap()
    };
    assert_eq!(of(&json!("a"))["error"]["message"], "no idea");
    assert_eq!(of(&json!(2)).as_array().unwrap().len(), 1);
}

/// `[0,0,…]` of a few MiB would become a tree of hundreds.
#[tokio::test]
async fn the_data_of_an_error_is_held_to_the_limit_of_params() {
    let mut peer = Peer::new();
    let question = question(&mut peer).await;
    let zeros = vec!["0"; 100_000].join(",");
    let answer = format!(
        r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":1,"message":"m","data":[{zeros}]}}}}"#,
        question["id"]
    );
    let reply = peer.ask(&answer).await;
    assert_eq!(
        (code(&reply), &reply["id"]),
        ("internal_error", &json!("a"))
    );
    assert!(reply.to_string().len() < 1000, "{reply}");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_answer_is_not_waited_for() {
    let mut peer = Peer::new();
    let started = Instant::now();
    question(&mut peer).await;
    let reply = peer.read().await;
    assert_eq!(
        (code(&reply), &reply["id"]),
        ("internal_error", &json!("a"))
    );
    assert!(started.elapsed() >= QUESTION_LIMIT);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_waits_for_a_client_ends_with_what_the_client_says() {
    let mut peer = Peer::new();
    let started = Instant::now();
    question(&mut peer).await;
    peer.finish().await;
    let reply = peer.read().await;
    assert_eq!(
        (code(&reply), &reply["id"]),
        ("internal_error", &json!("a"))
    );
    assert!(started.elapsed() < Duration::from_secs(1));
}
