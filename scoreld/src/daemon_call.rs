//! Calls to a running daemon, for a process that has no runtime: blocking, with a time limit.

use std::io;
use std::path::Path;
use std::time::Duration;

use scorel_client::{ClientError, Connection};
use scorel_proto::Method;
use tokio::net::UnixStream;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

/// A connection to a daemon.
#[derive(Debug)]
pub(crate) struct DaemonCall {
    connection: Connection,
    runtime: Runtime,
    limit: Duration,
}

impl DaemonCall {
    /// Connects to the daemon at `path`, without waiting: while it accepts no connections and many wait,
    /// it is unreachable. Each call may take `limit`.
    pub(crate) fn connect(path: &Path, limit: Duration) -> Result<Self, ClientError> {
        let runtime = runtime().map_err(|source| ClientError::Unreachable {
            path: path.to_owned(),
            source,
        })?;
        Ok(Self {
            connection: runtime.block_on(Connection::connect(path))?,
            runtime,
            limit,
        })
    }

    pub(crate) fn call<M: Method>(&self, params: &M::Params) -> Result<M::Result, ClientError> {
        let call = async { timeout(self.limit, self.connection.call::<M>(params)).await };
        let answer = self.runtime.block_on(call);
        answer.unwrap_or(Err(ClientError::Unresponsive))
    }
}

/// The id of the process that listens at `path`, if it is known.
pub(crate) fn listener(path: &Path) -> io::Result<Option<i32>> {
    let stream = runtime()?.block_on(UnixStream::connect(path))?;
    Ok(stream.peer_cred()?.pid())
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::os::unix::net::UnixListener;
    use std::thread;

    use scorel_proto::{NoParams, Shutdown};

    use super::*;

    fn answered(answer: &'static str) -> Result<u32, ClientError> {
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
        assert!(matches!(error, ClientError::Rpc(_)), "{error:?}");
        for silent in ["", "hello\n", "{\"id\":1,\"result\":8}\n"] {
            let error = answered(silent).unwrap_err();
            let is_silence = matches!(error, ClientError::Closed | ClientError::Protocol(_));
            assert!(is_silence, "{error:?}");
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
        assert!(
            matches!(error, ClientError::Unreachable { .. }),
            "{error:?}"
        );
        let error = waiting[0]
            .call::<scorel_proto::GetStatus>(&NoParams {})
            .unwrap_err();
        assert!(matches!(error, ClientError::Unresponsive), "{error:?}");
    }

    #[test]
    fn the_listener_is_the_process_that_bound_the_socket() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        assert!(listener(&path).is_err());
        let _listener = UnixListener::bind(&path).unwrap();
        let own = nix::unistd::getpid().as_raw();
        assert_eq!(listener(&path).unwrap(), Some(own));
    }
}
