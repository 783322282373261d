//! The client against peers that follow a script, over real Unix sockets.

mod anchors;
mod caller;
mod connection;
mod giving_up;
mod peer;
mod script;
mod ssh;
mod start;
mod stream;
