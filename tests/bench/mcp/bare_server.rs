use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// A server without a daemon, and the least client.
pub(super) struct BareServer {
    _child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl BareServer {
    /// Starts one, and asks what a client has to ask before a call. Also the time that this takes.
    pub(super) async fn start(file: &Path) -> (Self, Duration) {
        let started = Instant::now();
        let mut command = Command::new("python3");
        command.arg(file).args(["1", "100"]).kill_on_drop(true);
        let piped = std::process::Stdio::piped;
        let mut child = command.stdin(piped()).stdout(piped()).spawn().unwrap();
        let mut server = Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()).lines(),
            _child: child,
        };
        server.call("server/discover").await;
        server.call("tools/list").await;
        (server, started.elapsed())
    }

    /// Makes a call. The time that it takes.
    pub(super) async fn call(&mut self, method: &str) -> Duration {
        let started = Instant::now();
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}});
        let line = format!("{request}\n");
        self.input.write_all(line.as_bytes()).await.unwrap();
        self.output.next_line().await.unwrap().unwrap();
        started.elapsed()
    }
}
