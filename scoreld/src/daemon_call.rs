//! Calls to a running daemon, for a process that has no runtime: blocking, with a time limit.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, UnixAddr, connect, setsockopt, socket, sockopt,
};
use nix::sys::time::{TimeVal, TimeValLike as _};
use scorel_proto::Method;
use serde_json::{Value, json};

/// Upper bound of a reply, in bytes.
const MAX_REPLY: u64 = 1 << 20;

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DaemonCallError {
    #[error("cannot connect")]
    Connect(#[source] io::Error),
    /// It took longer than the limit, the connection ended, or what came is no reply.
    #[error("no answer")]
    Answer(#[source] io::Error),
    /// With the daemon's message.
    #[error("{0}")]
    Refused(String),
}

/// A connection to a daemon.
#[derive(Debug)]
pub(crate) struct DaemonCall {
    stream: UnixStream,
}

impl DaemonCall {
    /// Connects to the daemon at `path`. Each step of a call may take `limit`.
    pub(crate) fn connect(path: &Path, limit: Duration) -> Result<Self, DaemonCallError> {
        let stream = open(path, limit).map_err(DaemonCallError::Connect)?;
        Ok(Self { stream })
    }

    pub(crate) fn call<M: Method>(&self, params: &M::Params) -> Result<M::Result, DaemonCallError> {
        let reply = self
            .exchange(M::NAME, &json!(params))
            .map_err(DaemonCallError::Answer)?;
        let invalid = |error: serde_json::Error| DaemonCallError::Answer(error.into());
        match reply {
            Ok(result) => serde_json::from_value(result).map_err(invalid),
            Err(error) => {
                let message = error["message"].as_str().unwrap_or("it gave no reason");
                Err(DaemonCallError::Refused(message.to_owned()))
            }
        }
    }

    /// Returns the reply's `result`, or its `error`.
    fn exchange(&self, method: &str, params: &Value) -> io::Result<Result<Value, Value>> {
        let mut stream = &self.stream;
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        stream.write_all(format!("{call}\n").as_bytes())?;
        for line in BufReader::new(stream.take(MAX_REPLY)).lines() {
            let mut reply: Value = serde_json::from_str(&line?)?;
            if reply.get("id") == Some(&1.into()) {
                return Ok(match reply.get_mut("error") {
                    Some(error) => Err(error.take()),
                    None => Ok(reply["result"].take()),
                });
            }
        }
        Err(io::ErrorKind::UnexpectedEof.into())
    }

    /// The connection itself.
    pub(crate) const fn stream(&self) -> &UnixStream {
        &self.stream
    }
}

/// `UnixStream::connect` has no limit, and waits while the queue of a process that does not accept is
/// full. The limit for sending counts for connecting too.
fn open(path: &Path, limit: Duration) -> io::Result<UnixStream> {
    let socket: OwnedFd = socket(
        AddressFamily::Unix,
        SockType::Stream,
        SockFlag::empty(),
        None,
    )?;
    // Zero would mean no limit.
    let limit = i64::try_from(limit.as_micros()).unwrap_or(i64::MAX).max(1);
    let limit = TimeVal::microseconds(limit);
    setsockopt(&socket, sockopt::SendTimeout, &limit)?;
    setsockopt(&socket, sockopt::ReceiveTimeout, &limit)?;
    connect(socket.as_raw_fd(), &UnixAddr::new(path)?)?;
    Ok(socket.into())
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::thread;

    use scorel_proto::{NoParams, Shutdown};

    use super::*;

    fn answered(answer: &'static str) -> Result<u32, DaemonCallError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        let listener = UnixListener::bind(&path).unwrap();
        let peer = thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut call = String::new();
            BufReader::new(&stream).read_line(&mut call).unwrap();
            (&stream).write_all(answer.as_bytes()).unwrap();
        });
        let daemon = DaemonCall::connect(&path, Duration::from_secs(20)).unwrap();
        let result = daemon.call::<Shutdown>(&scorel_proto::ShutdownParams { park: Some(true) });
        peer.join().unwrap();
        result.map(|result| result.pid)
    }

    #[test]
    fn a_reply_is_a_result_or_an_error() {
        let result = answered("{\"method\":\"x\"}\n{\"id\":1,\"result\":{\"pid\":7}}\n");
        assert_eq!(result.unwrap(), 7);
        let refused = "{\"id\":1,\"error\":{\"code\":-32602,\"message\":\"no\"}}\n";
        let error = answered(refused).unwrap_err();
        assert!(matches!(error, DaemonCallError::Refused(_)), "{error:?}");
        for silent in ["", "hello\n", "{\"id\":1,\"result\":8}\n"] {
            let error = answered(silent).unwrap_err();
            assert!(matches!(error, DaemonCallError::Answer(_)), "{error:?}");
        }
    }

    #[test]
    fn a_process_that_does_not_accept_keeps_no_one_waiting() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        let _listener = UnixListener::bind(&path).unwrap();
        let limit = Duration::from_millis(20);
        let mut waiting = Vec::new();
        let error = loop {
            match DaemonCall::connect(&path, limit) {
                Ok(daemon) => waiting.push(daemon),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, DaemonCallError::Connect(_)), "{error:?}");
        let error = waiting[0]
            .call::<scorel_proto::GetStatus>(&NoParams {})
            .unwrap_err();
        assert!(matches!(error, DaemonCallError::Answer(_)), "{error:?}");
    }
}
