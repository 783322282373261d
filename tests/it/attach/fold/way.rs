//! A way to the daemon that stalls and breaks when the test says so.

use std::path::{Path, PathBuf};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// A socket in front of the daemon's.
pub(super) struct Way {
    path: PathBuf,
    state: watch::Sender<WayState>,
    _accept: JoinSet<()>,
}

#[derive(Debug, Clone, Copy, Default)]
struct WayState {
    /// No byte passes, and no end of a connection.
    is_stalled: bool,
    /// The number of times that all connections were cut.
    cuts: usize,
}

impl Way {
    pub(super) fn new(path: PathBuf, daemon: PathBuf) -> Self {
        let listener = UnixListener::bind(&path).unwrap();
        let state = watch::Sender::default();
        let mut accept = JoinSet::new();
        accept.spawn(serve(listener, daemon, state.subscribe()));
        Self {
            path,
            state,
            _accept: accept,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn is_stalled(&self) -> bool {
        self.state.borrow().is_stalled
    }

    pub(super) fn stall(&self) {
        self.state.send_modify(|state| state.is_stalled = true);
    }

    /// Everything that has waited passes.
    pub(super) fn pass(&self) {
        self.state.send_modify(|state| state.is_stalled = false);
    }

    /// Ends all connections, in the middle of a line if need be. What has waited is lost.
    pub(super) fn cut(&self) {
        self.state.send_modify(|state| {
            state.is_stalled = false;
            state.cuts += 1;
        });
    }
}

async fn serve(listener: UnixListener, daemon: PathBuf, state: watch::Receiver<WayState>) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        connections.spawn(carry(client, daemon.clone(), state.clone()));
        while connections.try_join_next().is_some() {}
    }
}

async fn carry(client: UnixStream, daemon: PathBuf, mut state: watch::Receiver<WayState>) {
    let cuts = state.borrow().cuts;
    let Ok(server) = UnixStream::connect(&daemon).await else {
        return;
    };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        () = pass(from_client, to_server, state.clone()) => {}
        () = pass(from_server, to_client, state.clone()) => {}
        _ = state.wait_for(|state| state.cuts > cuts) => {}
    }
}

async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut state: watch::Receiver<WayState>,
) {
    // Small, so that what waits is cut within a line.
    let mut bytes = [0; 1000];
    loop {
        let read = from.read(&mut bytes).await.unwrap_or(0);
        let goes_on = state.wait_for(|state| !state.is_stalled).await.is_ok();
        if read == 0 || !goes_on || to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}
