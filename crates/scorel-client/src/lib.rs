//! A client library for the Scorel daemon.
//!
//! - [`DaemonHome`] locates the daemon of a home directory, [`Starter`] connects to it and starts it if
//!   necessary, [`SshDaemon`] reaches the one of another machine, and [`ClientIdentity`] identifies this
//!   installation.
//! - [`Connection`] carries typed calls ([`Connection::call`]) and subscriptions, over whatever a
//!   [`Dial`] leads to.
//! - [`Caller`] makes typed calls that survive a lost connection.
//! - [`SessionStream`] follows one session indefinitely: it applies the resync rules of the protocol
//!   ([`ClientAnchors`]), reconnects, and folds what it yields into a
//!   [`scorel_proto::SessionView`].
//!
//! # Why not an existing JSON-RPC client
//!
//! The usual libraries give each subscription a buffer, and end the subscription when a burst
//! overflows it. A program that prints a session must not lose its position because a terminal was
//! slow. Here the buffer is bounded too, but a full one makes the connection's reader wait: the
//! socket fills up, and the daemon keeps the subscriber's position.
//!
//! The price is that such a connection reads nothing else meanwhile. Use one connection for calls
//! and one for each long-lived subscription; [`SessionStream`] opens its own.

#![warn(missing_docs)]

mod anchors;
mod backoff;
mod caller;
mod caller_state;
mod command_id;
mod connection;
mod dial;
mod error;
mod home;
mod home_file;
mod identity;
mod ssh;
mod start;
mod stream;

pub use anchors::{ClientAnchors, EventNovelty};
pub use backoff::Backoff;
pub use caller::Caller;
pub use caller_state::CallerState;
pub use command_id::new_command_id;
pub use connection::{Connection, Subscription};
pub use dial::Dial;
pub use error::{ClientError, SshError, SshProblem, StartError};
pub use home::{DaemonHome, DaemonHomeError};
pub use home_file::read_home_file;
pub use identity::{ClientIdentity, IdentityError};
pub use ssh::{SshDaemon, SshHost, SshHostError};
pub use start::Starter;
pub use stream::{Connect, SessionStream, StreamItem};
