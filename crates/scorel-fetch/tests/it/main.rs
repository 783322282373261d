//! Fetching over real connections.

mod addresses;
mod bodies;
mod redirects;
mod server;
mod time;
mod tool;
