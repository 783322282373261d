//! A daemon that does what the test says.

use std::path::{Path, PathBuf};

use scorel_client::{ClientError, Connection, Dial};
use scorel_peer::TextStream;
use scorel_testkit::{Network, SeededDice};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixListener;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

pub(crate) struct Peer {
    _directory: TempDir,
    path: PathBuf,
    listener: UnixListener,
    /// The stream between the client and the peer.
    network: Option<Network>,
}

/// The way by which a test's client reaches its peer.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Way {
    Socket,
    /// Over a network that is slow.
    Network,
}

/// A dial over a network.
struct RemoteDial<'a>(&'a Path, &'a Network);

impl Dial for RemoteDial<'_> {
    async fn dial(&self) -> Result<TextStream, ClientError> {
        Ok(self.1.carry(self.0.dial().await?))
    }
}

impl Peer {
    pub(crate) fn reached_by(way: Way) -> Self {
        let network = || Network::slow(SeededDice::for_test("a scripted peer"));
        let network = matches!(way, Way::Network).then(network);
        Self {
            network,
            ..Self::bind()
        }
    }

    pub(crate) fn bind() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("peer.sock");
        let listener = UnixListener::bind(&path).expect("a socket");
        Self {
            _directory: directory,
            path,
            listener,
            network: None,
        }
    }

    pub(crate) async fn connect(&self) -> Result<Connection, ClientError> {
        match &self.network {
            Some(network) => Connection::dial(&RemoteDial(&self.path, network)).await,
            None => Connection::connect(&self.path).await,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) async fn accept(&self) -> Wire {
        let (stream, _) = self.listener.accept().await.expect("a connection");
        let (read, write) = stream.into_split();
        Wire {
            lines: BufReader::new(read).lines(),
            write,
        }
    }
}

/// One connection, seen from the daemon.
pub(crate) struct Wire {
    lines: Lines<BufReader<OwnedReadHalf>>,
    pub(crate) write: OwnedWriteHalf,
}

impl Wire {
    /// The next call; nothing at the end of the connection.
    pub(crate) async fn call(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.ok().flatten()?;
        Some(serde_json::from_str(&line).expect("JSON"))
    }

    /// The next call, which must be of `method`.
    pub(crate) async fn expect(&mut self, method: &str) -> Value {
        let call = self.call().await.expect("a call");
        assert_eq!(call["method"], method, "{call}");
        call
    }

    pub(crate) async fn send(&mut self, value: &Value) {
        let line = format!("{value}\n");
        self.write.write_all(line.as_bytes()).await.expect("sent");
    }

    pub(crate) async fn reply(&mut self, call: &Value, result: Value) {
        let reply = json!({"jsonrpc": "2.0", "id": call["id"], "result": result});
        self.send(&reply).await;
    }

    pub(crate) async fn refuse(&mut self, call: &Value, number: i64, code: &str) {
        let data = json!({"code": code, "retryable": false});
        let error = json!({"code": number, "message": code, "data": data});
        self.send(&json!({"jsonrpc": "2.0", "id": call["id"], "error": error}))
            .await;
    }

    pub(crate) async fn item(&mut self, subscription: &str, item: &Value) {
        let params = json!({"subscription": subscription, "result": item});
        self.send(&json!({"jsonrpc": "2.0", "method": "event", "params": params}))
            .await;
    }

    /// Answers `subscribeEvents` with the subscription `id` and gives the anchors that it named.
    pub(crate) async fn subscribe(&mut self, id: &str) -> (Value, Value) {
        let call = self.expect("subscribeEvents").await;
        self.reply(&call, json!(id)).await;
        let params = &call["params"];
        (
            params["persistentLastSeq"].clone(),
            params["streamLastSeq"].clone(),
        )
    }
}
