//! Tools of the daemon for the foreign agent that runs a turn.
//!
//! ```text
//! runner ─ MCP, pipes → scorelctl mcp serve --turn ─ the turn's socket → TurnTools ─ OwnCalls → RunnerDriver
//! ```
//!
//! Whoever connects to the socket acts as the turn, and can list and call its tools, nothing else. The file is one that
//! only this user can open, and is gone when the turn is over.

mod open_calls;
mod place;
mod replies;
mod turn_tools;

pub use place::{NoServerProgram, server_program, socket_path};
pub use turn_tools::{Turn, TurnTools, TurnToolsError};
