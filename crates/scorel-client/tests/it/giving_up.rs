use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use scorel_client::{ClientAnchors, ClientError, Connection, SessionStream, StreamItem};

use crate::peer::Peer;
use crate::script::Script;

#[tokio::test(start_paused = true)]
async fn the_stream_gives_up_on_a_daemon_that_stays_away() {
    let peer = Peer::bind();
    let script = Script::new();
    let attempts = AtomicUsize::new(0);
    let path = peer.path().to_path_buf();
    let connect = || {
        attempts.fetch_add(1, Ordering::Relaxed);
        Connection::connect(&path)
    };
    let daemon = async {
        let mut wire = peer.accept().await;
        wire.subscribe("a").await;
        drop(peer);
    };
    let (stream, ()) = tokio::join!(
        SessionStream::open(connect, script.session, ClientAnchors::default()),
        daemon
    );
    let patience = Duration::from_secs(60);
    let mut stream = stream.expect("subscribed").give_up_after(patience);
    let started = tokio::time::Instant::now();
    let error = loop {
        match stream.next().await {
            Ok(Some(StreamItem::Reconnecting { wait, .. })) => {
                assert!(wait <= Duration::from_secs(5), "{wait:?}");
            }
            Ok(other) => panic!("{other:?}"),
            Err(error) => break error,
        }
    };
    assert!(error.is_lost_connection(), "{error:?}");
    assert!(started.elapsed() >= patience, "{:?}", started.elapsed());
    let attempts = attempts.into_inner();
    assert!(attempts > 12, "{attempts} attempts");
}

#[tokio::test(start_paused = true)]
async fn a_stream_whose_future_is_dropped_again_and_again_gives_up_in_time() {
    let peer = Peer::bind();
    let script = Script::new();
    let is_first = AtomicBool::new(true);
    let path = peer.path().to_path_buf();
    // What waits to be accepted is never answered.
    let connect = || async {
        let connection = Connection::connect(&path).await?;
        if !is_first.swap(false, Ordering::Relaxed) {
            connection.hello(None).await?;
        }
        Ok(connection)
    };
    let daemon = async {
        let mut wire = peer.accept().await;
        wire.subscribe("a").await;
    };
    let (stream, ()) = tokio::join!(
        SessionStream::open(connect, script.session, ClientAnchors::default()),
        daemon
    );
    let patience = Duration::from_secs(30);
    let mut stream = stream.expect("subscribed").give_up_after(patience);
    let started = tokio::time::Instant::now();
    let mut was_reconnecting = false;
    let mut error = None;
    // Less than the time limit of the handshake.
    for _ in 0..20 {
        match tokio::time::timeout(Duration::from_secs(3), stream.next()).await {
            Err(_) => was_reconnecting |= stream.is_reconnecting(),
            Ok(Ok(Some(StreamItem::Reconnecting { .. }))) => {}
            Ok(Ok(other)) => panic!("{other:?}"),
            Ok(Err(given_up)) => {
                error = Some(given_up);
                break;
            }
        }
    }
    let error = error.expect("it gives up");
    assert!(matches!(error, ClientError::Unresponsive), "{error:?}");
    assert!(started.elapsed() >= patience, "{:?}", started.elapsed());
    assert!(was_reconnecting && !stream.is_reconnecting());
}
