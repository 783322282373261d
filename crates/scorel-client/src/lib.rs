//! A client of the Scorel daemon.
//!
//! - [`Home`] says where the daemon of a home directory answers, [`Starter`] connects to it and
//!   starts it first if need be, and [`ClientIdentity`] is who this installation is.
//! - [`Connection`] carries typed calls ([`Connection::call`]) and subscriptions.
//! - [`SessionStream`] follows one session for as long as it takes: it keeps both anchors of the
//!   protocol, proves by `prev` that nothing is missing, drops what comes twice, reconnects, and
//!   folds what it yields into a [`scorel_proto::SessionView`].
//!
//! # Why not the JSON-RPC client of a library
//!
//! The usual clients give every subscription a buffer and end the subscription when a burst of
//! events overflows it. A program that prints a session must not lose its place because a terminal
//! was slow. Here the buffer of a subscription is bounded too, but a full one makes the reader of
//! the connection wait: the socket fills up, and the daemon keeps the subscriber's place.
//!
//! The price is that such a connection reads nothing else meanwhile. Use one connection for calls
//! and one for each subscription that lasts; [`SessionStream`] opens its own.

#![warn(missing_docs)]

mod anchors;
mod backoff;
mod connection;
mod error;
mod home;
mod identity;
mod start;
mod stream;

pub use anchors::{Anchors, Verdict};
pub use backoff::Backoff;
pub use connection::{Connection, Subscription};
pub use error::ClientError;
pub use home::{Home, HomeError};
pub use identity::{ClientIdentity, IdentityError};
pub use start::{StartError, Starter};
pub use stream::{Connect, Item, SessionStream};
