//! A client of a served in-memory connection.

use std::sync::Arc;
use std::time::Duration;

use scorel_rpc::{AccessLevel, Caller, ConnectionEnd, Principal, RpcLimits, Service};
use serde_json::Value;
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf,
};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::methods::{self, Probe};

/// Beyond every limit's time, so that a hang is a failure; under paused time it costs nothing.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Peer {
    pub(crate) reader: BufReader<ReadHalf<DuplexStream>>,
    pub(crate) writer: WriteHalf<DuplexStream>,
    pub(crate) probe: Arc<Probe>,
    pub(crate) shutdown: CancellationToken,
    served: JoinHandle<ConnectionEnd>,
}

pub(crate) fn caller(access: AccessLevel) -> Caller {
    Caller {
        principal: Principal::LocalUser { uid: 1 },
        client_id: None,
        access,
    }
}

impl Peer {
    pub(crate) fn new() -> Self {
        Self::with(RpcLimits::default(), caller(AccessLevel::Admin))
    }

    pub(crate) fn limited(limits: RpcLimits) -> Self {
        Self::with(limits, caller(AccessLevel::Admin))
    }

    pub(crate) fn with(limits: RpcLimits, caller: Caller) -> Self {
        let probe = Probe::new();
        let shutdown = CancellationToken::new();
        let service = Service::new(methods::table(&probe), limits, shutdown.clone()).unwrap();
        let (near, far) = tokio::io::duplex(64 * 1024);
        let served = tokio::spawn(async move {
            let (reader, writer) = tokio::io::split(far);
            service.serve_stream(reader, writer, caller).await
        });
        let (reader, writer) = tokio::io::split(near);
        let reader = BufReader::new(reader);
        Self {
            reader,
            writer,
            probe,
            shutdown,
            served,
        }
    }

    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        timeout(PATIENCE, self.writer.write_all(bytes.as_ref()))
            .await
            .unwrap()
            .unwrap();
    }

    pub(crate) async fn line(&mut self, line: &str) {
        self.write(format!("{line}\n")).await;
    }

    /// The next line, without its newline.
    pub(crate) async fn read_line(&mut self) -> String {
        let mut line = String::new();
        timeout(PATIENCE, self.reader.read_line(&mut line))
            .await
            .expect("a line")
            .unwrap();
        assert!(line.ends_with('\n'), "a line was cut: {line:?}");
        line.pop();
        line
    }

    pub(crate) async fn read(&mut self) -> Value {
        serde_json::from_str(&self.read_line().await).unwrap()
    }

    /// Writes a line and reads one.
    pub(crate) async fn ask(&mut self, line: &str) -> Value {
        self.line(line).await;
        self.read().await
    }

    /// Calls a method and returns its result.
    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Value {
        let request =
            serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let reply = self.ask(&request.to_string()).await;
        assert_eq!(reply["error"], Value::Null, "{reply}");
        reply["result"].clone()
    }

    /// Closes the writing half.
    pub(crate) async fn finish(&mut self) {
        self.writer.shutdown().await.unwrap();
    }

    /// Everything up to the end of file.
    pub(crate) async fn rest(&mut self) -> String {
        let mut rest = String::new();
        timeout(PATIENCE, self.reader.read_to_string(&mut rest))
            .await
            .expect("an end")
            .unwrap();
        rest
    }

    pub(crate) async fn end(self) -> ConnectionEnd {
        timeout(PATIENCE, self.served)
            .await
            .expect("an end")
            .unwrap()
    }
}

/// The code of an error reply.
pub(crate) fn code(reply: &Value) -> &str {
    reply["error"]["data"]["code"]
        .as_str()
        .unwrap_or_else(|| panic!("no error: {reply}"))
}
