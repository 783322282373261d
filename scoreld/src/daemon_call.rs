//! Calls to a running daemon, for a process that has no runtime: blocking, with a time limit.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::pin::pin;
use std::time::Duration;

use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, UnixAddr, connect, setsockopt, socket, sockopt,
};
use nix::sys::time::{TimeVal, TimeValLike as _};
use scorel_peer::{CallError, FrameLimits, Peer, TextStream};
use scorel_proto::Method;
use serde_json::value::RawValue;

/// Upper bound of a reply, in bytes.
const MAX_REPLY: usize = 1 << 20;

/// Upper bound of a call that waits to be written, in bytes.
const OUTBOX: usize = 64 * 1024;

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
    limit: Duration,
}

impl DaemonCall {
    /// Connects to the daemon at `path`. That may take `limit`, and so may each call.
    pub(crate) fn connect(path: &Path, limit: Duration) -> Result<Self, DaemonCallError> {
        let stream = open(path, limit).map_err(DaemonCallError::Connect)?;
        Ok(Self { stream, limit })
    }

    pub(crate) fn call<M: Method>(&self, params: &M::Params) -> Result<M::Result, DaemonCallError> {
        let invalid = |error: serde_json::Error| DaemonCallError::Answer(error.into());
        let params = M::encode_params(params).map_err(invalid)?;
        let answer = self.exchange(M::NAME, &params);
        match answer.map_err(DaemonCallError::Answer)? {
            Ok(result) => M::decode_result(&result).map_err(invalid),
            Err(CallError::Rpc(error)) => Err(DaemonCallError::Refused(error.message)),
            Err(error) => Err(DaemonCallError::Answer(io::Error::other(error))),
        }
    }

    /// Makes one call in a runtime of its own, which ends with it.
    fn exchange(
        &self,
        method: &str,
        params: &RawValue,
    ) -> io::Result<Result<Box<RawValue>, CallError>> {
        let stream = self.stream.try_clone()?;
        stream.set_nonblocking(true)?;
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_all().build()?.block_on(async {
            // Dropping the halves of `into_split` would end the connection.
            let (reader, writer) = tokio::io::split(tokio::net::UnixStream::from_std(stream)?);
            let limits = FrameLimits {
                frame: MAX_REPLY,
                partial_frame: None,
                write: None,
            };
            let stream = TextStream::of_bytes(reader, writer, &limits);
            let peer = Peer::new(OUTBOX, 1);
            let mut call = pin!(peer.call_within(method, Some(params), self.limit));
            Ok(tokio::select! { biased;
                answer = &mut call => answer,
                // The answer may have come just before the end.
                () = peer.run(stream, ()) => call.await,
            })
        })
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
    use std::io::{BufRead as _, BufReader, Write as _};
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
