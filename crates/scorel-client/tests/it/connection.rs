use scorel_client::{ClientError, Connection};
use scorel_proto::{
    ClientId, ErrorCode, GetStatus, ListProjects, NoParams, SessionId, SubscribeEventsParams,
};
use serde_json::{Value, json};

use crate::peer::Peer;

fn follow() -> SubscribeEventsParams {
    SubscribeEventsParams {
        session_id: SessionId::generate(),
        persistent_last_seq: None,
        stream_last_seq: None,
        persistent_last_id: None,
    }
}

#[tokio::test]
async fn replies_find_their_calls_in_any_order() {
    let peer = Peer::bind();
    let connection = Connection::connect(peer.path()).await.expect("connected");
    let daemon = async {
        let mut wire = peer.accept().await;
        let first = wire.expect("one").await;
        let second = wire.expect("two").await;
        wire.reply(&second, json!("second")).await;
        wire.reply(&json!({"id": 4711}), json!("unrequested")).await;
        wire.send(&json!("not an envelope")).await;
        wire.reply(&first, Value::Null).await;
        wire
    };
    let calls = async {
        tokio::join!(
            connection.call_raw("one", None),
            connection.call_raw("two", None)
        )
    };
    let (_wire, (one, two)) = tokio::join!(daemon, calls);
    assert_eq!(one.expect("a result").get(), "null");
    assert_eq!(two.expect("a result").get(), "\"second\"");
}

#[tokio::test]
async fn a_refusal_has_its_code_and_details() {
    let peer = Peer::bind();
    let connection = Connection::connect(peer.path()).await.expect("connected");
    let daemon = async {
        let mut wire = peer.accept().await;
        let call = wire.expect("listProjects").await;
        wire.refuse(&call, 1004, "runtime_busy").await;
    };
    let (answer, ()) = tokio::join!(connection.call::<ListProjects>(&NoParams {}), daemon);
    let Err(ClientError::Rpc(error)) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(error.code, ErrorCode::AgentTaskBusy);
}

#[tokio::test]
async fn a_result_of_another_shape_is_an_error_of_the_protocol() {
    let peer = Peer::bind();
    let connection = Connection::connect(peer.path()).await.expect("connected");
    let daemon = async {
        let mut wire = peer.accept().await;
        let call = wire.call().await.expect("a call");
        wire.reply(&call, json!({"projects": 1})).await;
        wire
    };
    let (answer, _wire) = tokio::join!(connection.call::<ListProjects>(&NoParams {}), daemon);
    assert!(
        matches!(answer, Err(ClientError::Protocol(_))),
        "{answer:?}"
    );
}

#[tokio::test]
async fn calls_end_with_the_connection() {
    let peer = Peer::bind();
    let connection = Connection::connect(peer.path()).await.expect("connected");
    let daemon = async {
        let mut wire = peer.accept().await;
        wire.call().await.expect("a call");
    };
    let (answer, ()) = tokio::join!(connection.call::<GetStatus>(&NoParams {}), daemon);
    assert!(matches!(answer, Err(ClientError::Closed)), "{answer:?}");
    connection.closed().await;
    let later = connection.call::<GetStatus>(&NoParams {}).await;
    assert!(matches!(later, Err(ClientError::Closed)), "{later:?}");
}

#[tokio::test]
async fn a_refused_connection_says_why() {
    let peer = Peer::bind();
    let connection = Connection::connect(peer.path()).await.expect("connected");
    let daemon = async {
        let mut wire = peer.accept().await;
        wire.refuse(&json!({"id": null}), 1012, "overloaded").await;
    };
    daemon.await;
    let answer = connection.call::<GetStatus>(&NoParams {}).await;
    let Err(ClientError::Rpc(error)) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(error.code, ErrorCode::Overloaded);
}

#[tokio::test]
async fn a_missing_socket_is_unreachable() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("none.sock");
    let error = Connection::connect(&path).await.expect_err("no listener");
    assert!(error.to_string().contains("none.sock"), "{error}");
    assert!(error.is_lost_connection());
}

