//! Fetching over real connections.

#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod addresses;
mod bodies;
mod permitted;
mod redirects;
mod server;
mod time;
mod tool;
