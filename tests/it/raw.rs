//! A connection without the client library: bytes out, lines in.

use std::io::ErrorKind::{BrokenPipe, ConnectionReset};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use scorel_testkit::DaemonUnderTest;
use serde_json::{Value, json};

/// The time limit for a reply, so that a failed test does not hang.
const PATIENCE: Duration = Duration::from_secs(120);

/// A blocking raw connection.
pub(crate) struct RawConnection(BufReader<UnixStream>);

impl RawConnection {
    pub(crate) fn connect(daemon: &DaemonUnderTest) -> Self {
        let stream = UnixStream::connect(daemon.socket()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self(BufReader::new(stream))
    }

    pub(crate) fn stream(&self) -> &UnixStream {
        self.0.get_ref()
    }

    /// Writes bytes; a connection that the daemon closed is not an error.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> bool {
        match self.0.get_mut().write_all(bytes) {
            // `ECONNRESET` if the daemon closed it with unread input.
            Err(error) if matches!(error.kind(), BrokenPipe | ConnectionReset) => false,
            Err(error) => panic!("cannot write: {error}"),
            Ok(()) => true,
        }
    }

    /// The next message; `None` once the daemon has closed the connection.
    pub(crate) fn read(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.0.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(serde_json::from_str(&line).unwrap()),
            Err(error) if error.kind() == ConnectionReset => None,
            Err(error) => panic!("no answer: {error}"),
        }
    }

    /// Everything until the daemon closes the connection.
    pub(crate) fn read_to_end(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self.0.read_to_end(&mut bytes) {
            Err(error) if error.kind() != ConnectionReset => {
                panic!("the connection is not closed: {error}")
            }
            _ => bytes,
        }
    }

    /// The next reply; skips notifications.
    pub(crate) fn reply(&mut self) -> Option<Value> {
        loop {
            let message = self.read()?;
            if message["method"].is_null() {
                return Some(message);
            }
        }
    }

    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Value {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.write(format!("{call}\n").as_bytes());
        self.reply().expect("an answer")
    }

    /// Whether the connection is still served.
    pub(crate) fn works(&mut self) -> bool {
        self.write(b"{\"jsonrpc\":\"2.0\",\"id\":\"alive\",\"method\":\"getStatus\"}\n")
            && self
                .reply()
                .is_some_and(|reply| reply["id"] == "alive" && reply["result"].is_object())
    }
}