#[tokio::test]
async fn a_daemon_of_another_protocol_is_named_with_its_version() {
    let peer = Peer::bind();
    let connection = Connection::connect(peer.path()).await.expect("connected");
    let daemon = async {
        let mut wire = peer.accept().await;
        let hello = wire.expect("hello").await;
        assert_eq!(hello["params"]["protocol"], json!({"min": 1, "max": 1}));
        wire.refuse(&hello, 1010, "protocol_mismatch").await;
        let status = wire.expect("getStatus").await;
        let future = json!({"version": "9.0", "protocol": {"min": 8, "max": 9}, "new": []});
        wire.reply(&status, future).await;
        wire
    };
    let (answer, _wire) = tokio::join!(connection.hello(Some(ClientId::generate())), daemon);
    let error = answer.expect_err("a mismatch");
    assert!(error.to_string().contains("9.0"), "{error}");
    assert!(error.to_string().contains("protocol 8 to 9"), "{error}");
    assert!(error.hint().is_some());
}

#[tokio::test]
async fn the_first_item_may_arrive_together_with_the_subscription() {
    let peer = Peer::bind();
    let connection = Connection::connect(peer.path()).await.expect("connected");
    let daemon = async {
        let mut wire = peer.accept().await;
        wire.subscribe("s").await;
        for number in 0..3 {
            wire.item("s", &json!(number)).await;
            wire.item("other", &json!("not ours")).await;
        }
    };
    let params = follow();
    let (subscription, ()) = tokio::join!(connection.subscribe_events(&params), daemon);
    let mut subscription = subscription.expect("subscribed");
    for number in 0..3 {
        let item = subscription.next().await.expect("an item");
        assert_eq!(item.get(), number.to_string());
    }
    assert!(subscription.next().await.is_none(), "the connection ended");
}

#[tokio::test]
async fn a_subscription_that_is_dropped_is_ended_at_the_daemon() {
    let peer = Peer::bind();
    let connection = Connection::connect(peer.path()).await.expect("connected");
    let mut wire = peer.accept().await;
    let params = follow();
    let (subscription, _) = tokio::join!(connection.subscribe_events(&params), wire.subscribe("s"));
    drop(subscription.expect("subscribed"));
    let call = wire.expect("unsubscribeEvents").await;
    assert_eq!(call["params"]["subscription"], "s");
    assert!(call.get("id").is_none(), "no reply is wanted");
}

#[tokio::test]
async fn a_connection_closes_with_its_last_owner() {
    let peer = Peer::bind();
    let connection = Connection::connect(peer.path()).await.expect("connected");
    let mut wire = peer.accept().await;
    let clone = connection.clone();
    drop(connection);
    drop(clone);
    assert!(wire.call().await.is_none(), "the daemon sees the end");
}

/// The daemon can write only as much as the socket and the buffer hold until the client reads.
#[tokio::test]
async fn a_full_subscription_makes_the_daemon_wait_and_loses_nothing() {
    const ITEMS: usize = 2_000;
    let peer = Peer::bind();
    let connection = Connection::connect(peer.path()).await.expect("connected");
    let mut wire = peer.accept().await;
    let params = follow();
    let (subscription, _) = tokio::join!(connection.subscribe_events(&params), wire.subscribe("s"));
    let mut subscription = subscription.expect("subscribed");
    let (progress, written) = tokio::sync::watch::channel(0);
    let daemon = tokio::spawn(async move {
        for number in 0..ITEMS {
            let item = json!({"number": number, "pad": "x".repeat(4096)});
            wire.item("s", &item).await;
            progress.send_replace(number + 1);
        }
    });
    while !subscription.is_ready() {
        tokio::task::yield_now().await;
    }
    // The scheduler is fair: many turns later the daemon has gone as far as it can.
    for _ in 0..10_000 {
        tokio::task::yield_now().await;
    }
    assert!(*written.borrow() < ITEMS, "the daemon was not held back");
    for number in 0..ITEMS {
        let item = subscription.next().await.expect("an item");
        let item: Value = serde_json::from_str(item.get()).expect("JSON");
        assert_eq!(item["number"], number);
    }
    daemon.await.expect("the daemon is done");
}
