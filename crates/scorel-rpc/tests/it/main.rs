//! The driver over in-memory streams and real Unix sockets.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod backpressure;
mod callbacks;
mod calls;
mod connection_end;
mod envelope;
mod framing;
mod http;
mod listener;
mod methods;
mod own_writes;
mod peer;
mod requests;
mod subscriptions;
