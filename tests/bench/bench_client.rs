use std::path::Path;

use memchr::{memchr_iter, memmem};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

/// A connection to the daemon without a client library in between.
pub(crate) struct BenchClient {
    socket: BufReader<UnixStream>,
    line: String,
}

impl BenchClient {
    pub(crate) async fn connect(path: &Path) -> Self {
        Self::new(UnixStream::connect(path).await.unwrap())
    }

    pub(crate) fn new(socket: UnixStream) -> Self {
        Self {
            socket: BufReader::new(socket),
            line: String::new(),
        }
    }

    pub(crate) async fn send(&mut self, line: &[u8]) {
        self.socket.write_all(line).await.unwrap();
    }

    /// The next line.
    pub(crate) async fn next(&mut self) -> &str {
        self.line.clear();
        let read = self.socket.read_line(&mut self.line).await.unwrap();
        assert_ne!(read, 0, "the daemon closed the connection");
        &self.line
    }

    pub(crate) async fn until(&mut self, text: &str) -> &str {
        while !self.next().await.contains(text) {}
        &self.line
    }

    pub(crate) async fn call(&mut self, method: &str, params: &Value) -> Value {
        self.send(&request(method, params)).await;
        let reply: Value = serde_json::from_str(self.until("\"id\":1").await).unwrap();
        assert!(reply.get("error").is_none(), "{method}: {reply}");
        reply["result"].clone()
    }

    /// Subscribes from the current end.
    pub(crate) async fn subscribe(&mut self, session_id: &str) {
        let params = json!({"sessionId": session_id});
        self.call("subscribeEvents", &params).await;
        self.until("\"sync_end\"").await;
    }

    /// Counts the lines up to one that contains the text.
    pub(crate) async fn count_until(&mut self, text: &str) -> usize {
        let mut buffer = vec![0; 256 * 1024];
        let mut lines = 0;
        // The end of the previous read, where the text may have begun.
        let mut kept = 0;
        loop {
            let read = self.socket.read(&mut buffer[kept..]).await.unwrap();
            assert_ne!(read, 0, "the daemon closed the connection");
            lines += memchr_iter(b'\n', &buffer[kept..kept + read]).count();
            let filled = kept + read;
            if memmem::find(&buffer[..filled], text.as_bytes()).is_some() {
                return lines;
            }
            kept = filled.min(text.len());
            buffer.copy_within(filled - kept..filled, 0);
        }
    }
}

pub(crate) fn request(method: &str, params: &Value) -> Vec<u8> {
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    format!("{request}\n").into_bytes()
}
