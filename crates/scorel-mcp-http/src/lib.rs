//! Servers of the Model Context Protocol that are reached by HTTP.
//!
//! In: the texts of a connection. Out: a request for each, whose answers come back as texts, so that a server elsewhere is a
//! service like a program: [`connect`]. What belongs to HTTP alone stays here: the session that a server may have given,
//! streams of events and taking them up again, logins, and the headers that repeat a message. Knows no tools.

mod answer;
mod connection;
mod event_stream;
mod exchange;
mod failure;
mod header_value;
mod incoming;
mod listening;
mod message;
mod param_headers;
mod reach;
mod renewal;
mod server;
mod session;
mod state;

pub use connection::connect;
pub use failure::HttpFailure;
pub use reach::HttpReach;
pub use server::HttpServer;
pub use state::HttpState;
