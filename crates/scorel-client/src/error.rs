use std::io;
use std::path::PathBuf;

use scorel_proto::{ProtocolRange, RpcError};

use crate::{HomeError, IdentityError, StartError};

/// Why something that needs the daemon did not work.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody answers at the socket.
    #[error("no daemon answers at {}", path.display())]
    Unreachable {
        /// The socket.
        path: PathBuf,
        /// What connecting to it said.
        source: io::Error,
    },
    /// The connection was made, but nothing came back.
    #[error("the daemon does not answer")]
    Unresponsive,
    /// The connection ended before the answer came. What was asked may have been done.
    #[error("the connection to the daemon was lost")]
    Closed,
    /// The daemon refused the call.
    #[error(transparent)]
    Rpc(#[from] RpcError),
    /// The daemon and this library have no protocol version in common.
    #[error("{}", incompatible(.daemon.as_ref(), .version.as_deref()))]
    Incompatible {
        /// What the daemon speaks, if it said so.
        daemon: Option<ProtocolRange>,
        /// The daemon's version, if it said so.
        version: Option<String>,
    },
    /// The daemon sent something that the protocol does not have.
    #[error("the daemon sent something unexpected: {0}")]
    Protocol(String),
    /// The socket has no usable path.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// This installation's identity cannot be used.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// The daemon could not be started.
    #[error(transparent)]
    Start(#[from] StartError),
}

impl ClientError {
    /// Whether the connection was lost or not made: what was asked may have been done or not.
    #[must_use]
    pub const fn is_lost_connection(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. } | Self::Unresponsive | Self::Closed
        )
    }

    /// Whether the same may work later, unchanged.
    #[must_use]
    pub const fn may_pass(&self) -> bool {
        match self {
            Self::Rpc(error) => error.code.retryable(),
            other => other.is_lost_connection(),
        }
    }

    /// What a person can do about it, if that is known.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Incompatible {
                daemon: Some(daemon),
                ..
            } if daemon.max < ProtocolRange::SUPPORTED.min => {
                "the running daemon is older than this program: `scorelctl stop` ends it, and the \
                 next command starts the installed one"
            }
            Self::Incompatible { .. } => {
                "the running daemon is newer than this program: install the scorelctl that came \
                 with it, for example with `cargo install --path scorelctl`"
            }
            Self::Unresponsive => "`scorelctl stop` ends a daemon that is stuck",
            Self::Start(error) => return error.hint(),
            Self::Unreachable { .. }
            | Self::Closed
            | Self::Rpc(_)
            | Self::Protocol(_)
            | Self::Home(_)
            | Self::Identity(_) => return None,
        };
        Some(hint.to_owned())
    }
}

fn incompatible(daemon: Option<&ProtocolRange>, version: Option<&str>) -> String {
    let own = ProtocolRange::SUPPORTED;
    let name = version.map_or_else(|| "the daemon".to_owned(), |v| format!("the daemon ({v})"));
    let theirs = daemon.map_or_else(
        || "other protocol versions".to_owned(),
        |range| format!("protocol {} to {}", range.min, range.max),
    );
    format!(
        "{name} speaks {theirs}, this program {} to {}",
        own.min, own.max
    )
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
        assert!(older.contains("`scorelctl stop`"), "{older}");
    }
}
