use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use scorel_client::{Caller, CallerState, ClientError, Connect, Connection};
use scorel_proto::{
    ErrorCode, ListProjects, NoParams, RegisterProject, RegisterProjectParams, RpcError,
};
use serde_json::json;

use crate::peer::{Peer, Wire};

const PATIENCE: Duration = Duration::from_secs(30);

/// Connects to a peer, and counts how often.
struct CountingConnector<'a>(&'a Peer, Arc<AtomicUsize>);

impl Connect for CountingConnector<'_> {
    async fn connect(&mut self) -> Result<Connection, ClientError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.connect().await
    }
}

async fn caller(
    peer: &Peer,
    patience: Duration,
) -> (Caller<CountingConnector<'_>>, Arc<AtomicUsize>) {
    let count = Arc::<AtomicUsize>::default();
    let connector = CountingConnector(peer, Arc::clone(&count));
    let caller = Caller::connect(connector, patience)
        .await
        .expect("connected");
    (caller, count)
}

async fn answer(wire: &mut Wire) {
    let call = wire.expect("listProjects").await;
    wire.reply(&call, json!({"projects": []})).await;
}

async fn list(caller: &Caller<CountingConnector<'_>>) {
    let listed = caller.call::<ListProjects>(&NoParams {}).await;
    assert_eq!(listed.expect("an answer").projects, []);
}

#[tokio::test]
async fn a_call_is_repeated_on_a_new_connection_which_later_calls_use_too() {
    let peer = Peer::bind();
    let (caller, connections) = caller(&peer, PATIENCE).await;
    let daemon = async {
        let mut wire = peer.accept().await;
        wire.expect("listProjects").await;
        drop(wire);
        let mut wire = peer.accept().await;
        answer(&mut wire).await;
        answer(&mut wire).await;
    };
    let calls = async {
        list(&caller).await;
        list(&caller).await;
    };
    tokio::join!(daemon, calls);
    assert_eq!(connections.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn calls_run_at_once_and_after_a_loss_one_reconnects_for_all() {
    const CALLS: usize = 20;
    let peer = Peer::bind();
    let (caller, connections) = caller(&peer, PATIENCE).await;
    let daemon = async {
        let mut wire = peer.accept().await;
        for _ in 0..CALLS {
            wire.expect("listProjects").await;
        }
        drop(wire);
        let mut wire = peer.accept().await;
        let mut calls = Vec::new();
        for _ in 0..CALLS {
            calls.push(wire.expect("listProjects").await);
        }
        for call in calls.iter().rev() {
            wire.reply(call, json!({"projects": []})).await;
        }
    };
    let callers = vec![caller; CALLS];
    let calls = futures_util::future::join_all(callers.iter().map(list));
    tokio::join!(daemon, calls);
    assert_eq!(connections.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_caller_that_gives_up_leaves_the_reconnecting_to_the_others() {
    let peer = Peer::bind();
    let (caller, _) = caller(&peer, PATIENCE).await;
    let mut state = caller.state();
    let first = peer.accept().await;
    let mut dropped = Box::pin(caller.call::<ListProjects>(&NoParams {}));
    drop(first);
    let reconnecting = |state: &CallerState| matches!(state, CallerState::Reconnecting { .. });
    tokio::select! {
        biased;
        ended = &mut dropped => panic!("{ended:?}"),
        told = state.wait_for(reconnecting) => drop(told.expect("told")),
    }
    drop(dropped);
    let daemon = async {
        // The attempt that was dropped may have got as far as the socket.
        loop {
            let mut wire = peer.accept().await;
            if let Some(call) = wire.call().await {
                wire.reply(&call, json!({"projects": []})).await;
                break wire;
            }
        }
    };
    let (_wire, ()) = tokio::join!(daemon, list(&caller));
    assert_eq!(*state.borrow(), CallerState::Connected);
}

#[tokio::test(start_paused = true)]
async fn the_patience_ends_and_the_state_tells_since_when_and_how_often() {
    let calls = Arc::<AtomicUsize>::default();
    let counted = Arc::clone(&calls);
    let peer = Peer::bind();
    let connection = peer.connect().await.expect("connected");
    drop(peer.accept().await);
    let connect = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Err(ClientError::Closed) }
    };
    let caller = Caller::new(connect, connection, PATIENCE);
    let state = caller.state();
    let begun = tokio::time::Instant::now();
    let ended = caller.call::<ListProjects>(&NoParams {}).await;
    assert!(matches!(ended, Err(ClientError::Closed)), "{ended:?}");
    assert!(begun.elapsed() >= PATIENCE, "{:?}", begun.elapsed());
    let CallerState::Reconnecting { since, attempt } = *state.borrow() else {
        panic!("it has not reconnected")
    };
    assert_eq!(since, begun);
    assert_eq!(attempt as usize, calls.load(Ordering::Relaxed));
    assert!(attempt > 5, "{attempt}");
}

#[tokio::test]
async fn an_error_that_does_not_pass_ends_the_call() {
    let peer = Peer::bind();
    let connection = peer.connect().await.expect("connected");
    drop(peer.accept().await);
    let connect = || async {
        let error = RpcError::new(ErrorCode::ProtocolMismatch, "another version");
        Err(ClientError::Rpc(error))
    };
    let caller = Caller::new(connect, connection, PATIENCE);
    let ended = caller.call::<ListProjects>(&NoParams {}).await;
    let Err(ClientError::Rpc(error)) = ended else {
        panic!("{ended:?}")
    };
    assert_eq!(error.code, ErrorCode::ProtocolMismatch);
}

/// The daemon closes the connection at a longer frame, which would end the other calls as well.
#[tokio::test]
async fn a_request_that_is_too_long_is_refused_before_it_is_written() {
    let peer = Peer::bind();
    let (caller, connections) = caller(&peer, PATIENCE).await;
    let named = |bytes: usize| RegisterProjectParams {
        work_dir: "x".repeat(bytes),
        display_name: None,
        command_id: None,
    };
    let too_long = caller
        .call::<RegisterProject>(&named(8 * 1024 * 1024))
        .await;
    assert!(
        matches!(too_long, Err(ClientError::TooLong { .. })),
        "{too_long:?}"
    );
    let daemon = async {
        let mut wire = peer.accept().await;
        // A request that fits is a frame that the daemon reads, with all that is around it.
        let call = wire.expect("registerProject").await;
        assert!(call.to_string().len() < 8 * 1024 * 1024);
        wire.refuse(&call, 1011, "payload_too_large").await;
        answer(&mut wire).await;
        wire
    };
    let calls = async {
        let refused = caller
            .call::<RegisterProject>(&named(8 * 1024 * 1024 - 2048))
            .await;
        assert!(matches!(refused, Err(ClientError::Rpc(_))), "{refused:?}");
        list(&caller).await;
    };
    tokio::join!(daemon, calls);
    assert_eq!(connections.load(Ordering::Relaxed), 1);
}
