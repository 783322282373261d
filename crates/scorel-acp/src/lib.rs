//! Serves sessions of the daemon to an editor that speaks the Agent Client Protocol on standard input and output.
//!
//! ```text
//! editor ─ lines → Server ─ one module a version → Agent ─ Caller → daemon
//!        ← Editor ← Follower of each session ← Transcript ← SessionStream ←
//! ```
//!
//! The daemon owns everything: this process can end at any time, and the turns go on. What it holds is bounded: the
//! requests that are being carried out by the room that they take, the bytes to be written by the outbox.

#![warn(missing_docs)]

mod daemon;
mod editor;
mod failure;
mod room;
mod server;
mod v1;
mod visible;

pub use server::serve_stdio;
