//! Sockets that a service manager opened for the daemon.

use std::env;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixListener;
use std::process;

use listenfd::ListenFd;
use nix::sys::socket::{getsockopt, sockopt};

/// Why the sockets of a service manager are not used. Nothing is guessed here: a daemon that
/// listened elsewhere would leave the manager's clients waiting.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ActivationError {
    /// The sockets are for another process.
    #[error("LISTEN_PID is `{pid}` and this process is {own}: the sockets are not for this process; unset LISTEN_FDS and LISTEN_PID", own = process::id())]
    OtherProcess {
        /// What `LISTEN_PID` says; empty if it is missing.
        pid: String,
    },
    /// The number of sockets is not a number.
    #[error("LISTEN_FDS is `{text}`, which is not a number")]
    InvalidCount {
        /// What `LISTEN_FDS` says.
        text: String,
    },
    /// More than the daemon knows what to do with.
    #[error(
        "the service manager passed {count} sockets; scoreld takes one (one ListenStream= in the socket unit)"
    )]
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// It is not a Unix stream socket.
    #[error("the service manager's socket is not a Unix stream socket (ListenStream= with a path)")]
    WrongType(#[source] io::Error),
    /// It is a Unix stream socket to which nobody can connect.
    #[error(
        "the service manager's socket does not listen (Accept=no is needed in the socket unit)"
    )]
    NotListening,
}

/// Takes the listening socket that a service manager passed by `LISTEN_FDS`; `None` if none was
/// passed. The file of such a socket belongs to the manager and is never removed.
///
/// To be called once, before any thread is started: it removes `LISTEN_FDS` and `LISTEN_PID` from
/// the environment, so that no child process takes the socket for its own.
///
/// # Errors
/// Something was passed that cannot be used.
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
