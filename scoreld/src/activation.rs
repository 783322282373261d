//! Socket activation (`sd_listen_fds(3)`): adopting a socket that the service manager listens on.

use std::env;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixListener;
use std::process;

use listenfd::ListenFd;
use nix::sys::socket::{getsockopt, sockopt};

/// Why a passed socket cannot be adopted. The daemon then fails to start: if it listened elsewhere,
/// clients of the manager's socket would wait for ever.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ActivationError {
    #[error("LISTEN_PID is `{pid}` and this process is {own}: the sockets are not for this process; unset LISTEN_FDS and LISTEN_PID", own = process::id())]
    OtherProcess {
        /// The value of `LISTEN_PID`; empty if it is unset.
        pid: String,
    },
    #[error("LISTEN_FDS is `{text}`, which is not a number")]
    InvalidCount { text: String },
    #[error(
        "the service manager passed {count} sockets; scoreld takes one (one ListenStream= in the socket unit)"
    )]
    TooMany { count: usize },
    #[error("the service manager's socket is not a Unix stream socket (ListenStream= with a path)")]
    WrongType(#[source] io::Error),
    /// A connected Unix stream socket, as `Accept=yes` passes it.
    #[error(
        "the service manager's socket does not listen (Accept=no is needed in the socket unit)"
    )]
    NotListening,
}

/// Takes the listening socket that the service manager passed in `LISTEN_FDS`; `None` if it passed
/// none. The manager owns the socket's file, so the daemon never removes it.
///
/// Call it once, before a second thread exists: it removes `LISTEN_FDS` and `LISTEN_PID` from the
/// environment, so that no child process adopts the socket as well.
pub(crate) fn take_listener() -> Result<Option<UnixListener>, ActivationError> {
    let Some(count) = env::var_os("LISTEN_FDS") else {
        return Ok(None);
    };
    let text = count.to_string_lossy().into_owned();
    let count: usize = text
        .parse()
        .map_err(|_| ActivationError::InvalidCount { text })?;
    let pid = env::var("LISTEN_PID").unwrap_or_default();
    if pid.parse() != Ok(process::id()) {
        return Err(ActivationError::OtherProcess { pid });
    }
    if count > 1 {
        return Err(ActivationError::TooMany { count });
    }
    let mut passed = ListenFd::from_env();
    let listener = passed
        .take_unix_listener(0)
        .map_err(ActivationError::WrongType)?;
    listener.map(listening).transpose()
}

fn listening(listener: UnixListener) -> Result<UnixListener, ActivationError> {
    match getsockopt(&listener.as_fd(), sockopt::AcceptConn) {
        Ok(true) => Ok(listener),
        Ok(false) => Err(ActivationError::NotListening),
        Err(errno) => Err(ActivationError::WrongType(errno.into())),
    }
}
