mod mismatch;
mod ssh_error;
mod start_error;

use std::io;
use std::path::PathBuf;

use scorel_peer::CallError;
use scorel_proto::{ProtocolRange, RpcError};

pub use ssh_error::{SshError, SshProblem};
pub use start_error::StartError;

use crate::{DaemonHomeError, IdentityError};
use mismatch::mismatch;

/// Why an operation that needs the daemon failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nothing listens on the socket.
    #[error("no daemon listens on {}", path.display())]
    Unreachable {
        /// The path of the socket.
        path: PathBuf,
        /// The error of `connect`.
        source: io::Error,
    },
    /// The connection was accepted, but the handshake timed out.
    #[error("the daemon does not respond")]
    Unresponsive,
    /// The connection closed before the reply. The call may have taken effect.
    #[error("the connection to the daemon was lost")]
    Closed,
    /// The call failed with an error of the protocol.
    #[error(transparent)]
    Rpc(#[from] RpcError),
    /// Daemon and client have no protocol version in common.
    #[error("{}", mismatch(.daemon.as_ref(), .version.as_deref()))]
    Incompatible {
        /// The versions that the daemon supports, if known.
        daemon: Option<ProtocolRange>,
        /// The version of the daemon's program, if known.
        version: Option<String>,
    },
    /// The daemon violated the protocol.
    #[error("the daemon violated the protocol: {0}")]
    Protocol(String),
    /// The request is longer than the daemon reads. It was not sent.
    #[error("the request has {bytes} bytes, and the daemon reads at most {limit}")]
    TooLong {
        /// The length of the parameters as JSON.
        bytes: usize,
        /// The most that it may be.
        limit: usize,
    },
    /// The home directory or its socket path cannot be used.
    #[error(transparent)]
    Home(#[from] DaemonHomeError),
    /// The client identity cannot be read or created.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// The daemon could not be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The daemon of another machine cannot be reached.
    #[error(transparent)]
    Ssh(Box<SshError>),
}

impl From<CallError> for ClientError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Closed => Self::Closed,
            CallError::Overdue => Self::Unresponsive,
            CallError::Rpc(error) => Self::Rpc(error),
        }
    }
}

impl ClientError {
    /// Whether the connection failed, so that it is unknown whether the call took effect. Repeating
    /// a command with its command id is then safe.
    pub const fn is_lost_connection(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Unresponsive | Self::Closed => true,
            Self::Ssh(error) => error.may_pass(),
            _ => false,
        }
    }

    /// Whether the same operation may succeed later, unchanged.
    pub const fn may_pass(&self) -> bool {
        match self {
            Self::Rpc(error) => error.code.retryable(),
            other => other.is_lost_connection(),
        }
    }

    /// The cure, for the user, if known.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Incompatible {
                daemon: Some(daemon),
                ..
            } if daemon.max < ProtocolRange::SUPPORTED.min => {
                "the running daemon is older than this program: `scorelctl restart` starts the \
                 installed one"
            }
            Self::Incompatible { .. } => {
                "the running daemon is newer than this program: install the scorelctl that came \
                 with it, for example with `cargo install --path scorelctl`"
            }
            Self::Unresponsive => "`scorelctl stop` stops a daemon that hangs",
            Self::Start(error) => return error.hint(),
            Self::Ssh(error) => return Some(error.hint()),
            Self::Unreachable { .. }
            | Self::Closed
            | Self::Rpc(_)
            | Self::Protocol(_)
            | Self::TooLong { .. }
            | Self::Home(_)
            | Self::Identity(_) => return None,
        };
        Some(hint.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_mismatch_names_the_command_that_solves_it() {
        let mismatch = |min, max| ClientError::Incompatible {
            daemon: Some(ProtocolRange { min, max }),
            version: Some("9.1.0".to_owned()),
        };
        let newer = mismatch(7, 9);
        assert_eq!(
            newer.to_string(),
            "the daemon (9.1.0) speaks protocol 7 to 9, this program 1 to 1"
        );
        assert!(newer.hint().expect("a hint").contains("cargo install"));
        let older = mismatch(0, 0).hint().expect("a hint");
        assert!(older.contains("`scorelctl restart`"), "{older}");
    }
}
